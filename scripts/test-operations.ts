import { exitWith, printCounts, runJest } from './run-jest.ts';

/**
 * `npm run test:operations`: does what docs/operations.md tells operators to do, as it stands there, with real programs of
 * Postgres. Arguments go to jest.
 */
exitWith(async () => {
  const run = await runJest(
    ['--config=test/operations/jest.config.mjs', ...process.argv.slice(2)],
    process.env,
  );
  printCounts(run);
  return run.failed === 0 ? 0 : run.status || 1;
});
