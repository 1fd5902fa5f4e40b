import { exitWith, printCounts, runJest } from './run-jest.ts';

/**
 * `npm run test:faults`: faults of networks, providers and the store, and processes that are killed at every step of what they do.
 * Arguments go to jest.
 */
exitWith(async () => {
  const run = await runJest(
    ['--config=test/faults/long/jest.config.mjs', ...process.argv.slice(2)],
    process.env,
  );
  printCounts(run);
  return run.failed === 0 ? 0 : run.status || 1;
});
