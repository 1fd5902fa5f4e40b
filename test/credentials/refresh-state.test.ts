import {
  nextInDoubt,
  nextRefreshState,
  REFRESH_EVENTS,
  REFRESH_KINDS,
  type RefreshEvent,
  type RefreshKind,
  type RefreshState,
  readRefreshEvent,
  readRefreshState,
} from '../../src/credentials/refreshing/refresh-state.ts';

const IDLE: RefreshState = { kind: 'idle', unanswered: 0 };
const REFUSED: RefreshState = { kind: 'refused', unanswered: 0 };
const POSTPONED: RefreshState = { kind: 'postponed', unanswered: 0 };
const unknown = (unanswered: number): RefreshState => ({ kind: 'unknown', unanswered });
const asking = (unanswered: number): RefreshState => ({ kind: 'asking', unanswered });
const SAME = undefined;

/** The whole table once more, as it was decided; a change of the code has to be a change of this as well. */
const EXPECTED: Record<RefreshKind, Record<RefreshEvent, RefreshState | undefined>> = {
  idle: {
    claim: asking(1),
    claim_again: asking(1),
    claim_last: SAME,
    withdrawal: SAME,
    tokens: IDLE,
    refusal: SAME,
    failure: SAME,
    stale_failure: SAME,
    silence: SAME,
    lease_end: SAME,
    wait_end: SAME,
    give_up: SAME,
    reauthorization: IDLE,
    correction: SAME,
  },
  asking: {
    claim: SAME,
    claim_again: SAME,
    claim_last: SAME,
    withdrawal: IDLE,
    tokens: IDLE,
    refusal: REFUSED,
    failure: POSTPONED,
    stale_failure: asking(1),
    silence: unknown(1),
    lease_end: unknown(1),
    wait_end: SAME,
    give_up: SAME,
    reauthorization: IDLE,
    correction: SAME,
  },
  unknown: {
    claim: SAME,
    claim_again: asking(2),
    claim_last: asking(2),
    withdrawal: IDLE,
    tokens: IDLE,
    refusal: REFUSED,
    failure: POSTPONED,
    stale_failure: POSTPONED,
    silence: SAME,
    lease_end: SAME,
    wait_end: SAME,
    give_up: REFUSED,
    reauthorization: IDLE,
    correction: SAME,
  },
  postponed: {
    claim: SAME,
    claim_again: SAME,
    claim_last: SAME,
    withdrawal: SAME,
    tokens: IDLE,
    refusal: SAME,
    failure: SAME,
    stale_failure: SAME,
    silence: SAME,
    lease_end: SAME,
    wait_end: IDLE,
    give_up: SAME,
    reauthorization: IDLE,
    correction: IDLE,
  },
  refused: {
    claim: SAME,
    claim_again: SAME,
    claim_last: SAME,
    withdrawal: SAME,
    tokens: IDLE,
    refusal: SAME,
    failure: SAME,
    stale_failure: SAME,
    silence: SAME,
    lease_end: SAME,
    wait_end: SAME,
    give_up: SAME,
    reauthorization: IDLE,
    correction: SAME,
  },
};

const unansweredIn = (kind: RefreshKind) => (kind === 'asking' || kind === 'unknown' ? 1 : 0);
const cells = REFRESH_KINDS.flatMap((kind) =>
  REFRESH_EVENTS.map((event) => [kind, event, EXPECTED[kind][event]] as const),
);

describe('the table of a refresh', () => {
  it.each(cells)('leads from %s by %s to %j', (kind, event, expected) => {
    expect(nextRefreshState({ kind, unanswered: unansweredIn(kind) }, event)).toEqual(expected);
  });

  it('keeps an earlier request in doubt when a later one is answered with a failure', () => {
    expect(nextRefreshState(asking(2), 'failure')).toEqual(unknown(1));
    expect(nextRefreshState(unknown(3), 'failure')).toEqual(unknown(2));
  });

  it('keeps an earlier request in doubt when a later claim is taken back', () => {
    expect(nextRefreshState(asking(2), 'withdrawal')).toEqual(unknown(1));
    expect(nextRefreshState(unknown(2), 'withdrawal')).toEqual(unknown(1));
  });

  it('settles the doubt about an earlier request while a later one is under way', () => {
    expect(nextRefreshState(asking(2), 'stale_failure')).toEqual(asking(1));
    expect(nextRefreshState(unknown(2), 'stale_failure')).toEqual(unknown(1));
  });

  it('counts no unanswered request after tokens or a refusal', () => {
    expect(nextRefreshState(asking(3), 'tokens')).toEqual(IDLE);
    expect(nextRefreshState(asking(3), 'refusal')).toEqual(REFUSED);
  });
});

describe('the state that a row is in', () => {
  const row = { status: 'active', isLeased: false, unanswered: 0, retryInMs: 0 } as const;

  it.each([
    [{}, 'idle'],
    [{ isLeased: true, unanswered: 1 }, 'asking'],
    [{ unanswered: 1 }, 'unknown'],
    [{ unanswered: 1, retryInMs: 500 }, 'unknown'],
    [{ retryInMs: 1 }, 'postponed'],
    [{ status: 'reauthorization_required', isLeased: true, unanswered: 2 }, 'refused'],
  ] as const)('with %j is %s', (columns, kind) => {
    expect(readRefreshState({ ...row, ...columns }).kind).toBe(kind);
  });
});

describe('a refresh in doubt', () => {
  const useless = {
    ...{ isAccessTokenUseless: true, answerInMs: 0, retryInMs: 0, lastTryInMs: 0 },
    isLastTrySpent: false,
  };

  it.each([
    ['is tried a last time', {}, 'ask'],
    ['waits while the access token serves', { isAccessTokenUseless: false }, 'wait'],
    ['waits while an answer can come', { answerInMs: 1 }, 'wait'],
    ['waits while an answer can come to the last try', { answerInMs: 1, isLastTrySpent: true }, 'wait'],
    ['is announced to processes that may hold an answer', { lastTryInMs: null }, 'announce'],
    ['waits until they have had time to write it', { lastTryInMs: 1 }, 'wait'],
    ['waits between two requests', { retryInMs: 1 }, 'wait'],
    ['ends after a last try', { isLastTrySpent: true, lastTryInMs: null }, 'give_up'],
  ] as const)('%s', (_, facts, expected) => {
    expect(nextInDoubt({ ...useless, ...facts })).toBe(expected);
  });
});

describe('what a process is answered', () => {
  it.each([
    [{ ok: true }, 'tokens'],
    [{ ok: false, kind: 'invalid_grant', delivery: 'answered' }, 'refusal'],
    [{ ok: false, kind: 'invalid_grant', delivery: 'not_sent' }, 'refusal'],
    [{ ok: false, kind: 'transient', delivery: 'answered' }, 'failure'],
    [{ ok: false, kind: 'rejected', delivery: 'answered' }, 'failure'],
    [{ ok: false, kind: 'client', delivery: 'answered' }, 'failure'],
    [{ ok: false, kind: 'transient', delivery: 'not_sent' }, 'failure'],
    [{ ok: false, kind: 'transient', delivery: 'unanswered' }, 'silence'],
    [{ ok: false, kind: 'lost', delivery: 'unanswered' }, 'silence'],
  ] as const)('%j is the event %s', (outcome, event) => {
    expect(readRefreshEvent(outcome)).toBe(event);
  });
});
