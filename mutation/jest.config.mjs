import { shared } from '../jest.config.mjs';

/** Stryker counts coverage in an environment of jest's own, so its runs have jest's runner and a transformer. */
export default {
  ...shared,
  rootDir: '..',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '\\.ts$': '<rootDir>/mutation/strip-types.mjs' },
  testTimeout: 180_000,
};
