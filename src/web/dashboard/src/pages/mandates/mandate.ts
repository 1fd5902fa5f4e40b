import type { Schema } from '../../api/schemas.ts';

export type Mandate = Schema<'Mandate'>;
/** As the API takes it: what is left out limits nothing. */
export type Entry = Schema<'MandateEntry'>;
export type Method = NonNullable<Entry['methods']>[number];

export const METHODS: readonly Method[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** What the API takes of one mandate. */
export const ENTRIES_MAX = 32;
export const ENTRY_PATHS_MAX = 64;
export const ENTRIES_LENGTH_MAX = 8 * 1024;

export const PATHS_OF_MANDATE = [
  '/projects/{projectId}/mandates',
  '/projects/{projectId}/mandates/{id}',
  '/activity',
] as const;

/** Each provider that the entries name, once. */
export function listProviders(entries: readonly Pick<Entry, 'provider'>[]): string[] {
  return [...new Set(entries.map(({ provider }) => provider).filter(Boolean))];
}
