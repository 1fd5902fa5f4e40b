import { LRUCache } from 'lru-cache';
import type { Catalog } from '../catalog/loading/catalog.ts';
import type { ProviderOptions } from '../catalog/loading/provider-from-file.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import { withGrant } from '../catalog/schema/provider-auth-methods.ts';
import { HttpError } from '../http/errors.ts';
import { createAnnouncedCache } from '../platform/announced-cache.ts';
import { isCustomId, providerFromStored } from './custom-description.ts';
import type { CustomProviderRow, CustomProviderVersion } from './custom-providers.store.ts';
import { unknownProviderError } from './unknown-provider.ts';

const PROJECTS_MAX = 10_000;
const PARSED_MAX = 10_000;
/** A description counts for this at least, which bounds their number without memory for all of them from the start. */
const DESCRIPTION_LENGTH_MIN = 6_710;
/** Of descriptions as text, all projects together: 64 MiB. */
const DESCRIPTIONS_LENGTH_MAX = PARSED_MAX * DESCRIPTION_LENGTH_MIN;

/** A project's own provider with the row that it was made of. */
export type CustomProvider = { readonly row: CustomProviderRow; readonly provider: Provider };

/** Which providers a project has: the catalog's, and its own. */
export type Providers = {
  /**
   * The provider that this project knows by this id, as it is for one of its grants (null: its own). Answers at once
   * where it can; a provider of the project's own that is not in memory is looked for in the store before it counts as
   * unknown.
   */
  find(
    projectId: string,
    id: string,
    grant: string | null,
  ): Provider | undefined | Promise<Provider | undefined>;
};

/** For where callers name a provider. */
export type NamedProviders = Providers & {
  /** The refusal where `find` found nothing, with the id that was probably meant. */
  refusalOf(projectId: string, id: string): HttpError;
};

/** What a project has, by id and without descriptions: only those of providers in use are read and parsed. */
type Versions = ReadonlyMap<string, CustomProviderVersion>;

/** A description parsed, or known to be unusable. Of one version, so that it is never out of date. */
type Parsed = { readonly provider: Provider | undefined };

export type CustomProviders = ReturnType<typeof createCustomProviders>;

/**
 * Keeps the providers that projects describe themselves in memory, until a change of them is announced. While the store
 * is away, those in memory serve on.
 */
export function createCustomProviders(deps: {
  catalog: Catalog;
  /** Which providers a project has. */
  listVersions(projectId: string): Promise<CustomProviderVersion[]>;
  /** The rows of this id in the project, of which there is one at most. */
  findRows(projectId: string, id: string): Promise<CustomProviderRow[]>;
  options: ProviderOptions;
  now(): number;
  log: { warn(fields: object, message: string): void };
}) {
  const cache = createAnnouncedCache<Versions>({
    now: deps.now,
    entriesMax: PROJECTS_MAX,
    async load(projectId) {
      const versions = await deps.listVersions(projectId);
      // A project that has none is remembered for seconds only: ids of projects are easy to make up.
      return versions.length === 0 ? undefined : new Map(versions.map((each) => [each.provider, each]));
    },
    onBackgroundError(error, projectId) {
      deps.log.warn({ err: error, projectId }, 'the providers of a project could not be read');
    },
  });
  const parsed = new LRUCache<string, Parsed>({ maxSize: DESCRIPTIONS_LENGTH_MAX });

  function find(
    projectId: string,
    id: string,
    grant: string | null,
  ): Provider | undefined | Promise<Provider | undefined> {
    const found = findEntry(projectId, id);
    if (found instanceof Promise) return found.then((entry) => entry && withGrant(entry, grant));
    return found && withGrant(found, grant);
  }

  function findEntry(projectId: string, id: string): Provider | undefined | Promise<Provider | undefined> {
    if (!isCustomId(id)) return deps.catalog.find(id);
    return findParsed(cache.current(projectId, undefined), id)?.provider ?? read(projectId, id);
  }

  /**
   * For calls whose caller is not known yet: it reads only for a project that is not in memory at all, so that guessed
   * ids cost nothing. An entry that is out of date serves while it is read again.
   */
  function findEarly(projectId: string, id: string): Provider | undefined | Promise<Provider | undefined> {
    if (!isCustomId(id)) return deps.catalog.find(id);
    const current = cache.current(projectId, undefined);
    if (current === null) return undefined;
    const known = current ?? cache.peek(projectId);
    const description = findParsed(known, id);
    if (known === undefined || (known.has(id) && description === undefined))
      return read(projectId, id).catch(() => undefined);
    if (current === undefined) cache.load(projectId, undefined).catch(() => undefined);
    return description?.provider;
  }

  /** The description, where the version that the project has is in memory. */
  function findParsed(known: Versions | null | undefined, id: string): Parsed | undefined {
    const version = known?.get(id);
    return version && parsed.get(keyOf(version));
  }

  async function read(projectId: string, id: string): Promise<Provider | undefined> {
    const { value, isStale } = await cache.load(projectId, undefined);
    const version = value?.get(id);
    if (version === undefined && isStale) throw new HttpError('store_unavailable');
    if (version === undefined) return undefined;
    const known = parsed.get(keyOf(version));
    if (known !== undefined) return known.provider;
    const [row] = await deps.findRows(projectId, id);
    return row && toProvider(row)?.provider;
  }

  /**
   * The provider of a row, parsed once for each version of it. Undefined where a description has become invalid
   * (private networks are no longer allowed).
   */
  function toProvider(row: CustomProviderRow): CustomProvider | undefined {
    const known = parsed.get(keyOf(row)) ?? parse(row);
    return known.provider && { row, provider: known.provider };
  }

  function parse(row: CustomProviderRow): Parsed {
    const loaded = providerFromStored(row.description, deps.options);
    const result = { provider: loaded.ok ? loaded.provider : undefined };
    const { length } = JSON.stringify(row.description);
    parsed.set(keyOf(row), result, { size: Math.max(DESCRIPTION_LENGTH_MIN, length) });
    if (!loaded.ok) {
      const fault = loaded.faults[0]?.path.map(String).join('.');
      deps.log.warn({ provider: row.provider, projectId: row.projectId, fault }, 'custom provider unusable');
    }
    return result;
  }

  function refusalOf(projectId: string, id: string): HttpError {
    const own = cache.peek(projectId)?.keys() ?? [];
    return unknownProviderError(id, [...deps.catalog.ids(), ...own]);
  }

  return {
    find,
    refusalOf,
    findEarly,
    toProvider,
    invalidate: (projectId: string): void => cache.change(projectId, undefined),
    markAllStale: cache.markAllStale,
    setHasNotices: cache.setHasNotices,
  };
}

function keyOf({ id, version }: Pick<CustomProviderVersion, 'id' | 'version'>): string {
  return `${id} ${version}`;
}
