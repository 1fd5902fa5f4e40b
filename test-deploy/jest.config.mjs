import shared from '../jest.config.mjs';

/** The root's own settings: same runner, other tests. */
export default {
  ...shared,
  rootDir: '..',
  testMatch: ['<rootDir>/test-deploy/*.test.ts'],
};
