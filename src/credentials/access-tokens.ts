import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../lib/ids.ts';
import type { TokenFailureKind } from '../oauth/token-error.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { CredentialState } from './credential-state.store.ts';
import type { RefreshedTokens, RefreshStore, RefreshTarget } from './refresh.store.ts';
import { refreshEventOf, refreshStateOf, reuseSeconds } from './refresh-state.ts';
import { createRepeatedRefreshes, type RunLater, runLater } from './repeated-refreshes.ts';
import { createWakeUps } from './wake-ups.ts';

/** How long a caller waits for a refresh that another process has under way. */
const WAIT_MS = 12_000;
/** How often the row is looked at while another process asks: its outcome is announced as well, failures are not. */
const LOOK_MS = 1_000;
const RETRY_MS_MAX = 30_000;
/** A token endpoint that refuses a token in words of its own is asked less often: it will hardly change its mind. */
const REFUSED_RETRY_MS_MAX = 300_000;
/** After so long, a refusal in words of the provider's own counts as final. */
const REFUSED_FOR_MS_MAX = 24 * 60 * 60 * 1000;
/** A durable write of a rotated token is worth waiting for, but not longer than the lease. */
const WRITE_PATIENCE_MS = 8_000;
const WRITE_PAUSE_FIRST_MS = 50;
/** How long a request that timed out is listened to. */
export const LATE_ANSWER_MS = 10 * 60_000;
/** What a caller is told to wait while an answer may still come. */
const UNKNOWN_RETRY_SECONDS = 5;
/** With so many requests of one integration unanswered, its token endpoint is asked nothing more: tokens are at stake. */
const LISTENING_PER_INTEGRATION_MAX = 20;

/** What the token endpoint made of a refresh request. */
export type RefreshOutcome =
  | { readonly ok: true; readonly tokens: RefreshedTokens }
  | {
      readonly ok: false;
      readonly kind: TokenFailureKind;
      readonly errorCode: string;
      /** What the provider says of it, without credentials. */
      readonly words?: string;
      readonly retryAfterMs?: number;
      readonly delivery: 'answered' | 'not_sent' | 'unanswered';
      /** What comes of an unanswered request after all; undefined once no answer can come any more. */
      readonly late?: Promise<RefreshOutcome | undefined>;
    };

type Failure = Extract<RefreshOutcome, { ok: false }>;

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
 * Also until the next attempt: no caller must take for transient what an operator has to mend. Nor is there a time to
 * wait for.
 */
const MISCONFIGURED: RefreshRefusal = { ok: false, code: 'integration_misconfigured' };
const NOT_FOUND: RefreshRefusal = { ok: false, code: 'connection_not_found' };
const REFUSED: RefreshRefusal = { ok: false, code: 'reauthorization_required' };

export type RefreshResult = { readonly ok: true; readonly state: CredentialState } | RefreshRefusal;

export type AccessTokens = ReturnType<typeof createAccessTokens>;

export type AccessTokensDependencies = {
  readonly store: RefreshStore;
  /** One bounded token request. */
  requestRefresh(state: CredentialState): Promise<RefreshOutcome>;
  /** Revokes fresh tokens of a connection that was deleted meanwhile. */
  revokeOrphaned(state: CredentialState, tokens: RefreshedTokens): Promise<void>;
  /** Runs a change of status and writes its activity record in the same transaction; false when the row moved on. */
  recordRefusal(
    state: CredentialState,
    reason: string,
    change: (trx: Db) => Promise<boolean>,
  ): Promise<boolean>;
  /** Lets the refresh begin when its turn has come. */
  enqueue(
    owner: Pick<RefreshTarget, 'projectId' | 'integrationId'>,
    work: () => Promise<RefreshResult>,
  ): Promise<RefreshResult>;
  readonly log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
  now(): number;
  random(): number;
  readonly runLater?: RunLater;
};

/**
 * Refreshes access tokens once, however many calls and processes ask. In one process calls share a promise; among
 * processes the row decides, by the table in `refresh-state.ts`: who talks to the provider, and what an answer, a late
 * answer or none does. No transaction is open while the provider is asked. Store errors are thrown; refusals are
 * returned.
 */
