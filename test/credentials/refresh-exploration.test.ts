import {
  nextRefreshState,
  REFRESH_KINDS,
  type RefreshEvent,
  type RefreshState,
} from '../../src/credentials/refreshing/refresh-state.ts';

/**
 * Every interleaving of three replicas that refresh one connection, walked exhaustively: the provider answers, answers
 * late, refuses, fails, loses an answer or a request; the store takes what a replica has to write at once, late, or after
 * the lease; a replica is killed after any step. The row moves by the product's own table; the replicas do what
 * `access-tokens.ts` does with its outcome. That a statement whose answer was lost may be repeated, and that a claim is found
 * again by its owner, is the store's to prove: see `refresh.store.test.ts` and `refresh-store-faults.test.ts`.
 */

const ANSWERS = ['tokens', 'refusal', 'failure'] as const;
type Answer = (typeof ANSWERS)[number];

/**
 * `claimed`: the lease is taken and nothing is sent. `withdrawing`: nothing will be, and the store has not taken that yet.
 * `waiting`: within the time-out. `listening`: past it. An answer stands for one that has arrived and is not stored.
 */
const PLACES = ['ready', 'claimed', 'withdrawing', 'waiting', 'listening', ...ANSWERS] as const;
type Place = (typeof PLACES)[number];
/** The request, or its answer, on its way; `none`: there is none, or it was lost. */
const FLIGHTS = ['none', 'request', ...ANSWERS] as const;
type Flight = (typeof FLIGHTS)[number];

type Replica = Readonly<{ place: Place; flight: Flight; isLastAsker: boolean }>;

type World = Readonly<{
  row: RefreshState;
  replicas: readonly Replica[];
  /** The process that asked last was killed. */
  isLastAskerGone: boolean;
  /** Tokens have been stored. */
  isDone: boolean;
  /** The provider has exchanged the refresh token. */
  isSpent: boolean;
  /** The user has revoked the grant at the provider. */
  isRevoked: boolean;
  isAccessTokenOver: boolean;
  isGraceOver: boolean;
  /** Requests sent whose failure has not been stored. */
  inDoubt: number;
  sendings: number;
  /** The one that asked last has written down that the grant is dead. */
  isRefusalKnown: boolean;
  /** Kills, and faults before the first byte. */
  mishaps: number;
  /** A connection broke after the request was sent. */
  hasLost: boolean;
  /** Claims after which the provider has executed nothing, and whose outcome was never heard: another process cannot tell. */
  lostUnspent: number;
  /** The claim that stands is a last try. */
  isLastTry: boolean;
  /** Its answer was lost, too. */
  isLastTrySpent: boolean;
}>;

const MISHAPS_MAX = 2;
/** Enough for each replica to ask, or for one of them to ask again and again. */
const SENDINGS_MAX = 3;

type Policy = 'once' | 'within' | 'many';

const IDLE: Replica = { place: 'ready', flight: 'none', isLastAsker: false };
const START: World = {
  row: { kind: 'idle', unanswered: 0 },
  replicas: [IDLE, IDLE, IDLE],
  isLastAskerGone: false,
  isDone: false,
  isSpent: false,
  isRevoked: false,
  isAccessTokenOver: false,
  isGraceOver: false,
  inDoubt: 0,
  sendings: 0,
  isRefusalKnown: false,
  mishaps: 0,
  hasLost: false,
  lostUnspent: 0,
  isLastTry: false,
  isLastTrySpent: false,
};

/** The replica as a number below 2 x 8 x 5. */
function codeOf({ place, flight, isLastAsker }: Replica): number {
  return (PLACES.indexOf(place) * FLIGHTS.length + FLIGHTS.indexOf(flight)) * 2 + Number(isLastAsker);
}

const CODES = 2 * PLACES.length * FLIGHTS.length;
/** More than any count of a world may be: every sending and every mishap may be a claim. */
const COUNTS = 2 + SENDINGS_MAX + MISHAPS_MAX;

/**
 * The world as one number: a set of those is many times as fast as one of texts. Worlds that differ only in which
 * replica is which are the same.
 */
function keyOf({ row, replicas, inDoubt, sendings, mishaps, lostUnspent, ...facts }: World): number {
  const counts = [row.unanswered, inDoubt, sendings, mishaps, lostUnspent];
  if (counts.some((count) => count < 0 || count >= COUNTS)) throw new Error(`no key holds ${counts}`);
  let key = REFRESH_KINDS.indexOf(row.kind);
  for (const code of replicas.map(codeOf).sort((one, other) => one - other)) key = key * CODES + code;
  for (const count of counts) key = key * COUNTS + count;
  for (const fact of Object.values(facts)) key = key * 2 + Number(fact);
  return key;
}

