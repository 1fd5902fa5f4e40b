import { isDeepStrictEqual } from 'node:util';
import { withEvidence } from '../facts/evidence.ts';
import { type ProviderFile, providerFileSchema } from '../schema/provider.schema.ts';
import type { Bundle } from './builtin-providers.ts';

/** Fields that only say where facts are from; a provider has none of them. */
const PROVENANCE = new Set(['sources', 'agree', 'conflicts']);

/** The text of a bundle of provider files, an entry a line, by id. Throws where a file has faults. */
export function writeBundle(contents: readonly unknown[]): string {
  const required = { id: 'x', name: 'x', auth: 'basic', apiBaseUrl: 'https://x.example' };
  const { id, name, auth, apiBaseUrl, ...defaults } = providerFileSchema.parse(required);
  const files = contents
    .map((content) => withEvidence(providerFileSchema.parse(content)))
    .sort((left, right) => (left.id < right.id ? -1 : 1));
  const lines = files.map((file) => JSON.stringify(withoutDefaults(file, defaults)));
  return `{"defaults":${JSON.stringify(defaults)},\n"providers":[\n${lines.join(',\n')}\n]}\n`;
}

function withoutDefaults(file: ProviderFile, defaults: Bundle['defaults']) {
  const usual = new Map(Object.entries(defaults));
  return Object.fromEntries(
    Object.entries(file).filter(
      ([field, value]) =>
        !PROVENANCE.has(field) && !(usual.has(field) && isDeepStrictEqual(value, usual.get(field))),
    ),
  );
}
