import { HttpError } from '../../http/errors.ts';
import { settleWithin } from '../../lib/settle-within.ts';
import { withoutStoreLimit } from '../../platform/postgres/store-time.ts';
import type { Credential, MaybePromise, ResolvedConnection } from '../../proxy/contract.ts';
import type { AccessTokens } from '../refreshing/access-tokens.ts';
import { createOwnNotices } from './own-notices.ts';
import type { RefusedCalls } from './refused-calls.ts';
import { createTokenLife, LIFE_MS_MIN, type Renewal, toRefusalError } from './token-life.ts';
import type { UserConnectionsStore } from './user-connections.store.ts';
import { refreshTarget, type WarmConnection } from './warm-connection.ts';
import { withStore } from './with-store.ts';

/**
 * How long a call waits for a refresh while its token is still valid: a token endpoint that hangs must not become an
 * outage.
 */
const PATIENCE_MS = 2_000;
/** After a refresh ahead of expiry that failed or hangs, the next one is asked for no sooner than this. */
const RETRY_AHEAD_MS = 5_000;

export type WarmCredentialsDependencies = {
  store: Pick<UserConnectionsStore, 'noteUnrefreshable'>;
  accessTokens: Pick<AccessTokens, 'refresh' | 'refreshAfter401'>;
  /** Called with credentials that the provider refuses and that cannot be renewed; must return at once. */
  refusedCalls: Pick<RefusedCalls, 'note'>;
  log: { warn(fields: object, message: string): void };
  now(): number;
};

/** The credentials of connections in memory, for proxied calls: refreshed ahead of expiry, and after a 401. */
export function createWarmCredentials(
  deps: WarmCredentialsDependencies,
  warmOf: WeakMap<ResolvedConnection, WarmConnection>,
  forget: (connection: ResolvedConnection) => void,
) {
  const life = createTokenLife(deps);
  const { expectNotice } = createOwnNotices({ now: deps.now, forget });

  function credential(connection: ResolvedConnection): MaybePromise<Credential> {
    const warm = findWarm(connection);
    const now = deps.now();
    if (now < warm.refreshFromMs) return warm.credential;
    if (warm.refreshMethod === undefined) {
      if (now >= warm.expiresAtMs) noteEnd(warm);
      return warm.credential;
    }
    if (now < warm.expiresAtMs - LIFE_MS_MIN) {
      // Still good for a while: this call does not wait for the refresh that it starts.
      warm.refreshFromMs = Math.min(now + RETRY_AHEAD_MS, warm.expiresAtMs - LIFE_MS_MIN);
      refreshNow(warm).catch((error: unknown) =>
        deps.log.warn({ err: error }, 'refresh ahead of expiry failed'),
      );
      return warm.credential;
    }
    return waitForRefresh(warm, now);
  }

  /** While the token lives, a refresh that fails or hangs leaves it in use. */
  function waitForRefresh(warm: WarmConnection, now: number): Promise<Credential> {
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

  /** The provider judges an expired token; operators see once that none will follow it. */
  function noteEnd(warm: WarmConnection): void {
    warm.refreshFromMs = Number.POSITIVE_INFINITY;
    withoutStoreLimit(() => deps.store.noteUnrefreshable(refreshTarget(warm))).catch((error: unknown) =>
      deps.log.warn({ err: error }, 'the end of a token could not be noted'),
    );
  }

  function findWarm(connection: ResolvedConnection): WarmConnection {
    const warm = warmOf.get(connection);
    if (warm === undefined) throw new TypeError('a connection that this cache did not resolve');
    return warm;
  }

  async function refreshNow(warm: WarmConnection): Promise<Credential> {
    return requireCredential(warm, await withStore(() => expectNotice(warm, () => life.refresh(warm))));
  }

  async function refreshAfter401(
    connection: ResolvedConnection,
    used: Credential,
  ): Promise<Credential | null> {
    const warm = findWarm(connection);
    const refreshing = withStore(() => expectNotice(warm, () => life.refreshAfter401(warm, used)));
    const renewal = await refreshing.catch(() => null);
    if (renewal === null) return null;
    // After a transient failure the caller gets the provider's own 401; a dead refresh token is reported as such.
    if (!renewal.ok && renewal.code !== 'reauthorization_required') return null;
    return requireCredential(warm, renewal);
  }

  return { credential, refreshAfter401 };
}

function requireCredential({ resolved }: WarmConnection, renewal: Renewal): Credential {
  if (renewal.ok) return renewal.credential;
  const { connectionId } = resolved;
  throw toRefusalError(renewal, renewal.code === 'reauthorization_required' ? { connectionId } : undefined);
}
