import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative, resolve } from 'node:path';
import {
  type Counts,
  countTests,
  type JestReport,
  listDisturbedFiles,
  parseReport,
  replaceResults,
} from './jest-report.ts';
import { createRunFolder } from './run-folder.ts';

const ROOT = resolve(import.meta.dirname, '..');

export type JestRun = Counts & { readonly status: number };
type ReportedRun = { readonly status: number; readonly report: JestReport | undefined };

/**
 * Runs jest in processes of Node itself. Gives its exit code, and the tests that passed and failed. Where all files were run
 * and a few failed, these run once more by themselves, and their second result counts (decision 0086).
 */
export async function runJest(jestArguments: readonly string[], env: NodeJS.ProcessEnv): Promise<JestRun> {
  const folder = createRunFolder();
  try {
    const run = (given: readonly string[]) =>
      reportJest(join(folder.path, 'report.json'), given, { ...env, TMPDIR: folder.path });
    // More than there are cores: a test that starts a process or a browser waits for it for most of its time.
    const workers = Math.min(4, availableParallelism() + 2);
    const first = await run([`--maxWorkers=${workers}`, ...jestArguments]);
    // Who names files waits for their failures.
    if (jestArguments.some((argument) => !argument.startsWith('--'))) return toCounts(first);
    return toCounts(
      await repeatDisturbed(first, (paths) =>
        run(['--maxWorkers=1', ...jestArguments, '--runTestsByPath', ...paths]),
      ),
    );
  } finally {
    folder.remove();
  }
}

async function repeatDisturbed(
  first: ReportedRun,
  runAlone: (paths: readonly string[]) => Promise<ReportedRun>,
): Promise<ReportedRun> {
  const disturbed = first.report === undefined ? [] : listDisturbedFiles(first.report);
  if (first.report === undefined || disturbed.length === 0) return first;
  console.error(`\nOnce more, by themselves, for what failed:\n${listPaths(disturbed)}`);
  const second = await runAlone(disturbed);
  if (second.report === undefined) return first;
  const passed = disturbed.filter((path) => !listFailed(second.report).includes(path));
  if (passed.length > 0)
    console.error(`\nFailed beside others, passed by themselves (mend these):\n${listPaths(passed)}`);
  return { status: second.status, report: replaceResults(first.report, second.report) };
}

const listPaths = (paths: readonly string[]) => paths.map((path) => `  ${relative(ROOT, path)}\n`).join('');

const listFailed = (report: JestReport | undefined) =>
  (report?.testResults ?? []).filter(({ status }) => status === 'failed').map(({ name }) => name);

/** A run that failed for another reason than a test counts as one failure (no report, a broken setup). */
function toCounts({ status, report }: ReportedRun): JestRun {
  const { passed, failed } = report === undefined ? { passed: 0, failed: 0 } : countTests(report);
  return { status, passed, failed: Math.max(status === 0 ? 0 : 1, failed) };
}

async function reportJest(
  path: string,
  jestArguments: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<ReportedRun> {
  rmSync(path, { force: true });
  const status = await spawnJest([`--outputFile=${path}`, ...jestArguments], env);
  return { status, report: existsSync(path) ? parseReport(readFileSync(path, 'utf8')) : undefined };
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
  const child = spawn(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      join(ROOT, 'node_modules/jest/bin/jest.js'),
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
