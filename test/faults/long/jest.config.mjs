import shared from '../../../jest.config.mjs';

/** The root's own settings: same runner, same Postgres. These start a process for each step at which one is killed. */
export default {
  ...shared,
  rootDir: '../../..',
  testMatch: ['<rootDir>/test/faults/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  reporters: ['default', ['<rootDir>/test/support/jest-hang-reporter.mjs', { fileMinutesMax: 60 }]],
};
