import shared from '../jest.config.mjs';

/** The root's own settings: same runner, same Postgres, other tests. */
export default {
  ...shared,
  rootDir: '..',
  testMatch: ['<rootDir>/test-kms/*.test.ts'],
};
