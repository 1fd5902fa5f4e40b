import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { createRunFolder } from './run-folder.ts';

const ROOT = resolve(import.meta.dirname, '..');

export type Counts = { readonly passed: number; readonly failed: number };
export type JestRun = Counts & { readonly status: number };

/** Runs jest in processes of Node itself. Gives its exit code, and the tests that passed and failed. */
export async function runJest(jestArguments: readonly string[], env: NodeJS.ProcessEnv): Promise<JestRun> {
  const folder = createRunFolder();
  try {
    const report = join(folder.path, 'report.json');
    const status = await spawnJest([`--outputFile=${report}`, ...jestArguments], {
      ...env,
      TMPDIR: folder.path,
    });
    return { status, ...readCounts(report, status) };
  } finally {
    folder.remove();
  }
}

/** Continuous integration reads this line, so it must be the last one. */
export function printCounts({ passed, failed }: Counts): void {
  console.log(`${passed} passed, ${failed} failed`);
}

/** Runs the main function of a script and exits with its code; a thrown error is printed and exits with 1. */
export function exitWith(main: () => Promise<number>): void {
  main().then(
    (code) => process.exit(code),
    (error: unknown) => {
      console.error(error instanceof Error ? error.message : error);
      process.exit(1);
    },
  );
}

/** Jest's own exit code. */
function spawnJest(jestArguments: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  // More than there are cores: a test that starts a process or a browser waits for it for most of its time.
  const workers = Math.min(4, availableParallelism() + 2);
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      join(ROOT, 'node_modules/jest/bin/jest.js'),
      `--maxWorkers=${workers}`,
      '--json',
      ...jestArguments,
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
function readCounts(report: string, status: number): Counts {
  const least = status === 0 ? 0 : 1;
  if (!existsSync(report)) return { passed: 0, failed: least };
  const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = JSON.parse(
    readFileSync(report, 'utf8'),
  );
  return { passed: numPassedTests, failed: Math.max(least, numFailedTests + numRuntimeErrorTestSuites) };
}
