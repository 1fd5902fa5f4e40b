import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { listSources } from '../src/catalog/facts/evidence.ts';
import { type Provider, providerFileSchema } from '../src/catalog/schema/provider.schema.ts';

/** What an entry says of the hosts that its API has: the first of these that holds. */
export type HostFact = 'further' | 'variable' | 'one' | 'unknown';

const FOLDER = join(import.meta.dirname, '../src/catalog/providers');
const sayOneHost = readSayOneHost();

/** `one` is the word of a source; a file that names no further host says nothing by that alone. */
export function findHostFact({ id, hosts, apiBaseUrl }: Provider): HostFact {
  if (Object.keys(hosts).length > 0) return 'further';
  if (/^([a-z]+:\/\/)?[^/]*\{/.test(apiBaseUrl)) return 'variable';
  return sayOneHost.has(id) ? 'one' : 'unknown';
}

/** Entries of which a source says that they have one host: a loaded entry has no sources, so files are read. */
function readSayOneHost(): ReadonlySet<string> {
  const texts = readdirSync(FOLDER).map((name) => readFileSync(join(FOLDER, name), 'utf8'));
  const files = texts
    .filter((text) => text.includes('oneHost'))
    .map((text) => providerFileSchema.parse(parse(text)));
  return new Set(
    files
      .filter((file) => listSources(file).some(({ says }) => says.includes('oneHost')))
      .map(({ id }) => id),
  );
}
