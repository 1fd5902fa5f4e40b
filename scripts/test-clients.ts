import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { installPackage } from './install-package.ts';
import { exitWith, printCounts, runJest } from './run-jest.ts';

const ROOT = resolve(import.meta.dirname, '..');
const FOLDERS = ['test-clients', 'test-agents', 'test-deploy', 'test-kms'];

/**
 * `npm run test:clients`: installs the providers' clients, and those of agents, checks the types of their tests and runs
 * these. Names of tests after `--` run these alone.
 */
exitWith(async () => {
  let passed = 0;
  let failed = 0;
  for (const folder of FOLDERS) {
    const counts = await runTests(folder, process.argv.slice(2));
    passed += counts.passed;
    failed += counts.failed;
  }
  printCounts({ passed, failed });
  return failed === 0 ? 0 : 1;
});

/** A run that ends badly without a failed test counts as one. */
async function runTests(folder: string, names: readonly string[]) {
  installPackage(folder);
  const hasTypeErrors = !checkTypes(folder);
  const settings = [`--config=${folder}/jest.config.mjs`, '--passWithNoTests'];
  const run = await runJest([...settings, ...names], process.env);
  const failed = Math.max(run.failed, run.status === 0 ? 0 : 1);
  return { passed: run.passed, failed: failed + (hasTypeErrors ? 1 : 0) };
}

/** The types of the tests in that folder; its packages must be installed, so `npm run typecheck` leaves it out. */
function checkTypes(folder: string): boolean {
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { status } = spawnSync(process.execPath, [compiler, '-p', folder], { cwd: ROOT, stdio: 'inherit' });
  return status === 0;
}
