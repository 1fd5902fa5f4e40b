import shared from '../../../jest.config.mjs';

/** The root's own settings: same runner, same Postgres. These run what the documents say, and look at the built site. */
export default {
  ...shared,
  rootDir: '../../..',
  testMatch: ['<rootDir>/test/documents/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  reporters: ['default', ['<rootDir>/test/support/jest-hang-reporter.mjs', { fileMinutesMax: 20 }]],
};
