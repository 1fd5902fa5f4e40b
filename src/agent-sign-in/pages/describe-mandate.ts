import type { MandateEntry } from '../../mandates/mandate.schema.ts';
import type { UserMandate } from '../../mandates/user-mandate.ts';
import type { Texts } from '../texts/en.ts';

const PATHS_SHOWN_MAX = 5;

/** What a mandate allows, in sentences: of each part one list, all of which have to allow a call. */
export function describeMandate(
  texts: Texts,
  mandate: UserMandate | undefined,
  nameOf: (provider: string) => string,
): readonly (readonly string[])[] {
  if (mandate === undefined) return [[texts.everything]];
  if (mandate.refusal !== undefined) return [[texts.nothing]];
  return mandate.parts.map(({ entries }) => entries.map((entry) => describeEntry(texts, entry, nameOf)));
}

/** Providers that a mandate names. */
export function listProviders(mandate: UserMandate | undefined): readonly string[] {
  const entries = mandate?.parts.flatMap((part) => part.entries) ?? [];
  return [...new Set(entries.map(({ provider }) => provider))];
}

function describeEntry(texts: Texts, entry: MandateEntry, nameOf: (provider: string) => string): string {
  const { provider, access, connectionId, methods, paths, approval, perHour } = entry;
  const service = nameOf(provider);
  const parts = [
    access === 'read' ? texts.read(service) : texts.write(service),
    connectionId !== undefined && texts.oneAccount,
    methods !== undefined && texts.methods(methods.join(', ')),
    paths !== undefined && texts.paths(shorten(paths)),
    approval !== 'none' && texts.asks,
    perHour !== undefined && texts.perHour(perHour),
  ];
  return parts.filter((part) => part !== false).join(', ');
}

function shorten(paths: readonly string[]): string {
  const shown = paths.slice(0, PATHS_SHOWN_MAX).join(' ');
  return paths.length > PATHS_SHOWN_MAX ? `${shown} …` : shown;
}
