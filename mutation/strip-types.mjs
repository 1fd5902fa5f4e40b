import { stripTypeScriptTypes } from 'node:module';

/** A transformer of jest's: what Node itself does to TypeScript, for the contexts of the mutation tester's runs. */
export default {
  process: (text) => ({ code: stripTypeScriptTypes(text) }),
};
