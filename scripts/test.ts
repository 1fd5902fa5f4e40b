import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ensureChromium } from './find-chromium.ts';

/** `npm test`: finds or installs the browser, then runs jest with native ES modules. Arguments go to jest. */
const root = resolve(import.meta.dirname, '..');
let chromium: string;
try {
  chromium = ensureChromium();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
const jest = resolve(root, 'node_modules/jest/bin/jest.js');
const workers = `--maxWorkers=${Math.max(2, Math.min(4, availableParallelism()))}`;
const folder = mkdtempSync(join(tmpdir(), 'gateway-test-report-'));
const report = join(folder, 'report.json');
const { status } = spawnSync(
  process.execPath,
  [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    jest,
    workers,
    '--json',
    `--outputFile=${report}`,
    ...process.argv.slice(2),
  ],
  { cwd: root, stdio: ['inherit', 'ignore', 'inherit'], env: { ...process.env, CHROMIUM_PATH: chromium } },
);
console.log(summaryOf(report));
rmSync(folder, { recursive: true, force: true });
process.exit(status ?? 1);

/** The closing line that continuous integration reads. */
function summaryOf(path: string): string {
  const { numPassedTests, numFailedTests, numFailedTestSuites } = JSON.parse(readFileSync(path, 'utf8'));
  // A suite that could not even load counts as a failure, though none of its tests ran.
  return `${numPassedTests} passed, ${Math.max(numFailedTests, numFailedTestSuites)} failed`;
}
