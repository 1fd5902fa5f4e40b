export default {
  testEnvironment: '<rootDir>/test/support/jest-environment.mjs',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2024' },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  globalSetup: '<rootDir>/test/support/jest-setup.ts',
  globalTeardown: '<rootDir>/test/support/jest-teardown.ts',
  // Only ends what hangs: a test that starts processes takes a multiple of its usual time on a busy machine.
  testTimeout: 180_000,
};
