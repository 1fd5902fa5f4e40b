import config from '../jest.config.mjs';

/** The tests as they always run, in a copy of the project (scripts/mutate-sample.ts). */
export default {
  ...config,
  rootDir: '..',
  setupFiles: [...config.setupFiles, '<rootDir>/mutation/note-coverage.mjs'],
};
