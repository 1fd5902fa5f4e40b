import type { TokenFailureKind } from '../../oauth/token-error.ts';

/**
 * The life of one refresh, as a table. A connection's row is in exactly one of these:
 *
 * - `idle`: the provider may be asked for the next access token.
 * - `asking`: one process holds the lease and asks.
 * - `unknown`: a request went out and its answer has not come (a time-out, a broken connection, a process that died).
 *   The refresh token may be spent.
 * - `postponed`: the provider answered that it cannot now; the row names the time until which no process asks.
 * - `refused`: the grant is dead; its user has to authorize again (`reauthorization_required`).
 */
export const REFRESH_KINDS = ['idle', 'asking', 'unknown', 'postponed', 'refused'] as const;
export type RefreshKind = (typeof REFRESH_KINDS)[number];

export type RefreshState = Readonly<{
  kind: RefreshKind;
  /** Requests for the present version that have begun and of which no answer is known; the one under way counts. */
  unanswered: number;
}>;

/**
 * - `claim`: a process takes the lease, with a token that must not be sent twice.
 * - `claim_again`: the same with a token that the provider takes once more (reusable, or within its grace period).
 * - `claim_last`: the same with a token that may be spent, a last time: no answer can come any more, the access token is of
 *   no use, and so the worst answer is what giving up leads to.
 * - `withdrawal`: the process that claimed takes its claim back, since nothing was sent.
 * - `tokens`: an answer with tokens for the present version, in time or late, whichever process asked.
 * - `refusal`: the process that asked last got the answer that the grant is dead.
 * - `failure`: it got the answer to try again later, or nothing was sent.
 * - `stale_failure`: a process that asked before the last one got that answer.
 * - `silence`: it got no answer within its time-out, or the connection broke after the request was sent.
 * - `lease_end`: the lease ran out, or its process is gone.
 * - `wait_end`: the time until which the row was postponed has come.
 * - `give_up`: the answer of a last try was lost as well, no answer can come any more, and the access token is of no use.
 * - `reauthorization`: the user authorized again.
 * - `correction`: an operator corrected the integration's client.
 */
export const REFRESH_EVENTS = [
  'claim',
  'claim_again',
  'claim_last',
  'withdrawal',
  'tokens',
  'refusal',
  'failure',
  'stale_failure',
  'silence',
  'lease_end',
  'wait_end',
  'give_up',
  'reauthorization',
  'correction',
] as const;
export type RefreshEvent = (typeof REFRESH_EVENTS)[number];

type Step = (unanswered: number) => RefreshState;

const IDLE: Step = () => ({ kind: 'idle', unanswered: 0 });
const REFUSED: Step = () => ({ kind: 'refused', unanswered: 0 });
const ASKING: Step = (unanswered) => ({ kind: 'asking', unanswered: unanswered + 1 });
const UNKNOWN: Step = (unanswered) => ({ kind: 'unknown', unanswered });
/** One request is answered; that says nothing of an earlier one whose answer has not come. */
const SETTLED: Step = (unanswered) =>
  unanswered > 1 ? { kind: 'unknown', unanswered: unanswered - 1 } : { kind: 'postponed', unanswered: 0 };

/** As if the process had never claimed. */
const WITHDRAWN: Step = (unanswered) =>
  unanswered > 1 ? { kind: 'unknown', unanswered: unanswered - 1 } : { kind: 'idle', unanswered: 0 };

const SETTLED_EARLIER: Step = (unanswered) => ({ kind: 'asking', unanswered: Math.max(1, unanswered - 1) });

