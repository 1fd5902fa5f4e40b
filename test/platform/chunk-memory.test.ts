import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** What `npm start` gives to V8. */
const packageFile = new URL('../../package.json', import.meta.url);
const flags: string[] = JSON.parse(readFileSync(packageFile, 'utf8')).scripts.start.match(/--\S+/g);

async function countWholeCollections(given: readonly string[]): Promise<number> {
  const script = new URL('chunk-memory-process.ts', import.meta.url).pathname;
  const { stdout } = await run(process.execPath, [...given, script]);
  return Number(stdout);
}

describe('the memory of bodies that pass through', () => {
  it('brings few collections of the whole heap with the flags of npm start', async () => {
    const without = flags.filter((flag) => flag !== '--expose-gc');
    expect(without).toHaveLength(flags.length - 1);
    const usual = await countWholeCollections(without);
    expect(usual).toBeGreaterThanOrEqual(15);
    // A machine that is busy gets to one or two by itself.
    expect(await countWholeCollections(flags)).toBeLessThan(usual / 3);
  });
});
