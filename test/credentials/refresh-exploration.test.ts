import {
  nextRefreshState,
  REFRESH_KINDS,
  type RefreshEvent,
  type RefreshState,
} from '../../src/credentials/refresh-state.ts';

/**
 * Every interleaving of three replicas that refresh one connection, walked exhaustively: the provider answers, answers
 * late, refuses, fails, loses an answer or a request, and a replica is killed after any step. The row moves by the
 * product's own table; the replicas do what `access-tokens.ts` does with its outcome.
 */

const ANSWERS = ['tokens', 'refusal', 'failure'] as const;
type Answer = (typeof ANSWERS)[number];

/**
 * `claimed`: the lease is taken and nothing is sent. `waiting`: within the time-out. `listening`: past it. An answer
 * stands for one that has arrived and is not stored.
 */
const PLACES = ['ready', 'claimed', 'waiting', 'listening', ...ANSWERS] as const;
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
  kills: number;
  /** A connection broke after the request was sent. */
  hasLost: boolean;
}>;

const KILLS_MAX = 2;
/** Enough for each replica to ask, and for one of them to ask again. */
const SENDINGS_MAX = 4;

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
  kills: 0,
  hasLost: false,
};

/** The replica as a number below 2 x 7 x 5. */
function codeOf({ place, flight, isLastAsker }: Replica): number {
  return (PLACES.indexOf(place) * FLIGHTS.length + FLIGHTS.indexOf(flight)) * 2 + Number(isLastAsker);
}

const CODES = 2 * PLACES.length * FLIGHTS.length;
/** More than any count of a world may be: every sending and every kill may be a claim. */
const COUNTS = 2 + SENDINGS_MAX + KILLS_MAX;

/**
 * The world as one number: a set of those is many times as fast as one of texts. Worlds that differ only in which
 * replica is which are the same.
 */
function keyOf({ row, replicas, inDoubt, sendings, kills, ...facts }: World): number {
  const counts = [row.unanswered, inDoubt, sendings, kills];
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
    ...hearings(world, replica, index),
    ...kills(world, replica, index),
    ...answers(world, replica, index, policy),
  ]);
  return [...ofReplicas, ...stepsOfTime(world, policy)];
}

function claims(world: World, { place }: Replica, index: number, policy: Policy): World[] {
  if (place !== 'ready' || world.isDone || world.sendings >= SENDINGS_MAX) return [];
  const claimed = after(world, mayRepeat(world, policy) ? 'claim_again' : 'claim');
  if (claimed === undefined) return [];
  const replicas = claimed.replicas.map((replica) => ({ ...replica, isLastAsker: false }));
  return [
    withReplica({ ...claimed, replicas, isLastAskerGone: false }, index, {
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
  return (isLastAsker && !world.isDone && after(world, 'silence')) || world;
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
  return settled ? { ...settled, inDoubt: world.inDoubt - 1 } : world;
}

/** The process is gone, and with it what was on its way; another one starts in its place. */
function kills(world: World, { place, flight, isLastAsker }: Replica, index: number): World[] {
  if (place === 'ready' || world.kills >= KILLS_MAX) return [];
  const killed = {
    ...withReplica(world, index, IDLE),
    isLastAskerGone: world.isLastAskerGone || isLastAsker,
    kills: world.kills + 1,
  };
  // The provider may get the request all the same.
  return flight === 'request' ? [killed, { ...killed, isSpent: true }] : [killed];
}

function answers(world: World, { place, flight }: Replica, index: number, policy: Policy): World[] {
  const lost = { ...withReplica(world, index, { flight: 'none' }), hasLost: true };
  if (flight === 'request') {
    const failed = withReplica(world, index, { flight: 'failure' });
    if (isDead(world, policy)) return [failed, lost, withReplica(world, index, { flight: 'refusal' })];
    const exchanged = withReplica({ ...world, isSpent: true }, index, { flight: 'tokens' });
    return [failed, lost, exchanged, { ...lost, isSpent: true }];
  }
  if (flight === 'none' || (place !== 'waiting' && place !== 'listening')) return [];
  return [withReplica(world, index, { flight: 'none', place: flight }), lost];
}

function stepsOfTime(world: World, policy: Policy): World[] {
  const { isLastAskerGone, isDone, replicas } = world;
  const leaseEnd = isLastAskerGone && !isDone ? after(world, 'lease_end') : undefined;
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

/** As the store's `giveUp`: no replica listens any more, or holds what it heard. */
function canGiveUp(world: World, policy: Policy): boolean {
  const isListening = !world.isLastAskerGone && world.replicas.some(({ place }) => place !== 'ready');
  return world.isAccessTokenOver && !isListening && !mayRepeat(world, policy);
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

type Fault = 'sent twice' | 'ended by waiting' | 'ended while good' | 'asked when dead' | 'stuck';

function faultsOf(world: World, next: readonly World[], policy: Policy): Fault[] {
  const { row, isRevoked, isSpent, hasLost, kills } = world;
  const isRefused = row.kind === 'refused';
  const isUndisturbed = !hasLost && kills === 0;
  const isSendingNext = next.some((other) => other.sendings > world.sendings);
  const isQuiet = !world.isDone && world.replicas.every(({ place }) => place === 'ready');
  const moves = next.some((other) => other.row !== row);
  const faults: (Fault | false)[] = [
    isSendingNext && world.inDoubt > 0 && !mayRepeat(world, policy) && 'sent twice',
    // Slow answers alone, however late and in whatever order, end no grant that the user has not ended.
    isRefused && isUndisturbed && !isRevoked && policy === 'once' && 'ended by waiting',
    isRefused && isUndisturbed && !isRevoked && !isSpent && 'ended while good',
    isSendingNext && world.isRefusalKnown && 'asked when dead',
    isQuiet && !isRefused && world.isAccessTokenOver && !moves && world.sendings < SENDINGS_MAX && 'stuck',
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

    it('never send it a second time while an earlier request is in doubt and its grace is over', () => {
      expect(faults.get('sent twice')).toBeUndefined();
    });

    it('end no grant for slow answers, in whatever order they come', () => {
      expect(faults.get('ended by waiting')).toBeUndefined();
    });

    it('end no valid grant unless a connection broke or a process was killed in mid-request', () => {
      expect(faults.get('ended while good')).toBeUndefined();
    });

    it('do not keep asking for a grant that is dead', () => {
      expect(faults.get('asked when dead')).toBeUndefined();
    });

    it('are never stuck: a caller gets a token, gets a refusal, or may ask', () => {
      expect(faults.get('stuck')).toBeUndefined();
    });
  },
);
