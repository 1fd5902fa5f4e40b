import { LRUCache } from 'lru-cache';
import type { Catalog } from '../catalog/catalog.ts';
import type { Provider } from '../catalog/provider.schema.ts';
import type { ProviderOptions } from '../catalog/provider-from-file.ts';
import { countSharedStoreTime, withoutStoreLimit } from '../platform/postgres/store-time.ts';
import { isCustomId, providerFromDescription } from './custom-description.ts';
import type { CustomProviderRow } from './custom-providers.store.ts';

/** A net under the change notices: whatever was missed is found within this time. */
const FRESH_MS = 30_000;
const PROJECTS_MAX = 10_000;
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

type Held = { readonly byId: ReadonlyMap<string, Provider>; readonly size: number; freshUntilMs: number };

export type CustomProviders = ReturnType<typeof createCustomProviders>;

/**
 * Keeps the providers that projects describe themselves in memory, until a change of them is announced. When the store
 * is away, what is held goes on.
 */
export function createCustomProviders(deps: {
  catalog: Catalog;
  load(projectIds: readonly string[]): Promise<CustomProviderRow[]>;
  options: ProviderOptions;
  now(): number;
  log: { warn(fields: object, message: string): void };
}) {
  const held = new LRUCache<string, Held>({
    max: PROJECTS_MAX,
    maxSize: DESCRIPTIONS_LENGTH_MAX,
    sizeCalculation: ({ size }) => size,
  });
  const loading = new Map<string, Promise<Held>>();
  let generation = 0;

  function find(projectId: string, id: string): Provider | undefined | Promise<Provider | undefined> {
    if (!isCustomId(id)) return deps.catalog.find(id);
    const known = held.get(projectId);
    const provider = known?.byId.get(id);
    if (known !== undefined && provider !== undefined && known.freshUntilMs > deps.now()) return provider;
    return load(projectId).then(
      (loaded) => loaded.byId.get(id),
      (error: unknown) => {
        if (provider === undefined) throw error;
        return provider;
      },
    );
  }

  /**
   * For what is needed before it is known who calls: only a project that is not in memory at all is read, so that
   * guessed ids cost nothing, and nobody waits for a second reading.
   */
  function findEarly(projectId: string, id: string): Provider | undefined | Promise<Provider | undefined> {
    if (!isCustomId(id)) return deps.catalog.find(id);
    const known = held.get(projectId);
    if (known === undefined) {
      return load(projectId).then(
        ({ byId }) => byId.get(id),
        () => undefined,
      );
    }
    if (known.freshUntilMs <= deps.now()) load(projectId).catch(() => undefined);
    return known.byId.get(id);
  }

  function load(projectId: string): Promise<Held> {
    // A reading that began before the last change is not shared with whoever asks after it.
    const reading = `${generation} ${projectId}`;
    const running = loading.get(reading);
    if (running !== undefined) return countSharedStoreTime(running);
    // Others may share it: it must not be cut when the request that began it has no time left for the store.
    const started = withoutStoreLimit(() => read(projectId)).finally(() => loading.delete(reading));
    loading.set(reading, started);
    return countSharedStoreTime(started);
  }

  async function read(projectId: string): Promise<Held> {
    const startedIn = generation;
    const rows = await deps.load([projectId]);
    const providers = rows.flatMap((row) => made(row) ?? []);
    const byId = new Map(providers.map(({ provider }) => [provider.id, provider]));
    const size = 1 + rows.reduce((sum, row) => sum + JSON.stringify(row.description).length, 0);
    const entry = { byId, size, freshUntilMs: deps.now() + FRESH_MS };
    if (startedIn === generation) held.set(projectId, entry);
    return entry;
  }

  /** A description that was good once and is not any more (private networks are no longer allowed) serves nobody. */
  function made(row: CustomProviderRow): CustomProvider | undefined {
    const loaded = providerFromDescription(row.description, deps.options);
    if (loaded.ok) return { row, provider: loaded.provider };
    const fault = loaded.faults[0]?.path.map(String).join('.');
    deps.log.warn({ provider: row.provider, projectId: row.projectId, fault }, 'custom provider unusable');
    return undefined;
  }

  return {
    find,
    findEarly,
    made,
    invalidate(projectId: string): void {
      generation += 1;
      held.delete(projectId);
    },
    /** Notices may have been missed: everything is read again. */
    markAllStale(): void {
      generation += 1;
      for (const entry of held.values()) entry.freshUntilMs = 0;
    },
  };
}
