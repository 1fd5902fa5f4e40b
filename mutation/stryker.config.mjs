import { fileURLToPath } from 'node:url';

// What scripts/mutate.ts was asked for: files to change, below src/, and the folder of the tests that should notice.
const { MUTATED_FILES: files, MUTATION_TESTS: tests } = process.env;

export default {
  mutate: [`src/${files}`],
  testRunner: 'jest',
  plugins: [fileURLToPath(import.meta.resolve('@stryker-mutator/jest-runner'))],
  testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  jest: {
    projectType: 'custom',
    configFile: 'mutation/jest.config.mjs',
    // Stryker looks for `require` and knows no ES modules.
    enableFindRelatedTests: false,
    config: { testMatch: [`<rootDir>/test/${tests}/**/*.test.ts`] },
  },
  coverageAnalysis: 'perTest',
  // Changed texts of messages and logs are seen by few tests, and rightly so.
  mutator: { excludedMutations: ['StringLiteral'] },
  disableTypeChecks: false,
  tempDirName: 'mutation/sandbox',
  ignorePatterns: [
    '/data',
    '/test-clients',
    '/test-agents',
    '/test-deploy',
    '/test-kms',
    '/tools',
    '/docs/images',
    '/mutation/reports',
  ],
  reporters: ['clear-text', 'progress-append-only', 'json'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: 'mutation/reports/last.json' },
  concurrency: 2,
  timeoutMS: 20_000,
  thresholds: { high: 95, low: 85, break: 85 },
};
