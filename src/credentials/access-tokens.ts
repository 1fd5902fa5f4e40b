import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../lib/ids.ts';
import type { CredentialState, RefreshedTokens, RefreshStore } from './refresh.store.ts';
import { createRepeatedRefreshes, type RunLater, runLater } from './repeated-refreshes.ts';

/** How long a caller waits for a refresh that another process has under way. */
const WAIT_MS = 12_000;
const POLL_FIRST_MS = 50;
const POLL_MOST_MS = 400;
const RETRY_MOST_MS = 30_000;
/** A durable write of a rotated token is worth waiting for, but not longer than the lease. */
const WRITE_PATIENCE_MS = 8_000;

/** What the token endpoint made of a refresh request. */
export type RefreshOutcome =
  | { readonly ok: true; readonly tokens: RefreshedTokens }
  | {
      readonly ok: false;
      readonly kind: 'invalid_grant' | 'client' | 'transient' | 'rejected';
      readonly errorCode: string;
      readonly retryAfterMs?: number;
      /** No answer came, and the provider takes the refresh token once more within this time. */
      readonly repeatWithinMs?: number;
    };

export type RefreshRefusal = {
  readonly ok: false;
  readonly code:
    | 'connection_not_found'
    | 'reauthorization_required'
    | 'refresh_unavailable'
    | 'integration_misconfigured';
  readonly retryAfterSeconds?: number;
};

/**
 * Also until the next attempt: no caller must take for a passing trouble what an operator has to mend. Nor is there a
 * time to wait for.
 */
const MISCONFIGURED: RefreshRefusal = { ok: false, code: 'integration_misconfigured' };

export type RefreshResult = { readonly ok: true; readonly state: CredentialState } | RefreshRefusal;

export type CredentialVersion = {
  readonly connectionId: string;
  readonly projectId: string;
  readonly version: number;
};

export type AccessTokens = ReturnType<typeof createAccessTokens>;

/**
 * Refreshes access tokens once, however many calls and processes ask. In one process calls share a promise; among
 * processes a lease row decides who talks to the provider, and a compare-and-swap on the version who may write. No
 * transaction is open while the provider is asked. Store errors are thrown; refusals are returned.
 */
