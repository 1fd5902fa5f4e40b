import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PROCESS = join(import.meta.dirname, 'first-list-process.ts');

it('the first list of 200 providers holds the event loop for less than 50 ms', async () => {
  const { stdout } = await run(process.execPath, ['--disable-warning=ExperimentalWarning', PROCESS]);
  expect(Number(stdout)).toBeGreaterThan(0);
  expect(Number(stdout)).toBeLessThan(50);
});