function withReplica(world: World, index: number, change: Partial<Replica>): World {
  const replicas = world.replicas.map((replica, place) =>
    place === index ? { ...replica, ...change } : replica,
  );
  return { ...world, replicas };
}

/** The world after an event of the row; undefined where the row does not take it. */
function after(world: World, event: RefreshEvent): World | undefined {
  const row = nextRefreshState(world.row, event);
  return row && { ...world, row };
}

const mayRepeat = (world: World, policy: Policy) =>
  policy === 'many' || (policy === 'within' && !world.isGraceOver);
const isDead = (world: World, policy: Policy) =>
  world.isRevoked || (world.isSpent && !mayRepeat(world, policy));

/** Every world that is one step away. */
function steps(world: World, policy: Policy): World[] {
  const codes = world.replicas.map(codeOf);
  // A replica in the same state as an earlier one can do nothing else.
  const distinct = world.replicas.flatMap((replica, index) =>
    codes.indexOf(codes[index] ?? -1) === index ? [{ replica, index }] : [],
  );
  const ofReplicas = distinct.flatMap(({ replica, index }) => [
    ...claims(world, replica, index, policy),
    ...sendings(world, replica, index),
    ...withdrawals(world, replica, index),
    ...hearings(world, replica, index),
    ...kills(world, replica, index),
    ...answers(world, replica, index, policy),
  ]);
  return [...ofReplicas, ...stepsOfTime(world, policy)];
}

function claims(world: World, { place }: Replica, index: number, policy: Policy): World[] {
  if (place !== 'ready' || world.isDone || world.sendings >= SENDINGS_MAX) return [];
  const isLastTry = canTryLast(world, policy);
  const claimed = after(world, mayRepeat(world, policy) ? 'claim_again' : isLastTry ? 'claim_last' : 'claim');
  if (claimed === undefined) return [];
  const replicas = claimed.replicas.map((replica) => ({ ...replica, isLastAsker: false }));
  return [
    withReplica({ ...claimed, replicas, isLastTry, isLastAskerGone: false }, index, {
      place: 'claimed',
      isLastAsker: true,
    }),
  ];
}

function sendings(world: World, { place }: Replica, index: number): World[] {
  if (place !== 'claimed') return [];
  return [
    {
      ...withReplica(world, index, { place: 'waiting', flight: 'request' }),
      inDoubt: world.inDoubt + 1,
      sendings: world.sendings + 1,
    },
  ];
}

/** Something fails before the first byte; the store takes the claim back at once, later, or after another claim. */
function withdrawals(world: World, { place, isLastAsker }: Replica, index: number): World[] {
  if (place === 'claimed') {
    if (world.mishaps >= MISHAPS_MAX) return [];
    return [withReplica({ ...world, mishaps: world.mishaps + 1 }, index, { place: 'withdrawing' })];
  }
  if (place !== 'withdrawing') return [];
  const back = withReplica(world, index, { place: 'ready' });
  if (world.isDone) return [back];
  return [after(back, isLastAsker ? 'withdrawal' : 'stale_failure') ?? back];
}

/** What a replica does with its time-out, with a connection that broke, and with an answer that it holds. */
function hearings(world: World, replica: Replica, index: number): World[] {
  const { place, flight } = replica;
  const found: World[] = [];
  const isAsking = place === 'waiting' || place === 'listening';
  const unheard = place === 'waiting' ? bySilence(world, replica) : world;
  if (place === 'waiting') found.push(withReplica(unheard, index, { place: 'listening' }));
  if (isAsking && flight === 'none') found.push(withReplica(unheard, index, { place: 'ready' }));
  if (place === 'tokens' || place === 'refusal' || place === 'failure') {
    found.push(stored(withReplica(world, index, { place: 'ready' }), replica, place));
  }
  return found;
}

/** Only for the replica that asked last. */
function bySilence(world: World, { isLastAsker }: Replica): World {
  const silent = isLastAsker && !world.isDone ? after(world, 'silence') : undefined;
  return silent ? { ...silent, isLastTrySpent: world.isLastTrySpent || world.isLastTry } : world;
}