export function createAccessTokens(deps: AccessTokensDependencies) {
  const { store, log } = deps;
  const repeated = createRepeatedRefreshes({ now: deps.now, runLater: deps.runLater ?? runLater });
  const wakeUps = createWakeUps();
  const underWay = new Map<string, Promise<RefreshResult>>();
  const listening = new Set<Promise<void>>();
  const listeningTo = new Map<string, number>();

  /** A credential newer than `target.version`: refreshed by this process, or by the one that was first. */
  function refresh(target: RefreshTarget): Promise<RefreshResult> {
    const key = keyOf(target);
    const running = underWay.get(key);
    if (running !== undefined) return running;
    const deadlineMs = deps.now() + WAIT_MS;
    const started = deps
      .enqueue(target, () => refreshAcrossProcesses(target, deadlineMs))
      .finally(() => underWay.delete(key));
    underWay.set(key, started);
    return started;
  }

  async function refreshAcrossProcesses(target: RefreshTarget, deadlineMs: number): Promise<RefreshResult> {
    // It stood in the queue for longer than its callers wait.
    if (deps.now() >= deadlineMs) return unavailable(LOOK_MS);
    const owner = newId();
    const isSilent = (listeningTo.get(target.integrationId) ?? 0) >= LISTENING_PER_INTEGRATION_MAX;
    for (;;) {
      const claimed = isSilent ? undefined : await store.claim(target, owner);
      if (claimed !== undefined) return ask(target, claimed, owner);
      const current = await store.read(target.connectionId, target.projectId);
      const result = await resultWithoutAsking(target, current);
      if (result !== 'wait' && result !== 'claim') return result;
      if (isSilent) return unavailable(UNKNOWN_RETRY_SECONDS * 1000);
      if (deps.now() >= deadlineMs) return unavailable(LOOK_MS);
      if (result === 'wait') await wakeUps.wait(target.connectionId, LOOK_MS);
    }
  }

  /**
   * What the row itself says to a caller whose claim was not granted: `wait` while another process asks, `claim` where
   * it has ended just now.
   */
  async function resultWithoutAsking(
    target: RefreshTarget,
    current: CredentialState | undefined,
  ): Promise<RefreshResult | 'wait' | 'claim'> {
    if (current === undefined) return NOT_FOUND;
    if (current.status === 'active' && current.version !== target.version)
      return { ok: true, state: current };
    switch (refreshStateOf(current).kind) {
      case 'refused':
        return REFUSED;
      case 'postponed':
        return current.isClientRefused ? MISCONFIGURED : unavailable(current.retryInMs);
      case 'idle':
        return 'claim';
      case 'unknown':
        return (await giveUp(target, current, false)) ? REFUSED : unavailableWhileUnknown(current);
      default:
        return 'wait';
    }
  }

  /**
   * The end of a connection whose one-use refresh token may be spent: no answer can come any more, and its access token
   * is of no use. True where this call or another one has ended it.
   */
  async function giveUp(
    target: RefreshTarget,
    current: CredentialState,
    isAccessTokenRefused: boolean,
  ): Promise<boolean> {
    const isOver = isAccessTokenRefused || (current.expiresInMs !== null && current.expiresInMs <= 0);
    if (!isOver || current.answerInMs > 0) return false;
    const reason =
      'the answer to a token refresh was lost, and the refresh token works once only: it may be spent';
    const isChanged = await deps.recordRefusal(current, reason, (trx) =>
      store.giveUp(trx, target, { isAccessTokenRefused, reason }),
    );
    if (isChanged) log.warn({ connectionId: target.connectionId }, 'the answer to a token refresh was lost');
    return isChanged;
  }

  async function ask(target: RefreshTarget, state: CredentialState, owner: string): Promise<RefreshResult> {
    const outcome = await deps.requestRefresh(state);
    const key = keyOf(target);
    if (outcome.ok || outcome.delivery !== 'unanswered') repeated.forget(key);
    if (refreshEventOf(outcome) === 'silence' && !outcome.ok)
      return leaveUnanswered(target, state, owner, outcome);
    return settle(state, owner, outcome);
  }

  /** An outcome that is known, in time or late. */
  async function settle(
    state: CredentialState,
    owner: string,
    outcome: RefreshOutcome,
  ): Promise<RefreshResult> {
    if (outcome.ok) return keep(state, outcome.tokens);
    if (outcome.kind === 'invalid_grant') return refuse(state, owner, outcome);
    if (await isFinallyRefused(state, outcome)) return refuse(state, owner, outcome);
    return postpone(state, owner, outcome);
  }

  async function refuse(state: CredentialState, owner: string, outcome: Failure): Promise<RefreshResult> {
    const { connectionId } = state;
    const { errorCode } = outcome;
    // The request before may have spent the token: then this refusal tells nothing of the user's wishes.
    const after = state.unanswered > 1 ? ' after the answer to an earlier refresh was lost' : '';
    const reason = `refresh refused${after}: ${reasonOf(outcome)}`;
    const isChanged = await deps.recordRefusal(state, reason, (trx) =>
      store.refuse(trx, state, owner, reason),
    );
    // Not changed: a user re-authorized or deleted the connection while the provider answered.
    if (!isChanged) return afterLostClaim(state);
    log.warn({ connectionId, errorCode }, 'refresh token is dead');
    return REFUSED;
  }

  /**
   * A definitive refusal in words that are not understood becomes final after a day. One that could as well be about
   * the integration's client counts only where the provider has accepted that client for another connection meanwhile.
   */
  async function isFinallyRefused(state: CredentialState, outcome: Failure): Promise<boolean> {
    const { refusedForMs } = state;
    if (!isTokenRefused(outcome) || refusedForMs === null || refusedForMs < REFUSED_FOR_MS_MAX) return false;
    return outcome.errorCode !== 'http_401' || store.isClientProven(state, refusedForMs);
  }

  async function postpone(state: CredentialState, owner: string, outcome: Failure): Promise<RefreshResult> {
    const { connectionId } = state;
    const { errorCode } = outcome;
    const isRefused = isTokenRefused(outcome);
    const isClientRefused = outcome.kind === 'client';
    const mostMs = isRefused ? REFUSED_RETRY_MS_MAX : RETRY_MS_MAX;
    const delayMs = outcome.retryAfterMs ?? backoffMs(state.failures, deps.random(), mostMs);
    const reason = `refresh failed: ${reasonOf(outcome)}`;
    await store.postpone(state, owner, { reason, delayMs, isClientRefused, isTokenRefused: isRefused });
    if (isClientRefused) {
      log.error({ connectionId, errorCode }, 'provider refuses the integration’s client');
      return MISCONFIGURED;
    }
    log.warn({ connectionId, errorCode, delayMs }, 'refresh failed, will be tried again');
    return unavailable(delayMs);
  }

  /** No answer came: the token is sent again only where the provider takes it, and a late answer is waited for. */
  async function leaveUnanswered(
    target: RefreshTarget,
    state: CredentialState,
    owner: string,
    outcome: Failure,
  ): Promise<RefreshResult> {
    const { connectionId } = state;
    const { errorCode, late } = outcome;
    const delayMs = backoffMs(state.failures, deps.random(), RETRY_MS_MAX);
    const reason = `refresh unanswered: ${errorCode}`;
    const answerInMs = late === undefined ? 0 : LATE_ANSWER_MS;
    await store.leaveUnanswered(state, owner, { reason, delayMs, answerInMs });
    log.warn({ connectionId, errorCode }, 'a token refresh was not answered');
    if (late !== undefined) listen(state, owner, late);
    const withinMs = reuseSeconds(target.reuse) * 1000;
    if (withinMs > 0 && Number.isFinite(withinMs)) {
      const key = keyOf(target);
      const again = () => refresh(target).then(({ ok }) => ok && repeated.forget(key));
      repeated.repeat(key, delayMs, withinMs, again);
    }
    return withinMs > 0 ? unavailable(delayMs) : unavailableWhileUnknown({ retryInMs: 0 });
  }

  /** Takes the answer that comes after its time-out. */
  function listen(state: CredentialState, owner: string, late: Promise<RefreshOutcome | undefined>): void {
    const { connectionId, integrationId } = state;
    countListening(integrationId, 1);
    const done = late
      .then(async (outcome) => {
        if (outcome === undefined || refreshEventOf(outcome) === 'silence') {
          await store.endListening(state, owner, 'the answer to a token refresh was lost');
        } else {
          await settle(state, owner, outcome);
        }
      })
      .catch((error: unknown) => log.error({ err: error, connectionId }, 'a late answer could not be stored'))
      .finally(() => {
        countListening(integrationId, -1);
        listening.delete(done);
      });
    listening.add(done);
  }

  function countListening(integrationId: string, change: 1 | -1): void {
    const count = (listeningTo.get(integrationId) ?? 0) + change;
    if (count > 0) listeningTo.set(integrationId, count);
    else listeningTo.delete(integrationId);
  }

  /** Makes the new tokens durable before a call uses them: a one-use refresh token exists only here until then. */
  async function keep(state: CredentialState, tokens: RefreshedTokens): Promise<RefreshResult> {
    const deadlineMs = deps.now() + WRITE_PATIENCE_MS;
    for (let pauseMs = WRITE_PAUSE_FIRST_MS; ; pauseMs *= 2) {
      try {
        const kept = await store.complete(state, tokens);
        return kept === undefined ? await afterLostClaim(state, tokens) : { ok: true, state: kept };
      } catch (error) {
        if (deps.now() + pauseMs >= deadlineMs) {
          log.error({ err: error, connectionId: state.connectionId }, 'refreshed tokens could not be stored');
          throw error;
        }
        await sleep(pauseMs);
      }
    }
  }

  /** The write did not match: either it had been done after all (an ambiguous commit), or another change won. */
  async function afterLostClaim(state: CredentialState, tokens?: RefreshedTokens): Promise<RefreshResult> {
    const current = await store.read(state.connectionId, state.projectId);
    if (current === undefined) {
      if (tokens !== undefined) await deps.revokeOrphaned(state, tokens);
      return NOT_FOUND;
    }
    if (current.status !== 'active') return REFUSED;
    return current.version === state.version ? unavailable(LOOK_MS) : { ok: true, state: current };
  }

  /**
   * After the provider's 401 to `target.version`. Null: no refresh is possible or allowed now, so the provider's
   * answer stands. `isByClient`: the integration's client gets the next token, so no refresh token is needed.
   */
  async function refreshAfter401(
    target: RefreshTarget,
    { isByClient = false } = {},
  ): Promise<RefreshResult | null> {
    const current = await store.read(target.connectionId, target.projectId);
    if (current === undefined) return null;
    // Another call of the burst, or another process, has heard already that the grant is dead.
    if (current.status !== 'active') return REFUSED;
    if (current.version !== target.version) return { ok: true, state: current };
    if (current.credentials.refreshToken === null && !isByClient) return null;
    const isUnknown = refreshStateOf(current).kind === 'unknown';
    if (isUnknown && (await giveUp(target, current, true))) return REFUSED;
    if (await store.claimForcedRefresh(target)) return refresh(target);
    const after = await store.read(target.connectionId, target.projectId);
    if (after === undefined) return null;
    if (after.status !== 'active') return REFUSED;
    return after.version === target.version ? null : { ok: true, state: after };
  }

  return {
    refresh,
    refreshAfter401,
    /** A change of the connection was announced: whoever waits for another process looks at the row at once. */
    noteChange: wakeUps.wakeUp,
    /** Resolves when the refreshes under way have ended and no late answer is waited for. */
    async settled(): Promise<void> {
      while (underWay.size > 0 || listening.size > 0) {
        await Promise.allSettled([...underWay.values(), ...listening]);
      }
    },
  };
}

