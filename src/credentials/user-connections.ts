import { LRUCache } from 'lru-cache';
import type { Provider } from '../catalog/provider.schema.ts';
import { HttpError } from '../http/errors.ts';
import { isTransientStoreError } from '../platform/postgres/store-errors.ts';
import type { Providers } from '../providers/custom-providers.ts';
import type { ConnectionChoice, Credential, MaybePromise, ResolvedConnection } from '../proxy/contract.ts';
import type { AccessTokens, RefreshResult } from './access-tokens.ts';
import type { UserConnections, UserConnectionsStore } from './user-connections.store.ts';
import { apiFieldsOf, lifeOf, type WarmConnection, warmed } from './warm-connection.ts';

/** A net under the change notices: whatever was missed is found within this time. */
const FRESH_MS = 30_000;
/** Below this much life left a token is not sent out any more while its refresh is under way. */
const WAIT_BELOW_MS = 15_000;
/** How long a call waits for a refresh while its token is still valid: a token endpoint that hangs is no outage yet. */
const PATIENCE_MS = 2_000;
/** After a refresh ahead of expiry that failed or hangs, the next one is asked for no sooner than this. */
const RETRY_AHEAD_MS = 5_000;
const ENTRIES_MAX = 20_000;

type Entry = {
  readonly projectId: string;
  /** Null while the user is none that the store knows. */
  readonly endUserId: string | null;
  readonly integrationIds: readonly string[];
  readonly connections: readonly WarmConnection[];
  freshUntilMs: number;
};

/**
 * Which connection a proxied call goes out on, and with which credential, from memory when warm. Entries are dropped
 * on change notices; when the store cannot be reached, a stale entry keeps serving until its access token expires.
 */
export function createUserConnections(deps: {
  providers: Providers;
  store: UserConnectionsStore;
  accessTokens: AccessTokens;
  log: { warn(fields: object, message: string): void };
  now(): number;
  random(): number;
}) {
  const entries = new LRUCache<string, Entry>({ max: ENTRIES_MAX });
  const loading = new Map<string, Promise<Entry>>();
  const warmOf = new WeakMap<ResolvedConnection, WarmConnection>();
  let generation = 0;

  function resolve(choice: ConnectionChoice): MaybePromise<ResolvedConnection> {
    const key = `${choice.projectId} ${choice.provider} ${choice.user.subject}`;
    const entry = entries.get(key);
    if (entry === undefined || entry.freshUntilMs <= deps.now()) {
      return resolveAnew(key, choice, entry);
    }
    try {
      return usable(choose(entry, choice));
    } catch {
      // A refusal is never given from memory: the connection may have been made a moment ago by another process.
      return resolveAnew(key, choice, entry);
    }
  }

  async function resolveAnew(
    key: string,
    choice: ConnectionChoice,
    stale: Entry | undefined,
  ): Promise<ResolvedConnection> {
    const loaded = await reload(key, choice, stale);
    try {
      return usable(choose(loaded, choice));
    } catch (error) {
      // The store is away: what memory does not know may be there.
      if (loaded === stale) throw new HttpError('store_unavailable', { cause: error });
      throw error;
    }
  }

  function reload(key: string, choice: ConnectionChoice, stale: Entry | undefined): Promise<Entry> {
    // A reading that began before the last change is not shared with calls that came after it.
    const reading = `${generation} ${key}`;
    const running = loading.get(reading);
    if (running !== undefined) return running;
    const started = load(key, choice, stale).finally(() => loading.delete(reading));
    loading.set(reading, started);
    return started;
  }

  async function load(key: string, choice: ConnectionChoice, stale: Entry | undefined): Promise<Entry> {
    const startedIn = generation;
    try {
      const provider = await deps.providers.find(choice.projectId, choice.provider);
      if (provider === undefined) throw new HttpError('provider_unknown');
      const found = await deps.store.load(choice.projectId, choice.user.subject, provider);
      const entry = prepare(provider, choice.projectId, found, deps);
      for (const connection of entry.connections) warmOf.set(connection.resolved, connection);
      // A change that was announced while we read may not be in what we read.
      if (startedIn === generation && found.integrations.length > 0) entries.set(key, entry);
      return entry;
    } catch (error) {
      if (!isTransientStoreError(error)) throw error;
      if (stale === undefined) throw new HttpError('store_unavailable', { cause: error });
      // Ask again soon, but not on every call: the store is down, not slow.
      stale.freshUntilMs = deps.now() + 1_000;
      return stale;
    }
  }

  function credential(connection: ResolvedConnection): MaybePromise<Credential> {
    const warm = warmConnection(connection);
    const now = deps.now();
    if (now < warm.refreshFromMs) return warm.credential;
    if (warm.renewal === undefined) return warm.credential;
    if (now < warm.expiresAtMs - WAIT_BELOW_MS) {
      // Still good for a while: this call does not wait for the refresh that it starts.
      warm.refreshFromMs = Math.min(now + RETRY_AHEAD_MS, warm.expiresAtMs - WAIT_BELOW_MS);
      refreshed(warm).catch((error: unknown) =>
        deps.log.warn({ err: error }, 'refresh ahead of expiry failed'),
      );
      return warm.credential;
    }
    const refreshing = refreshed(warm);
    if (now >= warm.expiresAtMs) return refreshing;
    const stillValid = (): Credential => {
      warm.refreshFromMs = Math.min(deps.now() + RETRY_AHEAD_MS, warm.expiresAtMs);
      return warm.credential;
    };
    const unlessDead = refreshing.catch((error: unknown) => {
      const dead = error instanceof HttpError && error.code === 'reauthorization_required';
      if (deps.now() < warm.expiresAtMs && !dead) return stillValid();
      throw error;
    });
    return settledWithin(Math.min(PATIENCE_MS, (warm.expiresAtMs - now) / 2), unlessDead, stillValid);
  }

  function warmConnection(connection: ResolvedConnection): WarmConnection {
    const warm = warmOf.get(connection);
    if (warm === undefined) throw new TypeError('a connection that this cache did not resolve');
    return warm;
  }

  async function refreshed(warm: WarmConnection): Promise<Credential> {
    const { connectionId, projectId } = warm.resolved;
    const version = warm.credential.version;
    return adopt(
      warm,
      await withStore(() => deps.accessTokens.refresh({ connectionId, projectId, version })),
    );
  }

  async function refreshAfter401(
    connection: ResolvedConnection,
    used: Credential,
  ): Promise<Credential | null> {
    const warm = warmConnection(connection);
    // A token that renews itself is no good for that once the provider refuses it.
    if (warm.renewal === undefined || warm.renewal === 'access-token') return null;
    if (warm.credential.version !== used.version) return warm.credential;
    const { connectionId, projectId } = connection;
    const target = { connectionId, projectId, version: used.version };
    const isByClient = warm.renewal === 'client';
    const result = await withStore(() => deps.accessTokens.refreshAfter401(target, { isByClient })).catch(
      () => null,
    );
    if (result === null) return null;
    // A passing failure leaves the provider's own 401 to speak; a dead refresh token is ours to tell.
    if (!result.ok && result.code !== 'reauthorization_required') return null;
    return adopt(warm, result);
  }

  function adopt(warm: WarmConnection, result: RefreshResult): Credential {
    if (!result.ok) {
      const { connectionId } = warm.resolved;
      throw new HttpError(result.code, {
        ...(result.code === 'reauthorization_required' && { extra: { connectionId } }),
        ...(result.retryAfterSeconds && { headers: { 'Retry-After': String(result.retryAfterSeconds) } }),
      });
    }
    const { state } = result;
    if (state.version > warm.credential.version) {
      Object.assign(warm, lifeOf(warm.provider, state.expiresAt, state.lifetimeSeconds, warm.spread));
      const values = { ...warm.integrationValues, ...state.variables, ...state.credentials.values };
      Object.assign(warm.resolved, apiFieldsOf(warm.provider, values));
      warm.credential = { version: state.version, values };
    }
    return warm.credential;
  }

  return {
    resolve,
    credential,
    refreshAfter401,
    /** Drops what a change is about: one user's connections, or all of the project where no user is named. */
    invalidate(projectId: string, endUserId: string | undefined): void {
      generation += 1;
      for (const [key, entry] of entries.entries()) {
        if (entry.projectId !== projectId) continue;
        if (endUserId === undefined || entry.endUserId === null || entry.endUserId === endUserId) {
          entries.delete(key);
        }
      }
    },
    /** Notices may have been missed: everything is read again, or served stale while the store is away. */
    distrustAll(): void {
      generation += 1;
      for (const entry of entries.values()) entry.freshUntilMs = 0;
    },
  };
}

