import { LRUCache } from 'lru-cache';
import type { Catalog } from '../catalog/catalog.ts';
import type { Provider } from '../catalog/provider.schema.ts';
import type { ProviderOptions } from '../catalog/provider-from-file.ts';
import type { HttpError } from '../http/errors.ts';
import { isCustomId, providerFromStored } from './custom-description.ts';
import type { CustomProviderRow, CustomProviderVersion } from './custom-providers.store.ts';
import { unknownProvider } from './unknown-provider.ts';

/** A net under the change notices: whatever was missed is found within this time. */
const FRESH_MS = 30_000;
const PROJECTS_MAX = 10_000;
const PARSED_MAX = 10_000;
/** Of descriptions as text, all projects together. */
const DESCRIPTIONS_LENGTH_MAX = 64 * 1024 * 1024;

/** A project's own provider with the row that it was made of. */
export type CustomProvider = { readonly row: CustomProviderRow; readonly provider: Provider };

/** Which providers a project has: the catalog's, and its own. */
export type Providers = {
  /**
   * The provider that this project knows by this id. Answers at once where it can; a provider of the project's own that
   * is not in memory is looked for in the store before it counts as unknown.
   */
  find(projectId: string, id: string): Provider | undefined | Promise<Provider | undefined>;
};

/** For where callers name a provider. */
export type NamedProviders = Providers & {
  /** The refusal where `find` found nothing, with the id that was probably meant. */
  refusalOf(projectId: string, id: string): HttpError;
};

/** What a project has, without descriptions: those are read and parsed for the providers that somebody uses. */
type Held = { readonly byId: ReadonlyMap<string, CustomProviderVersion>; freshUntilMs: number };

/** A description parsed, or known to be unusable. Of one version, so that it is never out of date. */
type Parsed = { readonly provider: Provider | undefined };

export type CustomProviders = ReturnType<typeof createCustomProviders>;

/**
 * Keeps the providers that projects describe themselves in memory, until a change of them is announced. When the store
 * is away, what is held goes on.
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
  const held = new LRUCache<string, Held>({ max: PROJECTS_MAX });
  const parsed = new LRUCache<string, Parsed>({ max: PARSED_MAX, maxSize: DESCRIPTIONS_LENGTH_MAX });
  const loading = new Map<string, Promise<Held>>();
  const builtInIds = deps.catalog.list().map(({ id }) => id);
  let generation = 0;

  function find(projectId: string, id: string): Provider | undefined | Promise<Provider | undefined> {
    if (!isCustomId(id)) return deps.catalog.find(id);
    const known = held.get(projectId);
    const provider = parsedIn(known, id)?.provider;
    if (known !== undefined && provider !== undefined && known.freshUntilMs > deps.now()) return provider;
    return read(projectId, id).catch((error: unknown) => {
      if (provider === undefined) throw error;
      return provider;
    });
  }

  /**
   * For what is needed before it is known who calls: only a project that is not in memory at all is read, so that
   * guessed ids cost nothing, and nobody waits for a second reading.
   */
  function findEarly(projectId: string, id: string): Provider | undefined | Promise<Provider | undefined> {
    if (!isCustomId(id)) return deps.catalog.find(id);
    const known = held.get(projectId);
    const description = parsedIn(known, id);
    if (known === undefined || (known.byId.has(id) && description === undefined))
      return read(projectId, id).catch(() => undefined);
    if (known.freshUntilMs <= deps.now()) load(projectId).catch(() => undefined);
    return description?.provider;
  }

  /** The description, where the version that the project has is in memory. */
  function parsedIn(known: Held | undefined, id: string): Parsed | undefined {
    const version = known?.byId.get(id);
    return version && parsed.get(keyOf(version));
  }

  async function read(projectId: string, id: string): Promise<Provider | undefined> {
    const version = (await load(projectId)).byId.get(id);
    if (version === undefined) return undefined;
    const known = parsed.get(keyOf(version));
    if (known !== undefined) return known.provider;
    const [row] = await deps.findRows(projectId, id);
    return row && toProvider(row)?.provider;
  }

  function load(projectId: string): Promise<Held> {
    // A reading that began before the last change is not shared with whoever asks after it.
    const reading = `${generation} ${projectId}`;
    const running = loading.get(reading);
    if (running !== undefined) return running;
    const started = loadVersions(projectId).finally(() => loading.delete(reading));
    loading.set(reading, started);
    return started;
  }

  async function loadVersions(projectId: string): Promise<Held> {
    const startedIn = generation;
    const versions = await deps.listVersions(projectId);
    const byId = new Map(versions.map((version) => [version.provider, version]));
    const entry = { byId, freshUntilMs: deps.now() + FRESH_MS };
    if (startedIn === generation) held.set(projectId, entry);
    return entry;
  }

  /**
   * The provider of a row, parsed once for each version of it. Undefined where a description that was good once is not
   * any more (private networks are no longer allowed).
   */
  function toProvider(row: CustomProviderRow): CustomProvider | undefined {
    const known = parsed.get(keyOf(row)) ?? parse(row);
    return known.provider && { row, provider: known.provider };
  }

  function parse(row: CustomProviderRow): Parsed {
    const loaded = providerFromStored(row.description, deps.options);
    const result = { provider: loaded.ok ? loaded.provider : undefined };
    parsed.set(keyOf(row), result, { size: 1 + JSON.stringify(row.description).length });
    if (!loaded.ok) {
      const fault = loaded.faults[0]?.path.map(String).join('.');
      deps.log.warn({ provider: row.provider, projectId: row.projectId, fault }, 'custom provider unusable');
    }
    return result;
  }

  function refusalOf(projectId: string, id: string): HttpError {
    const own = held.get(projectId)?.byId.keys() ?? [];
    return unknownProvider(id, [...builtInIds, ...own]);
  }

  return {
    find,
    refusalOf,
    findEarly,
    toProvider,
    invalidate(projectId: string): void {
      generation += 1;
      held.delete(projectId);
    },
    /** Notices may have been missed: everything is read again. */
    distrustAll(): void {
      generation += 1;
      for (const entry of held.values()) entry.freshUntilMs = 0;
    },
  };
}

function keyOf({ id, version }: Pick<CustomProviderVersion, 'id' | 'version'>): string {
  return `${id} ${version}`;
}
