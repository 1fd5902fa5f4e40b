import { templateValues } from '../../catalog/facts/template-values.ts';
import { HttpError } from '../../http/errors.ts';
import { settleWithin } from '../../lib/settle-within.ts';
import { createAnnouncedCache } from '../../platform/announced-cache.ts';
import { isTransientStoreError } from '../../platform/postgres/store-errors.ts';
import { withoutStoreLimit } from '../../platform/postgres/store-time.ts';
import type { Providers } from '../../providers/custom-providers.ts';
import type { ConnectionChoice, Credential, MaybePromise, ResolvedConnection } from '../../proxy/contract.ts';
import type { AccessTokens } from '../refreshing/access-tokens.ts';
import { isRenewable } from '../refreshing/refresh-method.ts';
import type { RefreshResult } from '../refreshing/refresh-result.ts';
import { choose, isAmbiguous, isNaming, requireActive, type UserEntry } from './choose-connection.ts';
import type { RefusedCalls } from './refused-calls.ts';
import type { NamedConnection, UserConnections, UserConnectionsStore } from './user-connections.store.ts';
import {
  apiFieldsOf,
  callValuesOf,
  prepareConnection,
  refreshSchedule,
  refreshTarget,
  type WarmConnection,
} from './warm-connection.ts';

/** Below this much life left a token is not sent out any more while its refresh is under way. */
const WAIT_BELOW_MS = 15_000;
/**
 * How long a call waits for a refresh while its token is still valid: a token endpoint that hangs must not become an
 * outage.
 */
const PATIENCE_MS = 2_000;
/** After a refresh ahead of expiry that failed or hangs, the next one is asked for no sooner than this. */
const RETRY_AHEAD_MS = 5_000;
const ENTRIES_MAX = 20_000;

/** No names: all of the user's connections to the provider. */
const ALL: NamedConnection = {};

/** A change of one user's connections, or of all of the project's where no user is named. */
type Change = { readonly endUserId: string | undefined };

/**
 * Which connection a proxied call goes out on, and with which credential, from memory when warm. Entries are dropped
 * on change notices; when the store cannot be reached, a stale entry keeps serving until its access token expires.
 */
