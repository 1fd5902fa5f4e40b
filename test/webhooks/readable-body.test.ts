import { isReadable } from '../../src/webhooks/processing/readable-body.ts';
import { leastCpuMs } from '../support/quiet-time.ts';
import { describeProvider } from './receiver-stage.ts';

const BYTES = 512 * 1024;
const LIMIT_MS = 50;

describe('judging a verified body', () => {
  it.each([
    ['lists in lists', '['.repeat(BYTES / 2) + ']'.repeat(BYTES / 2)],
    ['objects in objects', `${'{"a":'.repeat(BYTES / 6)}1${'}'.repeat(BYTES / 6)}`],
    [
      'one object of very many members',
      `{${Array.from({ length: BYTES / 11 }, (_, index) => `"${index.toString(36)}x":1`).join()}}`,
    ],
    ['very many objects', `[${'{},'.repeat(BYTES / 3 - 2)}{}]`],
    ['very many quotes', `["${'\\"'.repeat(BYTES / 2 - 3)}"]`],
  ])('takes no time that others would notice, of %s', (_title, text) => {
    const body = Buffer.from(text);
    expect(body.length).toBeLessThanOrEqual(BYTES);
    const request = { method: 'POST', url: 'https://gateway.test/', query: '', headers: new Map(), body };
    const cpuMs = leastCpuMs(LIMIT_MS, () => isReadable(describeProvider('hub'), request));
    expect(cpuMs).toBeLessThanOrEqual(LIMIT_MS);
  });
});
