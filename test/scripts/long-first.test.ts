import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import LongFirst from '../support/jest-sequencer.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sequence-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string) {
  const path = join(folder, name);
  writeFileSync(path, text);
  return { path };
}

describe('the order of test files', () => {
  it('begins with those that start browsers or processes, and among equals with the largest', () => {
    const plain = write('plain', 'x'.repeat(900));
    const short = write('short', 'y');
    const browser = write('browser-test', "import { startBrowser } from '../support/browser.ts';");
    const gateway = write('gateway-test', `import '../support/spawn-gateway.ts';${' '.repeat(500)}`);
    const inOrder = new LongFirst().sort([short, plain, browser, gateway]);
    expect(inOrder).toEqual([gateway, browser, plain, short]);
  });
});