function keyOf({ connectionId, version }: RefreshTarget): string {
  return `${connectionId} ${version}`;
}

/** A definitive 4xx that is neither understood nor about the client. */
function isTokenRefused({ kind, delivery }: Failure): boolean {
  return kind === 'rejected' && delivery === 'answered';
}

function reasonOf({ errorCode, words }: Failure): string {
  return words === undefined ? errorCode : `${errorCode} (“${words}”)`;
}

function unavailable(retryInMs: number): RefreshRefusal {
  const retryAfterSeconds = Math.max(1, Math.ceil(retryInMs / 1000));
  return { ok: false, code: 'refresh_unavailable', retryAfterSeconds };
}

function unavailableWhileUnknown({ retryInMs }: { readonly retryInMs: number }): RefreshRefusal {
  return unavailable(Math.max(retryInMs, UNKNOWN_RETRY_SECONDS * 1000));
}

/** Full jitter between one second and `mostMs`: a dead provider is asked often enough to heal quickly. */
export function backoffMs(failures: number, random: number, mostMs: number = RETRY_MS_MAX): number {
  return Math.max(1_000, Math.round(random * Math.min(mostMs, 1_000 * 2 ** Math.min(failures + 1, 10))));
}

/**
 * When to refresh ahead of expiry: in the last fifth of the token's life, ten minutes at the most, with a spread per
 * connection so that tokens issued together are not refreshed together. All in milliseconds; `spread` in [0, 1).
 */
export function refreshMarginMs(lifetimeSeconds: number | null, spread: number): number {
  const lifetimeMs = (lifetimeSeconds ?? 3600) * 1000;
  return Math.min(600_000, lifetimeMs / 5) * (0.5 + spread / 2);
}
