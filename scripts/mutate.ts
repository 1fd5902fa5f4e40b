import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { installPackage } from './install-package.ts';
import { createRunFolder } from './run-folder.ts';
import { exitWith } from './run-jest.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PACKAGE = 'mutation';
const USAGE = `npm run mutate -- <folder or file below src> [folder below test]

Changes the code in small ways, one at a time, and runs the tests that execute the changed line: what no test notices is
listed. Exits with 1 where they notice less than 85 %. A folder takes from minutes to hours; a file is a good start:

  npm run mutate -- credentials/refreshing/refresh-state.ts
  npm run mutate -- http`;

/** `npm run mutate`: Stryker on one folder or file, with one Postgres for all of its test runs. */
exitWith(async () => {
  const [mutated, tests = mutated?.split('/')[0]] = process.argv.slice(2);
  if (mutated === undefined || tests === undefined || !isThere('src', mutated) || !isThere('test', tests)) {
    console.error(USAGE);
    return 1;
  }
  installPackage(PACKAGE);
  const isFolder = statSync(join(ROOT, 'src', mutated)).isDirectory();
  const folder = createRunFolder();
  process.env.TMPDIR = folder.path;
  const stopPostgres = await startPostgres();
  try {
    return await runStryker({
      MUTATED_FILES: isFolder ? `${mutated}/**/*.ts` : mutated,
      MUTATION_TESTS: tests,
    });
  } finally {
    await stopPostgres();
    folder.remove();
  }
});

function isThere(...path: readonly string[]): boolean {
  return existsSync(join(ROOT, ...path));
}

/** Jest's global set-up would start a server for each change of the code; it takes this one by the environment. */
async function startPostgres(): Promise<() => Promise<void>> {
  const { default: setUp } = await import('../test/support/jest-setup.ts');
  const { default: tearDown } = await import('../test/support/jest-teardown.ts');
  await setUp();
  return tearDown;
}

/** Stryker's exit code. */
function runStryker(env: Readonly<Record<string, string>>): Promise<number> {
  const command = [join(ROOT, PACKAGE, 'node_modules/@stryker-mutator/core/bin/stryker.js'), 'run'];
  const child = spawn(process.execPath, [...command, `${PACKAGE}/stryker.config.mjs`], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}
