import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { installPackage } from './install-package.ts';
import { exitWith, printCounts, runJest } from './run-jest.ts';

const ROOT = resolve(import.meta.dirname, '..');
const FOLDER = 'test-clients';

/** `npm run test:clients`: installs the providers' clients, checks the types of their tests and runs these. */
exitWith(async () => {
  installPackage(FOLDER);
  const hasTypeErrors = !checkTypes();
  const run = await runJest([`--config=${FOLDER}/jest.config.mjs`, ...process.argv.slice(2)], process.env);
  const failed = run.failed + (hasTypeErrors ? 1 : 0);
  printCounts({ passed: run.passed, failed });
  return failed === 0 ? 0 : run.status || 1;
});

/** The types of the tests in that folder; its packages must be installed, so `npm run typecheck` leaves it out. */
function checkTypes(): boolean {
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { status } = spawnSync(process.execPath, [compiler, '-p', FOLDER], { cwd: ROOT, stdio: 'inherit' });
  return status === 0;
}
