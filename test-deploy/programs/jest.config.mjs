import shared from '../../jest.config.mjs';

/** Apart from the others of test-deploy/, since these need further programs (`npm run test:deploy`). */
export default {
  ...shared,
  rootDir: '../..',
  testMatch: ['<rootDir>/test-deploy/programs/*.test.ts'],
};
