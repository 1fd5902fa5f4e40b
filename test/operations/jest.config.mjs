import shared from '../../jest.config.mjs';

/** The root's own settings: same runner, same Postgres. These take minutes, and programs of Postgres that not every machine has. */
export default {
  ...shared,
  rootDir: '../..',
  testMatch: ['<rootDir>/test/operations/*.test.ts'],
  testPathIgnorePatterns: [],
};
