import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CatalogError, loadCatalog } from '../src/catalog/catalog.ts';

/**
 * Checks the built-in provider files, and those of a directory given as argument, as the start of the gateway would:
 * `node scripts/check-providers.ts [--allow-private-networks] [directory]`. Exit code 1 when there is a fault.
 */
const { values, positionals } = parseArgs({
  options: { 'allow-private-networks': { type: 'boolean', default: false } },
  allowPositionals: true,
});

try {
  const catalog = loadCatalog({
    builtInDirectory: join(import.meta.dirname, '../src/catalog/providers'),
    extraDirectory: positionals[0],
    allowPrivateNetworks: values['allow-private-networks'],
  });
  console.log(`${catalog.list().length} providers, no faults`);
} catch (error) {
  if (!(error instanceof CatalogError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