export function createAccessTokens(deps: {
  store: RefreshStore;
  /** One bounded token request; at most two tries of 10 s. */
  requestRefresh(state: CredentialState): Promise<RefreshOutcome>;
  /** Fresh tokens that nobody will use: the connection was deleted meanwhile. */
  revokeOrphaned(state: CredentialState, tokens: RefreshedTokens): Promise<void>;
  /** Writes the change of state and its record in one transaction; false when the row moved on. */
  markReauthorizationRequired(state: CredentialState, owner: string, reason: string): Promise<boolean>;
  log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
  now(): number;
  random(): number;
  runLater?: RunLater;
}) {
  const { store, log } = deps;
  const repeated = createRepeatedRefreshes({ now: deps.now, runLater: deps.runLater ?? runLater });
  const underWay = new Map<string, Promise<RefreshResult>>();

  /** A credential newer than `target.version`: refreshed by us, or by whoever was first. */
  function refresh(target: CredentialVersion): Promise<RefreshResult> {
    const key = `${target.connectionId} ${target.version}`;
    const running = underWay.get(key);
    if (running !== undefined) return running;
    const started = refreshAcrossProcesses(target).finally(() => underWay.delete(key));
    underWay.set(key, started);
    return started;
  }

  async function refreshAcrossProcesses({
    connectionId,
    projectId,
    version,
  }: CredentialVersion): Promise<RefreshResult> {
    const owner = newId();
    const deadline = deps.now() + WAIT_MS;
    for (let pauseMs = POLL_FIRST_MS; ; pauseMs = Math.min(pauseMs * 2, POLL_MOST_MS)) {
      const leased = await store.lease(connectionId, projectId, version, owner);
      if (leased !== undefined) return refreshUnderLease(leased, owner);
      const current = await store.read(connectionId, projectId);
      if (current === undefined) return { ok: false, code: 'connection_not_found' };
      if (current.status !== 'active') return { ok: false, code: 'reauthorization_required' };
      if (current.version !== version) return { ok: true, state: current };
      if (current.retryInMs > 0) {
        return current.isClientRefused ? MISCONFIGURED : unavailable(current.retryInMs);
      }
      if (deps.now() >= deadline) return unavailable(POLL_MOST_MS);
      if (current.isLeased) await sleep(pauseMs);
    }
  }

  async function refreshUnderLease(state: CredentialState, owner: string): Promise<RefreshResult> {
    const outcome = await deps.requestRefresh(state);
    const { connectionId, projectId, version } = state;
    const key = `${connectionId} ${version}`;
    if (outcome.ok || outcome.repeatWithinMs === undefined) repeated.forget(key);
    if (outcome.ok) return keep(state, owner, outcome.tokens);
    if (outcome.kind === 'invalid_grant') {
      const marked = await deps.markReauthorizationRequired(
        state,
        owner,
        `refresh refused: ${outcome.errorCode}`,
      );
      // Not marked: somebody re-authorized or deleted the connection while the provider answered.
      if (!marked) return afterLostLease(state);
      log.warn({ connectionId, errorCode: outcome.errorCode }, 'refresh token is dead');
      return { ok: false, code: 'reauthorization_required' };
    }
    const delayMs = outcome.retryAfterMs ?? backoffMs(state.failures, deps.random());
    const isClientRefused = outcome.kind === 'client';
    const reason = `refresh failed: ${outcome.errorCode}`;
    await store.postpone(state, owner, { reason, delayMs, isClientRefused });
    if (outcome.repeatWithinMs !== undefined) {
      const again = () =>
        refresh({ connectionId, projectId, version }).then(({ ok }) => ok && repeated.forget(key));
      repeated.repeat(key, delayMs, outcome.repeatWithinMs, again);
    }
    if (isClientRefused) {
      log.error({ connectionId, errorCode: outcome.errorCode }, 'provider refuses the integration’s client');
      return MISCONFIGURED;
    }
    log.warn({ connectionId, errorCode: outcome.errorCode, delayMs }, 'refresh failed, will be tried again');
    return unavailable(delayMs);
  }

  /** Makes the new tokens durable before anybody uses them: a one-use refresh token exists only here until then. */
  async function keep(
    state: CredentialState,
    owner: string,
    tokens: RefreshedTokens,
  ): Promise<RefreshResult> {
    const deadline = deps.now() + WRITE_PATIENCE_MS;
    for (let pauseMs = POLL_FIRST_MS; ; pauseMs *= 2) {
      try {
        const written = await store.complete(state, owner, tokens);
        if (!written) return afterLostLease(state, tokens);
        const kept = await store.read(state.connectionId, state.projectId);
        return kept === undefined ? { ok: false, code: 'connection_not_found' } : { ok: true, state: kept };
      } catch (error) {
        if (deps.now() + pauseMs >= deadline) {
          log.error({ err: error, connectionId: state.connectionId }, 'refreshed tokens could not be stored');
          throw error;
        }
        await sleep(pauseMs);
      }
    }
  }

  /** Our write did not match: either it had been done after all (an ambiguous commit), or another change won. */
  async function afterLostLease(state: CredentialState, tokens?: RefreshedTokens): Promise<RefreshResult> {
    const current = await store.read(state.connectionId, state.projectId);
    if (current === undefined) {
      if (tokens !== undefined) await deps.revokeOrphaned(state, tokens);
      return { ok: false, code: 'connection_not_found' };
    }
    if (current.status !== 'active') return { ok: false, code: 'reauthorization_required' };
    return current.version === state.version ? unavailable(POLL_MOST_MS) : { ok: true, state: current };
  }

  /**
   * After the provider's 401 to `target.version`. Null: no refresh is possible or allowed now, so the provider's
   * answer stands. `isByClient`: the integration's client gets the next token, so no refresh token is needed.
   */
  async function refreshAfter401(
    target: CredentialVersion,
    { isByClient = false } = {},
  ): Promise<RefreshResult | null> {
    const current = await store.read(target.connectionId, target.projectId);
    if (current === undefined) return null;
    // Another call of the burst, or another process, has heard already that the grant is dead.
    if (current.status !== 'active') return { ok: false, code: 'reauthorization_required' };
    if (current.version !== target.version) return { ok: true, state: current };
    if (current.credentials.refreshToken === null && !isByClient) return null;
    const allowed = await store.claimForcedRefresh(target.connectionId, target.projectId, target.version);
    if (allowed) return refresh(target);
    const after = await store.read(target.connectionId, target.projectId);
    if (after === undefined) return null;
    if (after.status !== 'active') return { ok: false, code: 'reauthorization_required' };
    return after.version === target.version ? null : { ok: true, state: after };
  }

  return { refresh, refreshAfter401 };
}

function unavailable(retryInMs: number): RefreshRefusal {
  return {
    ok: false,
    code: 'refresh_unavailable',
    retryAfterSeconds: Math.max(1, Math.ceil(retryInMs / 1000)),
  };
}

/** Full jitter between one second and half a minute: a dead provider is asked often enough to heal quickly. */
export function backoffMs(failures: number, random: number): number {
  return Math.max(
    1_000,
    Math.round(random * Math.min(RETRY_MOST_MS, 1_000 * 2 ** Math.min(failures + 1, 10))),
  );
}

/**
 * When to refresh ahead of expiry: in the last fifth of the token's life, ten minutes at the most, with a spread per
 * connection so that tokens issued together are not refreshed together. All in milliseconds; `spread` in [0, 1).
 */
export function refreshMarginMs(lifetimeSeconds: number | null, spread: number): number {
  const lifetimeMs = (lifetimeSeconds ?? 3600) * 1000;
  return Math.min(600_000, lifetimeMs / 5) * (0.75 + spread / 4);
}
