import { HttpError } from '../http/errors.ts';
import { type Limit, type Party, Shares } from './shares.ts';

/** Places for calls that hold a connection for minutes or hours, for each usual place. */
const LONG_PER_SOCKET = 8;
/** Calls that may wait for places of one kind at one origin; they are shared as the places are. */
const WAITING_MAX = 2_048;

/** What a client's pool may need for an origin that has `socketsMax` usual places. */
export function connectionsMax(socketsMax: number): number {
  return socketsMax * (1 + LONG_PER_SOCKET);
}

/** Beyond it, origins at which no call is under way are forgotten. */
const ORIGINS_KEPT = 1_000;

/**
 * What connections a call wants: of undici's where the whole request is here, of Node's for the rest, or, by either, one
 * that it may hold for long: an event stream, or an answer for which the catalog allows more time than usual.
 */
export type PlaceKind = 'pooled' | 'streamed' | 'long';

/** A call that wants a connection. The fields are those of `Places`. */
export type Seeker = Party & {
  /** Where it has a place or waits for one. */
  place: Places | undefined;
  isWaiting: boolean;
  /** A place for which it waited is its own now. Must not throw. */
  onPlace(): void;
};

/**
 * The places of calls on connections to providers: so many for each origin, shared by users and projects. A party that
 * has its share waits behind the others, and gets no place before one of its own calls ends.
 */
export class ConnectionPlaces {
  readonly #socketsMax: number;
  readonly #origins = new Map<string, OriginPlaces>();

  constructor(socketsMax: number) {
    this.#socketsMax = socketsMax;
  }

  /** True with a place. False where `onPlace` will be called with one. Throws `rate_limited` or `overloaded` where too many wait. */
  enter(origin: string, kind: PlaceKind, seeker: Seeker): boolean {
    // A repeated attempt keeps the place of the one before.
    if (seeker.place !== undefined) return !seeker.isWaiting;
    const places = this.#origins.get(origin) ?? this.#open(origin);
    return places[kind].enter(seeker);
  }

  #open(origin: string): OriginPlaces {
    if (this.#origins.size >= ORIGINS_KEPT) {
      for (const [known, { pooled, streamed, long }] of this.#origins)
        if (pooled.isEmpty && streamed.isEmpty && long.isEmpty) this.#origins.delete(known);
    }
    const long = new Places(this.#socketsMax * LONG_PER_SOCKET);
    const places = {
      pooled: new Places(this.#socketsMax, long),
      streamed: new Places(this.#socketsMax, long),
      long,
    };
    this.#origins.set(origin, places);
    return places;
  }
}

type OriginPlaces = { readonly [Kind in PlaceKind]: Places };

/** Places of one kind at one origin, and the calls that wait for them. */
export class Places {
  readonly #held: Shares;
  readonly #waiting: Shares;
  readonly #long: Places | undefined;
  /** By project, then by user, each in the order of their turns. */
  readonly #queue = new Map<string, Map<string, Set<Seeker>>>();
  #isGranting = false;

  /** `long` are those for calls that turn out to last. */
  constructor(max: number, long?: Places) {
    this.#held = new Shares(max);
    this.#waiting = new Shares(WAITING_MAX);
    this.#long = long;
  }

  get isEmpty(): boolean {
    return this.#held.held === 0 && this.#waiting.held === 0;
  }

  enter(seeker: Seeker): boolean {
    if (this.#held.limitOf(seeker) === undefined) {
      this.#take(seeker);
      return true;
    }
    const limit = this.#waiting.limitOf(seeker);
    if (limit !== undefined) throw crowdedError(limit, 'waiting for');
    this.#waiting.take(seeker);
    seeker.place = this;
    seeker.isWaiting = true;
    this.#add(seeker);
    return false;
  }

  #take(seeker: Seeker): void {
    this.#held.take(seeker);
    seeker.place = this;
    seeker.isWaiting = false;
  }

  #add(seeker: Seeker): void {
    const { projectId, userKey } = seeker;
    const users = this.#queue.get(projectId) ?? new Map<string, Set<Seeker>>();
    const calls = users.get(userKey) ?? new Set();
    calls.add(seeker);
    users.set(userKey, calls);
    this.#queue.set(projectId, users);
  }

  /** Gives back what the call has here, a place or its turn in the queue. */
  leave(seeker: Seeker): void {
    seeker.place = undefined;
    if (seeker.isWaiting) this.#remove(seeker);
    else {
      this.#held.leave(seeker);
      if (this.#queue.size > 0) this.#grant();
    }
  }

  #remove(seeker: Seeker): void {
    seeker.isWaiting = false;
    this.#waiting.leave(seeker);
    const users = this.#queue.get(seeker.projectId);
    const calls = users?.get(seeker.userKey);
    calls?.delete(seeker);
    if (calls?.size === 0) users?.delete(seeker.userKey);
    if (users?.size === 0) this.#queue.delete(seeker.projectId);
  }

  /** Not from within itself, as where a call that gets its place gives it back at once. */
  #grant(): void {
    if (this.#isGranting) return;
    this.#isGranting = true;
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      this.#endTurn(next);
      this.#remove(next);
      this.#take(next);
      next.onPlace();
    }
    this.#isGranting = false;
  }

  /** The first call of the first user of the first project that may have another place. */
  #next(): Seeker | undefined {
    for (const [projectId, users] of this.#queue) {
      const limit = this.#held.limitOfProject(projectId);
      if (limit === 'all') return undefined;
      if (limit !== undefined) continue;
      for (const [userKey, [call]] of users) {
        if (this.#held.limitOfUser(projectId, userKey) === undefined) return call;
      }
    }
    return undefined;
  }

  /** Behind the other projects, and behind the other users of its project. */
  #endTurn({ projectId, userKey }: Seeker): void {
    const users = this.#queue.get(projectId);
    const calls = users?.get(userKey);
    if (users === undefined || calls === undefined) return;
    users.delete(userKey);
    users.set(userKey, calls);
    this.#queue.delete(projectId);
    this.#queue.set(projectId, users);
  }

  /** Frees the place of a call whose answer may stay open, where there is one for such. */
  keepOpen(seeker: Seeker): void {
    const long = this.#long;
    if (long === undefined || long.#held.limitOf(seeker) !== undefined) return;
    this.leave(seeker);
    long.#take(seeker);
  }

  /** The refusal for a call that has waited too long. */
  refusalOf(seeker: Seeker): HttpError {
    return crowdedError(this.#held.limitOf(seeker) ?? 'all', 'on');
  }
}

function crowdedError(limit: Limit, relation: 'waiting for' | 'on'): HttpError {
  const headers = { 'Retry-After': '1' };
  if (limit === 'all') {
    return new HttpError('overloaded', { detail: 'All connections to this provider stayed busy.', headers });
  }
  const who = limit === 'user' ? 'This user has' : 'This project has';
  const detail = `${who} as many calls ${relation} connections to this provider as one ${limit} may have at a time.`;
  return new HttpError('rate_limited', { detail, headers });
}