export function createUserConnections(deps: {
  providers: Providers;
  store: UserConnectionsStore;
  accessTokens: Pick<AccessTokens, 'refresh' | 'refreshAfter401'>;
  /** Hears of credentials that the provider refuses and that cannot be renewed; must return at once. */
  refusedCalls: Pick<RefusedCalls, 'note' | 'noteDoubt'>;
  log: { warn(fields: object, message: string): void };
  now(): number;
  random(): number;
}) {
  const cacheOf = (namesOf: (choice: ConnectionChoice) => NamedConnection) =>
    createAnnouncedCache<UserEntry, ConnectionChoice, Change>({
      entriesMax: ENTRIES_MAX,
      load: (_key, choice) => read(choice, namesOf(choice)),
      groupOf: (_key, { projectId }) => projectId,
      isAffected: (entry, change) =>
        change.endUserId === undefined || entry.endUserId === null || entry.endUserId === change.endUserId,
      onBackgroundError: (error) =>
        deps.log.warn({ err: error }, 'the connections of a user could not be read'),
      now: deps.now,
    });
  const entries = cacheOf(() => ALL);
  /** What calls name of users who have too many connections to be read together. */
  const namedEntries = cacheOf((choice) => choice);
  const warmOf = new WeakMap<ResolvedConnection, WarmConnection>();

  function resolve(choice: ConnectionChoice): MaybePromise<ResolvedConnection> {
    const key = `${choice.projectId} ${choice.provider} ${choice.user.subject}`;
    const entry = entries.current(key, choice);
    if (!entry) return resolveAnew(key, choice);
    if (entry.tooMany !== undefined && isNaming(choice)) return resolveNamed(key, choice, entry);
    try {
      return requireActive(choose(entry, choice));
    } catch (error) {
      if (isAmbiguous(error)) throw error;
      // No other refusal is given from memory: the connection may have been made a moment ago by another process.
      return resolveAnew(key, choice);
    }
  }

  async function resolveAnew(key: string, choice: ConnectionChoice): Promise<ResolvedConnection> {
    const { value, isStale } = await withStore(() => entries.load(key, choice));
    if (value?.tooMany !== undefined && isNaming(choice)) return resolveNamed(key, choice, value);
    return judge(value, isStale, choice);
  }

  /** `all` is the user's entry, which lists no connections. */
  function resolveNamed(
    key: string,
    choice: ConnectionChoice,
    all: UserEntry,
  ): MaybePromise<ResolvedConnection> {
    const { connectionId = '', integrationId = '' } = choice;
    // A subject may hold blanks, ids do not.
    const namedKey = `${connectionId.toLowerCase()} ${integrationId.toLowerCase()} ${key}`;
    const entry = namedEntries.current(namedKey, choice);
    if (!entry) return resolveNamedAnew(namedKey, choice, all);
    try {
      return requireActive(choose(entry, choice));
    } catch (error) {
      if (isAmbiguous(error)) throw error;
      return resolveNamedAnew(namedKey, choice, all);
    }
  }

  async function resolveNamedAnew(
    namedKey: string,
    choice: ConnectionChoice,
    all: UserEntry,
  ): Promise<ResolvedConnection> {
    const { value, isStale } = await withStore(() => namedEntries.load(namedKey, choice));
    // Names that fit nothing are not kept: a caller may make up any number of them.
    return judge(value ?? { ...all, tooMany: undefined }, isStale, choice);
  }

  function judge(entry: UserEntry | null, isStale: boolean, choice: ConnectionChoice): ResolvedConnection {
    try {
      if (entry === null) throw new HttpError('integration_not_found');
      return requireActive(choose(entry, choice));
    } catch (error) {
      // The store is away: what memory does not know may be there.
      if (isStale) throw new HttpError('store_unavailable', { cause: error });
      throw error;
    }
  }

  async function read(choice: ConnectionChoice, named: NamedConnection): Promise<UserEntry | undefined> {
    const provider = await deps.providers.find(choice.projectId, choice.provider, null);
    if (provider === undefined) throw new HttpError('provider_unknown');
    const found = await deps.store.load(choice.projectId, choice.user.subject, provider, named);
    const isNothing = found.connections.length === 0 && found.tooMany === undefined;
    if (found.integrations.length === 0 || (isNothing && isNaming(named))) return undefined;
    const entry = prepare(choice.projectId, found, deps);
    for (const connection of entry.connections) warmOf.set(connection.resolved, connection);
    for (const { isDoubted, resolved, provider } of entry.connections)
      if (isDoubted) deps.refusedCalls.noteDoubt(resolved.connectionId, resolved.projectId, provider);
    return entry;
  }

  function credential(connection: ResolvedConnection): MaybePromise<Credential> {
    const warm = warmConnection(connection);
    const now = deps.now();
    if (now < warm.refreshFromMs) return warm.credential;
    if (warm.refreshMethod === undefined) {
      if (now >= warm.expiresAtMs) noteEnd(warm);
      return warm.credential;
    }
    if (now < warm.expiresAtMs - WAIT_BELOW_MS) {
      // Still good for a while: this call does not wait for the refresh that it starts.
      warm.refreshFromMs = Math.min(now + RETRY_AHEAD_MS, warm.expiresAtMs - WAIT_BELOW_MS);
      refreshNow(warm).catch((error: unknown) =>
        deps.log.warn({ err: error }, 'refresh ahead of expiry failed'),
      );
      return warm.credential;
    }
    const refreshing = refreshNow(warm);
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
    return settleWithin(Math.min(PATIENCE_MS, (warm.expiresAtMs - now) / 2), unlessDead, stillValid);
  }

  /** The provider judges an expired token; operators are told once that none will follow it. */
  function noteEnd(warm: WarmConnection): void {
    warm.refreshFromMs = Number.POSITIVE_INFINITY;
    withoutStoreLimit(() => deps.store.noteUnrefreshable(refreshTarget(warm))).catch((error: unknown) =>
      deps.log.warn({ err: error }, 'the end of a token could not be noted'),
    );
  }

  function warmConnection(connection: ResolvedConnection): WarmConnection {
    const warm = warmOf.get(connection);
    if (warm === undefined) throw new TypeError('a connection that this cache did not resolve');
    return warm;
  }

  async function refreshNow(warm: WarmConnection): Promise<Credential> {
    return adopt(warm, await withStore(() => deps.accessTokens.refresh(refreshTarget(warm))));
  }

  async function refreshAfter401(
    connection: ResolvedConnection,
    used: Credential,
  ): Promise<Credential | null> {
    const warm = warmConnection(connection);
    if (!isRenewable(warm.refreshMethod)) {
      const { connectionId, projectId } = connection;
      deps.refusedCalls.note({ connectionId, projectId, version: used.version }, warm.provider);
      return null;
    }
    if (warm.credential.version !== used.version) return warm.credential;
    const isByClient = warm.refreshMethod !== 'refresh-token';
    const result = await withStore(() =>
      deps.accessTokens.refreshAfter401(refreshTarget(warm), { isByClient }),
    ).catch(() => null);
    if (result === null) return null;
    // After a transient failure the caller gets the provider's own 401; a dead refresh token is reported as such.
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
      const { expiresInMs, lifetimeSeconds } = state;
      Object.assign(
        warm,
        refreshSchedule(warm.provider, { expiresInMs, lifetimeSeconds }, warm.spread, deps.now()),
      );
      const told = templateValues({
        integration: warm.integrationValues,
        connection: state.variables,
        credentials: state.credentials.values,
      });
      const values = callValuesOf(warm.provider, told);
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
      entries.change(projectId, { endUserId });
      namedEntries.change(projectId, { endUserId });
    },
    /** Notices may have been missed: everything is read again, or served stale while the store is away. */
    markAllStale(): void {
      entries.markAllStale();
      namedEntries.markAllStale();
    },
    setHasNotices(value: boolean): void {
      entries.setHasNotices(value);
      namedEntries.setHasNotices(value);
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

function prepare(
  projectId: string,
  found: UserConnections,
  { now, random }: { now(): number; random(): number },
): UserEntry {
  const integrationOf = new Map(found.integrations.map((integration) => [integration.id, integration]));
  return {
    projectId,
    endUserId: found.endUserId,
    integrationIds: found.integrations.map(({ id }) => id),
    tooMany: found.tooMany,
    connections: found.connections.flatMap((connection) => {
      const { provider, values = {} } = integrationOf.get(connection.integrationId) ?? {};
      if (provider === undefined) return [];
      const timing = { spread: random(), nowMs: now() };
      return [prepareConnection(provider, projectId, values, connection, timing)];
    }),
  };
}