function stored(world: World, { isLastAsker }: Replica, answer: Answer): World {
  if (world.isDone) return world;
  if (answer === 'tokens') {
    const done = after(world, 'tokens');
    if (done === undefined) throw new Error(`tokens were thrown away: ${JSON.stringify(world)}`);
    return { ...done, isDone: true, inDoubt: 0 };
  }
  if (answer === 'refusal') {
    const refused = isLastAsker ? after(world, 'refusal') : undefined;
    return refused ? { ...refused, isRefusalKnown: true } : world;
  }
  const settled = after(world, isLastAsker ? 'failure' : 'stale_failure');
  if (settled === undefined) return world;
  const isLastTrySpent = world.isLastTrySpent && !isLastAsker;
  return { ...settled, isLastTrySpent, inDoubt: world.inDoubt - 1 };
}

/** The process is gone, and with it what was on its way; another one starts in its place. */
function kills(world: World, { place, flight, isLastAsker }: Replica, index: number): World[] {
  if (place === 'ready' || world.mishaps >= MISHAPS_MAX) return [];
  const killed = {
    ...withReplica(world, index, IDLE),
    isLastAskerGone: world.isLastAskerGone || isLastAsker,
    mishaps: world.mishaps + 1,
  };
  // The provider may get the request all the same.
  const unheard = { ...killed, lostUnspent: world.lostUnspent + 1 };
  if (flight === 'request') return [unheard, { ...killed, isSpent: true }];
  const isUnheard = [flight, place].includes('failure') || place === 'claimed' || place === 'withdrawing';
  return [isUnheard ? unheard : killed];
}

function answers(world: World, { place, flight }: Replica, index: number, policy: Policy): World[] {
  const lost = { ...withReplica(world, index, { flight: 'none' }), hasLost: true };
  if (flight === 'request') {
    const failed = withReplica(world, index, { flight: 'failure' });
    const unexecuted = { ...lost, lostUnspent: world.lostUnspent + 1 };
    if (isDead(world, policy)) return [failed, unexecuted, withReplica(world, index, { flight: 'refusal' })];
    const exchanged = withReplica({ ...world, isSpent: true }, index, { flight: 'tokens' });
    return [failed, unexecuted, exchanged, { ...lost, isSpent: true }];
  }
  if (flight === 'none' || (place !== 'waiting' && place !== 'listening')) return [];
  const lostAnswer = flight === 'failure' ? { ...lost, lostUnspent: world.lostUnspent + 1 } : lost;
  return [withReplica(world, index, { flight: 'none', place: flight }), lostAnswer];
}

function stepsOfTime(world: World, policy: Policy): World[] {
  const { isLastAskerGone, isDone, replicas } = world;
  // The store has not taken the outcome for longer than the lease, though the process lives.
  const isUntold = replicas.some(({ place, isLastAsker }) => isLastAsker && isUnwritten(place));
  const leaseEnd = (isLastAskerGone || isUntold) && !isDone ? after(world, 'lease_end') : undefined;
  const waitEnd = after(world, 'wait_end');
  const givenUp = canGiveUp(world, policy) ? after(world, 'give_up') : undefined;
  // A claim leaves time for its request: see `reuseSeconds`.
  const canGraceEnd = policy === 'within' && !replicas.some(({ place }) => place === 'claimed');
  return [
    ...[leaseEnd, waitEnd, givenUp].filter((next) => next !== undefined),
    ...(world.isAccessTokenOver ? [] : [{ ...world, isAccessTokenOver: true }]),
    ...(world.isGraceOver || !canGraceEnd ? [] : [{ ...world, isGraceOver: true }]),
    ...(world.isRevoked ? [] : [{ ...world, isRevoked: true }]),
  ];
}

const isUnwritten = (place: Place) =>
  place === 'withdrawing' || place === 'tokens' || place === 'refusal' || place === 'failure';

/**
 * No replica listens any more, or holds what it heard: it is alive, or it was announced that there will be a last try, and
 * then it has written what it holds.
 */
function isNothingAwaited({ isLastAskerGone, replicas }: World): boolean {
  return isLastAskerGone || replicas.every(({ place }) => place === 'ready');
}

/** As in the store: so many requests without an answer are the end. */
const isLastTryOver = ({ isLastTrySpent, row }: World) => isLastTrySpent || row.unanswered >= 4;

