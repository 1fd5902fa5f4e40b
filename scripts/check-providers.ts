import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CatalogError, loadCatalog, loadProviderFile } from '../src/catalog/catalog.ts';
import { dryRun } from '../src/compose/custom-providers.ts';
import type { DryRun } from '../src/providers/custom-providers.schema.ts';

/**
 * Checks the built-in provider files, and those of a directory given as argument, as the start of the gateway would:
 * `node scripts/check-providers.ts [--allow-private-networks] [directory]`. With `--dry-run <file>` only that file is
 * checked, and every request that its provider would be sent is shown. Exit code 1 when there is a fault.
 */
const { values, positionals } = parseArgs({
  options: {
    'allow-private-networks': { type: 'boolean', default: false },
    'dry-run': { type: 'string' },
  },
  allowPositionals: true,
});
const options = { allowPrivateNetworks: values['allow-private-networks'] };
const PUBLIC_URL = 'https://gateway.example';
const file = values['dry-run'];

try {
  console.log(
    file === undefined ? checkAll() : describe(await dryRun(loadProviderFile(file, options), PUBLIC_URL)),
  );
} catch (error) {
  if (!(error instanceof CatalogError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

function checkAll(): string {
  const catalog = loadCatalog({
    builtInDirectory: join(import.meta.dirname, '../src/catalog/providers'),
    extraDirectory: positionals[0],
    ...options,
  });
  const providers = catalog.list();
  const grants = providers.flatMap((provider) => provider.grants).length;
  return `${providers.length} providers and ${grants} further grants, no faults`;
}

/** Each request as it would look on the wire, one after the other. */
function describe({ requests, notes }: DryRun): string {
  const shown = Object.entries(requests).flatMap(([name, request]) => {
    if (request === null) return [];
    const fields = Object.entries(request.headers).map(([field, value]) => `${field}: ${value}`);
    const body = request.body === null ? [] : ['', request.body];
    return [[`# ${name}`, `${request.method} ${request.url}`, ...fields, ...body].join('\n')];
  });
  return [...shown, ...notes.map((note) => `# note\n${note}`)].join('\n\n');
}