const TRANSITIONS: Readonly<Record<RefreshKind, Readonly<Partial<Record<RefreshEvent, Step>>>>> = {
  idle: { claim: ASKING, claim_again: ASKING, tokens: IDLE, reauthorization: IDLE },
  asking: {
    withdrawal: WITHDRAWN,
    tokens: IDLE,
    refusal: REFUSED,
    failure: SETTLED,
    stale_failure: SETTLED_EARLIER,
    silence: UNKNOWN,
    lease_end: UNKNOWN,
    reauthorization: IDLE,
  },
  unknown: {
    claim_again: ASKING,
    claim_last: ASKING,
    withdrawal: WITHDRAWN,
    tokens: IDLE,
    refusal: REFUSED,
    failure: SETTLED,
    stale_failure: SETTLED,
    give_up: REFUSED,
    reauthorization: IDLE,
  },
  postponed: { tokens: IDLE, wait_end: IDLE, reauthorization: IDLE, correction: IDLE },
  // Tokens that come after the refusal of a later request for the same version prove that the grant lives.
  refused: { tokens: IDLE, reauthorization: IDLE },
};

/**
 * The state that an event leads to; undefined where the event changes nothing in this state. Pure. No process runs it: it
 * is the model that the statements of `refresh.store.ts` are tested against.
 */
export function nextRefreshState(state: RefreshState, event: RefreshEvent): RefreshState | undefined {
  return TRANSITIONS[state.kind][event]?.(state.unanswered);
}

/** What a row says of its refresh. Times are the store's. */
export type RefreshColumns = Readonly<{
  status: 'active' | 'reauthorization_required';
  /** A lease is held by a process that is alive. */
  isLeased: boolean;
  unanswered: number;
  /** Milliseconds until the next request is allowed; 0 where one is allowed now. */
  retryInMs: number;
}>;

/** The state that a row is in. Pure. */
export function readRefreshState({ status, isLeased, unanswered, retryInMs }: RefreshColumns): RefreshState {
  if (status !== 'active') return { kind: 'refused', unanswered };
  if (isLeased) return { kind: 'asking', unanswered };
  if (unanswered > 0) return { kind: 'unknown', unanswered };
  return { kind: retryInMs > 0 ? 'postponed' : 'idle', unanswered };
}

/**
 * What is to be done about a row in `unknown`: `wait`, `announce` a last try to processes that may hold an answer, `ask`
 * for the last time, or `give_up`. Pure.
 */
export function nextInDoubt({
  isAccessTokenUseless,
  answerInMs,
  retryInMs,
  lastTryInMs,
  isLastTrySpent,
}: {
  readonly isAccessTokenUseless: boolean;
  readonly answerInMs: number;
  readonly retryInMs: number;
  /** Null: not announced. */
  readonly lastTryInMs: number | null;
  readonly isLastTrySpent: boolean;
}): 'wait' | 'announce' | 'ask' | 'give_up' {
  if (!isAccessTokenUseless || answerInMs > 0) return 'wait';
  if (isLastTrySpent) return 'give_up';
  if (lastTryInMs === null) return 'announce';
  return Math.max(lastTryInMs, retryInMs) > 0 ? 'wait' : 'ask';
}

/** The outcome of a process's token request. */
export type HeardOutcome =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly kind: TokenFailureKind;
      readonly delivery: 'answered' | 'not_sent' | 'unanswered';
    };

/** The event that an outcome is for the row. Pure. */
export function readRefreshEvent(outcome: HeardOutcome): RefreshEvent {
  if (outcome.ok) return 'tokens';
  if (outcome.delivery === 'unanswered') return 'silence';
  return outcome.kind === 'invalid_grant' ? 'refusal' : 'failure';
}

/**
 * How often a refresh token may be sent: `many` (also a token that is renewed by something else), `once`, or once more
 * within so many seconds after it was first sent.
 */
export type TokenReuse =
  | { readonly kind: 'many' }
  | { readonly kind: 'once' }
  | { readonly kind: 'within'; readonly seconds: number };

/** Between a claim and the provider's receipt of the request lies less than this. */
const SENDING_SECONDS = 10;

/**
 * Seconds after the first unanswered request during which a claim may send the token again: early enough that the
 * provider gets it within its grace period. Pure.
 */
export function reuseSeconds(reuse: TokenReuse): number {
  if (reuse.kind === 'many') return Number.POSITIVE_INFINITY;
  if (reuse.kind === 'once') return 0;
  return Math.max(reuse.seconds - SENDING_SECONDS, reuse.seconds / 2);
}
