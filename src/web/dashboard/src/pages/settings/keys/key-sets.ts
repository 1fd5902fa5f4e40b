import type { Schema } from '../../../api/schemas.ts';

export type ApiKeyScope = Exclude<Schema<'ApiKeyScope'>, '*'>;

/** Sets of scopes by their use, so that few operators have to know scopes. */
const SETS = {
  everything: ['*'],
  backend: ['integrations:read', 'connections:write', 'users:tokens', 'connect', 'events:read'],
  readOnly: ['integrations:read', 'connections:read', 'events:read', 'projects:read', 'activity:read'],
  events: ['events:read'],
} as const satisfies Readonly<Record<string, readonly Schema<'ApiKeyScope'>[]>>;

export type NamedKeySet = keyof typeof SETS;
export type KeySet = NamedKeySet | 'custom';

/** A scope that holds another one, which needs no mark of its own then. */
const INCLUDED: Readonly<Partial<Record<ApiKeyScope, ApiKeyScope>>> = {
  'integrations:write': 'integrations:read',
  'connections:write': 'connections:read',
  'events:manage': 'events:read',
  'projects:write': 'projects:read',
};

export function getScopes(set: NamedKeySet): readonly Schema<'ApiKeyScope'>[] {
  return SETS[set];
}

/** The set that has exactly these scopes. */
export function findSet(scopes: readonly string[]): KeySet {
  const isSame = (set: readonly string[]) =>
    set.length === scopes.length && set.every((name) => scopes.includes(name));
  if (isSame(SETS.everything)) return 'everything';
  if (isSame(SETS.backend)) return 'backend';
  if (isSame(SETS.readOnly)) return 'readOnly';
  return isSame(SETS.events) ? 'events' : 'custom';
}

/** Whether another one of the chosen scopes gives this one already. */
export function isIncluded(scope: ApiKeyScope, chosen: readonly string[]): boolean {
  return Object.entries(INCLUDED).some(([holder, held]) => held === scope && chosen.includes(holder));
}
