import { compilePattern, matchesPath, normalizePath } from '../../mandates/paths.ts';
import type { Provider } from '../schema/provider.schema.ts';
import { splitHost } from '../schema/provider-access.schema.ts';

export type PresentRecord = NonNullable<Provider['records']>[number];

/** How a GET of the same path shows the record that this request changes; undefined where the file does not say so. */
export function findPresentRecord(
  { records = [] }: Pick<Provider, 'records'>,
  { method, host, path }: { readonly method: string; readonly host: string | null; readonly path: string },
): PresentRecord | undefined {
  const normalized = normalizePath(path);
  return records.find(
    ({ methods, paths }) =>
      methods.some((known) => known === method) &&
      paths
        .map(splitHost)
        .some(
          (entry) =>
            (entry.host === undefined || entry.host === (host ?? 'api')) &&
            matchesPath(compilePattern(entry.path), normalized),
        ),
  );
}
