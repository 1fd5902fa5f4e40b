import { HttpError } from '../../http/errors.ts';
import { createTurnGate } from '../../lib/turn-gate.ts';
import { createAnnouncedCache } from '../../platform/announced-cache.ts';
import type { Providers } from '../../providers/custom-providers.ts';
import type { ConnectionChoice, MaybePromise, ResolvedConnection } from '../../proxy/contract.ts';
import { choose, isAmbiguous, isNaming, requireActive, type UserEntry } from './choose-connection.ts';
import { takeOwnNotice } from './own-notices.ts';
import type { RefusedCalls } from './refused-calls.ts';
import { createResolveByOwner, type OwnedChoice, type OwnerEntries } from './resolve-by-owner.ts';
import type { NamedConnection, UserConnections, UserConnectionsStore } from './user-connections.store.ts';
import { prepareConnection, type WarmConnection } from './warm-connection.ts';
import { createWarmCredentials, type WarmCredentialsDependencies } from './warm-credentials.ts';
import { withStore } from './with-store.ts';

const ENTRIES_MAX = 20_000;

/** No names: all of the owner's connections to the provider. */
const ALL: NamedConnection = {};

/** A change of one owner's connections, or of all of the project's where none is named; of one connection where that is known. */
type Change = { readonly endUserId: string | undefined; readonly connectionId?: string | undefined };

/**
 * Which connection a proxied call goes out on, and with which credential, from memory when warm. The connections of a user
 * and those of an organization are entries of their own, so that all members of an organization share its entry. Entries are dropped
 * on change notices; when the store cannot be reached, a stale entry keeps serving until its access token expires.
 */
export function createUserConnections(
  deps: WarmCredentialsDependencies & {
    providers: Providers;
    store: UserConnectionsStore;
    refusedCalls: Pick<RefusedCalls, 'noteDoubt'>;
    random(): number;
  },
) {
  const cacheOf = (namesOf: (choice: ConnectionChoice) => NamedConnection) =>
    createAnnouncedCache<UserEntry, OwnedChoice, Change>({
      entriesMax: ENTRIES_MAX,
      load: (_key, choice) => read(choice, namesOf(choice)),
      groupOf: (_key, { projectId }) => projectId,
      topicOf: ({ endUserId }) => endUserId ?? undefined,
      topicOfChange: ({ endUserId }) => endUserId,
      isIncluded: (entry, { connectionId }) => {
        const changed = entry.connections.find(({ resolved }) => resolved.connectionId === connectionId);
        return changed !== undefined && takeOwnNotice(changed, deps.now());
      },
      onBackgroundError: (error) =>
        deps.log.warn({ err: error }, 'the connections of a user could not be read'),
      now: deps.now,
    });
  /** Owners that are read, and mostly refreshed after that, when calls of many come at once. */
  const gate = createTurnGate();
  const entries = cacheOf(() => ALL);
  /** What calls name of owners who have too many connections to be read together. */
  const namedEntries = cacheOf((choice) => choice);
  const warmOf = new WeakMap<ResolvedConnection, WarmConnection>();
  const credentials = createWarmCredentials(deps, warmOf, ({ projectId, endUserId }) =>
    invalidate(projectId, { endUserId }),
  );
  const ofOwner: OwnerEntries = {
    current: (key, choice) => entries.current(key, choice),
    resolve: resolveOf,
    resolveFromStore,
  };

  function resolveOf(key: string, choice: OwnedChoice): MaybePromise<ResolvedConnection> {
    const entry = entries.current(key, choice);
    if (!entry) return resolveFromStore(key, choice);
    if (entry.tooMany !== undefined && isNaming(choice)) return resolveNamed(key, choice, entry);
    try {
      return requireActive(choose(entry, choice));
    } catch (error) {
      if (isAmbiguous(error)) throw error;
      // No other refusal is given from memory: the connection may just have been made by another process.
      return resolveFromStore(key, choice);
    }
  }

  async function resolveFromStore(key: string, choice: OwnedChoice): Promise<ResolvedConnection> {
    const { value, isStale } = await withStore(() => entries.load(key, choice));
    if (value?.tooMany !== undefined && isNaming(choice)) return resolveNamed(key, choice, value);
    return judge(value, isStale, choice);
  }

  /** `all` is the owner's entry, which lists no connections. */
  function resolveNamed(key: string, choice: OwnedChoice, all: UserEntry): MaybePromise<ResolvedConnection> {
    const { connectionId = '', integrationId = '' } = choice;
    // A subject may hold blanks, ids do not.
    const namedKey = `${connectionId.toLowerCase()} ${integrationId.toLowerCase()} ${key}`;
    const entry = namedEntries.current(namedKey, choice);
    if (!entry) return resolveNamedFromStore(namedKey, choice, all);
    try {
      return requireActive(choose(entry, choice));
    } catch (error) {
      if (isAmbiguous(error)) throw error;
      return resolveNamedFromStore(namedKey, choice, all);
    }
  }

  async function resolveNamedFromStore(
    namedKey: string,
    choice: OwnedChoice,
    all: UserEntry,
  ): Promise<ResolvedConnection> {
    const { value, isStale } = await withStore(() => namedEntries.load(namedKey, choice));
    // Names that fit nothing are not kept: a caller may make up any number of them.
    return judge(value ?? { ...all, tooMany: undefined }, isStale, choice);
  }

  function judge(entry: UserEntry | null, isStale: boolean, choice: OwnedChoice): ResolvedConnection {
    try {
      if (entry === null) throw new HttpError('integration_not_found');
      return requireActive(choose(entry, choice));
    } catch (error) {
      // The store is away: what memory does not know may be there.
      if (isStale) throw new HttpError('store_unavailable', { cause: error });
      throw error;
    }
  }

  function invalidate(projectId: string, change: Change): void {
    entries.change(projectId, change);
    namedEntries.change(projectId, change);
  }

  async function read(choice: OwnedChoice, named: NamedConnection): Promise<UserEntry | undefined> {
    await gate.enter(choice.projectId);
    const provider = await deps.providers.find(choice.projectId, choice.provider, null);
    if (provider === undefined) throw new HttpError('provider_unknown');
    const owner =
      choice.ownedBy === undefined ? { subject: choice.user.subject } : { organization: choice.ownedBy };
    const found = await deps.store.load(choice.projectId, owner, provider, named);
    const isNothing = found.connections.length === 0 && found.tooMany === undefined;
    if (found.integrations.length === 0 || (isNothing && isNaming(named))) return undefined;
    const entry = prepare(choice.projectId, found, deps);
    for (const connection of entry.connections) warmOf.set(connection.resolved, connection);
    for (const { isDoubted, resolved, provider } of entry.connections)
      if (isDoubted) deps.refusedCalls.noteDoubt(resolved.connectionId, resolved.projectId, provider);
    return entry;
  }

  return {
    resolve: createResolveByOwner(ofOwner),
    credential: credentials.credential,
    refreshAfter401: credentials.refreshAfter401,
    /** Drops what a change is about: one owner's connections, or all of the project where none is named. */
    invalidate,
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
      const { provider, values = {}, readingTools } = integrationOf.get(connection.integrationId) ?? {};
      if (provider === undefined) return [];
      const timing = { spread: random(), nowMs: now() };
      const known = connection.organizationClient?.values ?? values;
      return [prepareConnection(provider, projectId, known, connection, timing, readingTools)];
    }),
  };
}