/** As the store's last try: nothing is left to lose. */
function canTryLast(world: World, policy: Policy): boolean {
  const isInDoubt = world.row.kind === 'unknown' && !mayRepeat(world, policy);
  return isInDoubt && world.isAccessTokenOver && isNothingAwaited(world) && !isLastTryOver(world);
}

/** As the store's `giveUp`. */
function canGiveUp(world: World, policy: Policy): boolean {
  const isUseless = world.isAccessTokenOver && isNothingAwaited(world);
  return isUseless && isLastTryOver(world) && !mayRepeat(world, policy);
}

/** Calls `check` with every world that can come about, and with those one step further. */
function explore(policy: Policy, check: (world: World, next: readonly World[]) => void): void {
  const seen = new Set<number>([keyOf(START)]);
  const waiting = [START];
  for (let world = waiting.pop(); world !== undefined; world = waiting.pop()) {
    const next = steps(world, policy);
    check(world, next);
    for (const other of next) {
      const key = keyOf(other);
      if (seen.has(key)) continue;
      seen.add(key);
      waiting.push(other);
    }
  }
}

type Fault =
  | 'sent twice'
  | 'sent while an answer can come'
  | 'ended by waiting'
  | 'ended while unspent'
  | 'asked when dead'
  | 'stuck';

/** A request of a living replica is on its way, its answer is, or has arrived and is not stored. */
const isAnswerComing = ({ replicas }: World) =>
  replicas.some(
    ({ place, flight }) =>
      flight !== 'none' || place === 'tokens' || place === 'refusal' || place === 'failure',
  );

function faultsOf(world: World, next: readonly World[], policy: Policy): Fault[] {
  const { row, isRevoked, isSpent, hasLost, mishaps, isAccessTokenOver } = world;
  const isRefused = row.kind === 'refused';
  // While an answer comes, its tokens still heal the connection.
  const isEnded = isRefused && !isAnswerComing(world);
  const isUndisturbed = !hasLost && mishaps === 0;
  const isSendingNext = next.some((other) => other.sendings > world.sendings);
  const isQuiet = !world.isDone && world.replicas.every(({ place }) => place === 'ready');
  const moves = next.some((other) => other.row !== row);
  const faults: (Fault | false)[] = [
    isSendingNext && world.inDoubt > 0 && !mayRepeat(world, policy) && !isAccessTokenOver && 'sent twice',
    isSendingNext && policy === 'once' && isAnswerComing(world) && 'sent while an answer can come',
    // Slow answers alone, however late and in whatever order, end no grant that the user has not ended.
    isRefused && isUndisturbed && !isRevoked && policy === 'once' && 'ended by waiting',
    isEnded && !isRevoked && !isSpent && world.lostUnspent < 2 && 'ended while unspent',
    isSendingNext && world.isRefusalKnown && 'asked when dead',
    isQuiet && !isRefused && isAccessTokenOver && !moves && world.sendings < SENDINGS_MAX && 'stuck',
  ];
  return faults.filter((fault) => fault !== false);
}

describe.each(['once', 'within', 'many'] as const)(
  'three replicas and a refresh token that may be sent %s',
  (policy) => {
    const kinds = new Set<RefreshState['kind']>();
    /** An example of each fault. */
    const faults = new Map<Fault, string>();

    beforeAll(() => {
      explore(policy, (world, next) => {
        kinds.add(world.row.kind);
        for (const fault of faultsOf(world, next, policy)) faults.set(fault, JSON.stringify(world));
      });
    });

    it('are walked through every state of the table', () => {
      expect([...kinds].sort()).toEqual([...REFRESH_KINDS].sort());
    });

    it('never send it a second time while an earlier request is in doubt and the access token serves', () => {
      expect(faults.get('sent twice')).toBeUndefined();
    });

    it('never send a token that works once while the answer to an earlier request can come', () => {
      expect(faults.get('sent while an answer can come')).toBeUndefined();
    });

    it('end no grant for slow answers, in whatever order they come', () => {
      expect(faults.get('ended by waiting')).toBeUndefined();
    });

    it('end no valid grant whose token is unspent, unless the outcomes of two claims were never heard', () => {
      expect(faults.get('ended while unspent')).toBeUndefined();
    });

    it('do not keep asking for a grant that is dead', () => {
      expect(faults.get('asked when dead')).toBeUndefined();
    });

    it('are never stuck: a caller gets a token, gets a refusal, or may ask', () => {
      expect(faults.get('stuck')).toBeUndefined();
    });
  },
);
