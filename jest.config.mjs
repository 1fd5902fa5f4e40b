/** What the mutation tester shares (mutation/stryker.config.mjs): which tests, and the servers around them. */
export const shared = {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  // Minutes long, and by `npm run test:operations`, `npm run test:faults` and `npm run test:docs`.
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/test/operations/',
    '<rootDir>/test/faults/long/',
    '<rootDir>/test/documents/long/',
  ],
  globalSetup: '<rootDir>/test/support/jest-setup.ts',
  globalTeardown: '<rootDir>/test/support/jest-teardown.ts',
};

/**
 * Tests run as they are in Node itself, which strips their types: no transform, no context of their own for each file,
 * and modules that a worker has loaded for one file are there for the next (decision 0027).
 */
export default {
  ...shared,
  runner: '<rootDir>/test/support/jest-runner.mjs',
  testSequencer: '<rootDir>/test/support/jest-sequencer.ts',
  transform: {},
  setupFiles: ['<rootDir>/test/support/jest-worker.mjs'],
  setupFilesAfterEnv: ['<rootDir>/test/support/jest-progress.mjs'],
  reporters: ['default', '<rootDir>/test/support/jest-hang-reporter.mjs'],
};
