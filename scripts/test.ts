import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ensureChromium } from './find-chromium.ts';

const ROOT = resolve(import.meta.dirname, '..');

/** `npm test`: finds or installs the browser, then runs jest with native ES modules. Arguments go to jest. */
async function main(): Promise<number> {
  const chromium = ensureChromium();
  const folder = mkdtempSync(join(tmpdir(), 'gateway-report-'));
  try {
    const report = join(folder, 'report.json');
    const status = await runJest(report, { ...process.env, CHROMIUM_PATH: chromium });
    const { passed, failed } = counts(report, status);
    // Continuous integration reads this line, so nothing may follow it.
    console.log(`${passed} passed, ${failed} failed`);
    return failed === 0 ? 0 : status || 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Jest's own exit code. */
function runJest(report: string, env: NodeJS.ProcessEnv): Promise<number> {
  const workers = Math.max(2, Math.min(4, availableParallelism()));
  const child = spawn(
    process.execPath,
    [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      join(ROOT, 'node_modules/jest/bin/jest.js'),
      `--maxWorkers=${workers}`,
      '--json',
      `--outputFile=${report}`,
      ...process.argv.slice(2),
    ],
    // With --json the report goes to standard output as well; what a person reads is on the other one.
    { cwd: ROOT, stdio: ['inherit', 'ignore', 'inherit'], env },
  );
  // Ctrl-C reaches jest as well; this process stays until jest has ended, to remove the report.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

/**
 * Tests that passed and failed. A suite that could not even be loaded counts as one failure, and so does a run that
 * failed for any other reason (no report, a broken setup).
 */
function counts(report: string, status: number): { passed: number; failed: number } {
  const least = status === 0 ? 0 : 1;
  if (!existsSync(report)) return { passed: 0, failed: least };
  const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(
    readFileSync(report, 'utf8'),
  );
  return { passed: numPassedTests, failed: Math.max(least, numFailedTests + numRuntimeErrorTestSuites) };
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