async function withStore<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isTransientStoreError(error)) throw new HttpError('store_unavailable', { cause: error });
    throw error;
  }
}

/** What `promise` gives, or `otherwise` where that takes longer than `limitMs`. */
function settledWithin<T>(limitMs: number, promise: Promise<T>, otherwise: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(otherwise()), limitMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * The connection that the call's headers choose. Throws `*_not_found` where there is none, `connection_ambiguous` where
 * there are several.
 */
function choose(entry: Entry, choice: ConnectionChoice): WarmConnection {
  const { connections } = entry;
  const only = connections[0];
  if (connections.length === 1 && !choice.connectionId && !choice.integrationId && only !== undefined)
    return only;
  if (entry.integrationIds.length === 0) throw new HttpError('integration_not_found');
  const { connectionId, integrationId } = choice;
  if (integrationId !== undefined && !entry.integrationIds.includes(integrationId.toLowerCase())) {
    throw new HttpError('integration_not_found');
  }
  const candidates = connections.filter(
    (connection) =>
      (connectionId === undefined || connection.resolved.connectionId === connectionId.toLowerCase()) &&
      (integrationId === undefined || connection.resolved.integrationId === integrationId.toLowerCase()),
  );
  const [first, second] = candidates;
  if (first === undefined) throw new HttpError('connection_not_found');
  if (second !== undefined) {
    throw new HttpError('connection_ambiguous', {
      extra: { connectionIds: candidates.map(({ resolved }) => resolved.connectionId) },
    });
  }
  return first;
}

function usable({ status, resolved }: WarmConnection): ResolvedConnection {
  if (status === 'active') return resolved;
  throw new HttpError('reauthorization_required', { extra: { connectionId: resolved.connectionId } });
}

function prepare(
  provider: Provider,
  projectId: string,
  found: UserConnections,
  { now, random }: { now(): number; random(): number },
): Entry {
  const valuesOf = new Map(found.integrations.map(({ id, values }) => [id, values]));
  return {
    projectId,
    endUserId: found.endUserId,
    integrationIds: found.integrations.map(({ id }) => id),
    connections: found.connections.map((connection) =>
      warmed(provider, projectId, valuesOf.get(connection.integrationId) ?? {}, connection, random()),
    ),
    freshUntilMs: now() + FRESH_MS,
  };
}
