import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { copyProject, type Mutant, readSourcePath, splitMutant } from './mutants.ts';

const ROOT = resolve(import.meta.dirname, '..');

/** Test files that one change is tried with: their time together, beyond which it counts as unnoticed. */
const TRIED_SECONDS_MAX = 60;
/** A change may make a test wait for ever. */
const SLOWER_TIMES = 2;
const START_SECONDS = 15;
const CHECK_SECONDS_MAX = 300;

export type TestFile = { readonly path: string; readonly seconds: number; readonly inItsFile: number };
export type Outcome = {
  readonly mutant: Mutant;
  /** `checked`: noticed by the types or the generated files, not by a test. */
  readonly result: 'noticed' | 'checked' | 'unnoticed' | 'not executed' | 'unclear';
};

type Judge = (mutant: Mutant, tests: readonly TestFile[]) => Promise<Outcome['result']>;

/** Tells what notices a change: its tests, else the checks of types and generated files in a copy at `checkedFolder`. */
export function createJudge(copy: string, checkedFolder: string): Judge {
  const tryMutant = createTrials(copy);
  const isInOrder = createCheck(checkedFolder);
  return async (mutant, tests) => {
    const result = await tryMutant(mutant, tests);
    const isMissed = result === 'unnoticed' || result === 'not executed';
    return isMissed && !(await isInOrder(mutant)) ? 'checked' : result;
  };
}

/** Tries one change with its tests. What fails must pass without the change, among the same trials beside it. */
function createTrials(copy: string): Judge {
  const passes = new Map<string, Promise<boolean>>();
  const isPassed = async (files: readonly TestFile[], env: Readonly<Record<string, string>>) => {
    const limit = START_SECONDS + SLOWER_TIMES * files.reduce((sum, test) => sum + test.seconds, 0);
    const options = ['--bail', '--maxWorkers=1', '--forceExit', '--runTestsByPath'];
    return (await runTests(copy, [...options, ...files.map(({ path }) => path)], env, limit)) === 0;
  };
  const isPassedUnchanged = (files: readonly TestFile[]) => {
    const key = files.map(({ path }) => path).join();
    const passed = passes.get(key) ?? isPassed(files, {});
    passes.set(key, passed);
    return passed;
  };
  return async (mutant, tests) => {
    if (tests.length === 0) return 'not executed';
    const tried = tests.slice(0, 1);
    let seconds = tried[0]?.seconds ?? 0;
    for (const test of tests.slice(1)) {
      if (seconds + test.seconds > TRIED_SECONDS_MAX) continue;
      tried.push(test);
      seconds += test.seconds;
    }
    for (const files of [tried.slice(0, 3), tried.slice(3)]) {
      if (files.length === 0 || (await isPassed(files, { __STRYKER_ACTIVE_MUTANT__: mutant.id }))) continue;
      return (await isPassedUnchanged(files)) ? 'noticed' : 'unclear';
    }
    return 'unnoticed';
  };
}

/**
 * Whether the types, and the files that are generated from the code (the OpenAPI document among them), still agree with a
 * change: asked of the source itself, one change after the other.
 */
function createCheck(folder: string): (mutant: Mutant) => Promise<boolean> {
  const copy = copyProject(folder);
  const checks = [
    [join(ROOT, 'node_modules/typescript/bin/tsc'), '--noEmit'],
    ['tools/generate.ts', '--check'],
  ];
  const isInOrder = async () => {
    for (const check of checks) if ((await run(copy, check, {}, CHECK_SECONDS_MAX)) !== 0) return false;
    return true;
  };
  const check = async (mutant: Mutant) => {
    const file = join(copy, readSourcePath(mutant));
    const { before, after, content } = splitMutant(mutant);
    writeFileSync(file, `${before}${mutant.replacement}${after}`);
    const passed = await isInOrder();
    writeFileSync(file, content);
    return passed;
  };
  let last = Promise.resolve(true);
  return (mutant) => (last = last.then(() => check(mutant)));
}

/** Jest's exit code; 1 where it took longer than the limit. */
export function runTests(
  copy: string,
  arguments_: readonly string[],
  env: Readonly<Record<string, string>>,
  limitSeconds: number,
): Promise<number> {
  const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
  const options = ['--config', 'mutation/sample.jest.config.mjs'];
  return run(
    copy,
    ['--disable-warning=ExperimentalWarning', jest, ...options, ...arguments_],
    env,
    limitSeconds,
  );
}

/** The exit code of a program in Node; 1 where it took longer than the limit. */
function run(
  folder: string,
  arguments_: readonly string[],
  env: Readonly<Record<string, string>>,
  limitSeconds: number,
): Promise<number> {
  const child = spawn(process.execPath, arguments_, {
    cwd: folder,
    stdio: 'ignore',
    detached: true,
    env: { ...process.env, ...env },
  });
  const timer = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), limitSeconds * 1000);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve(code ?? 1);
    });
  });
}
