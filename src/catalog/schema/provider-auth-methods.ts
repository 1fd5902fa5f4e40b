import type { FurtherAuthMethod, Provider, ProviderFile } from './provider.schema.ts';

export type GrantFile = ProviderFile['grants'][number];

/** A way to authenticate beside the entry's own. Most are never used, so its provider is made when it is first asked for. */
export class ProviderGrant implements FurtherAuthMethod {
  readonly id: string;
  readonly title: string;
  readonly purpose: string | undefined;
  readonly auth: Provider['auth'];
  readonly #make: () => Provider;
  #made: Provider | undefined;

  constructor({ id, title, purpose, auth }: GrantFile, make: () => Provider) {
    this.id = id;
    this.title = title;
    this.purpose = purpose;
    this.auth = auth;
    this.#make = make;
  }

  /** The entry as it is for this grant. */
  get provider(): Provider {
    this.#made ??= this.#make();
    return this.#made;
  }
}

const renamed = new WeakMap<Provider, Provider>();

/** The provider as it is for one of its grants (null: the entry's own); undefined where it has no such grant. */
export function withGrant(entry: Provider, grant: string | null): Provider | undefined {
  if (grant === null || grant === entry.auth) return entry;
  const found = entry.grants.find(({ id }) => id === grant)?.provider;
  if (found === undefined || found.id === entry.id) return found;
  // A project's own entry has another id than its description.
  const known = renamed.get(found) ?? { ...found, id: entry.id };
  renamed.set(found, known);
  return known;
}

/** Names of all ways to authenticate at an entry, its own first, which goes by its kind. */
export function listAuthMethodIds({ auth, grants }: Pick<Provider, 'auth' | 'grants'>): string[] {
  return [auth, ...grants.map(({ id }) => id)];
}

/** The entry, and what it is for each of its grants. */
export function listAuthMethods(entry: Provider): Provider[] {
  return [entry, ...entry.grants.flatMap(({ id }) => withGrant(entry, id) ?? [])];
}

/** What of an entry is an OAuth provider: of the other grants nothing is made. */
export function listOAuthMethods(entry: Provider): Provider[] {
  const found = entry.grants.filter(({ auth }) => auth === 'oauth2');
  return [entry, ...found.flatMap(({ id }) => withGrant(entry, id) ?? [])];
}

const places = new WeakMap<Provider, Provider['callerCredentials']>();

/**
 * Where callers of any of the entry's grants may put their token. The list stays the same object, since what is made of
 * it is kept by it.
 */
export function callerCredentialsOfAll(entry: Provider): Provider['callerCredentials'] {
  if (entry.grants.length === 0) return entry.callerCredentials;
  const known = places.get(entry);
  if (known !== undefined) return known;
  const all = listAuthMethods(entry).flatMap(({ callerCredentials }) => callerCredentials);
  const distinct = [...new Map(all.map((place) => [JSON.stringify(place), place])).values()];
  places.set(entry, distinct);
  return distinct;
}
