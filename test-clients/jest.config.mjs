import shared from '../jest.config.mjs';

/** The root's own settings: same transform, same Postgres, other tests. */
export default {
  ...shared,
  rootDir: '..',
  testMatch: ['<rootDir>/test-clients/**/*.test.ts'],
};
