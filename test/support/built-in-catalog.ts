import { loadCatalog } from '../../src/catalog/loading/catalog.ts';

/**
 * The built-in providers as a gateway on the internet has them, made once for all files of a worker. They are of the
 * bundle: that it says what the files say is for test/catalog/builtin-providers.test.ts.
 */
export const builtInCatalog = loadCatalog({ allowPrivateNetworks: false });
