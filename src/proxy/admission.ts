import { HttpError } from '../http/errors.ts';
import { createRateLimiter, type Rate } from '../lib/rate-limit.ts';
import type { ProxyLimits, ResolvedConnection, VerifiedUser } from './contract.ts';

/** Users whose rate is remembered; the one that called longest ago is forgotten first. */
const USERS_MAX = 100_000;

/** The places that one call takes; all of them are given back by `leave`. */
export type Seat = {
  /** Counts the call against its project while its token is not verified yet, which another party may delay. */
  awaitVerification(projectId: string): void;
  /** Counts the call against its user and project, and its user's rate. Throws `rate_limited`. */
  enterUser(user: VerifiedUser): void;
  /** Counts the call against its connection and the provider's origin. Throws `rate_limited`. */
  enterConnection(connection: Pick<ResolvedConnection, 'connectionId' | 'apiBase'>): void;
  leave(): void;
};

export type Admission = {
  /** Counts a call in, or throws `overloaded`. Comes before any work on the call. */
  enter(): Seat;
};

/**
 * Guards of one process against more work than it can hold, and of its callers against each other: no user, project,
 * connection or provider can take every place. All counters are in memory, and a counter at zero takes no memory.
 */
export function createAdmission(limits: ProxyLimits): Admission {
  const { concurrency = {} } = limits;
  const processMax = concurrency.total ?? Number.POSITIVE_INFINITY;
  const halls: Halls = {
    origins: new Hall(concurrency.perOrigin, 'This provider has'),
    connections: new Hall(concurrency.perConnection, 'This connection has'),
    users: new Hall(concurrency.perUser, 'This user has'),
    projects: new Hall(concurrency.perProject, 'This project has'),
    unverified: new Hall(
      concurrency.perProject,
      'With tokens that are still being verified, this project has',
    ),
  };
  const spend = createUserRate(limits);
  let inFlight = 0;
  const leave = (): void => {
    inFlight -= 1;
  };

  return {
    enter() {
      if (inFlight >= processMax) {
        throw new HttpError('overloaded', {
          detail: 'The gateway has as many calls in flight as it may have.',
          headers: { 'Retry-After': '1' },
        });
      }
      inFlight += 1;
      return new CallSeat(halls, spend, leave);
    },
  };
}

type Halls = {
  readonly origins: Hall;
  readonly connections: Hall;
  readonly users: Hall;
  readonly projects: Hall;
  readonly unverified: Hall;
};

/** Calls in flight by a key, with one limit for each key. */
class Hall {
  readonly #max: number | undefined;
  readonly #who: string;
  readonly #counts = new Map<string, number>();

  /** `who` begins the sentence of a refusal. */
  constructor(max: number | undefined, who: string) {
    this.#max = max;
    this.#who = who;
  }

  /** Throws `rate_limited`. Returns what `leave` wants: undefined where nothing is counted. */
  enter(key: string): string | undefined {
    if (this.#max === undefined) return undefined;
    const count = this.#counts.get(key) ?? 0;
    if (count >= this.#max) {
      throw new HttpError('rate_limited', {
        detail: `${this.#who} ${count} calls in flight, as many as one may have at a time.`,
        headers: { 'Retry-After': '1' },
      });
    }
    this.#counts.set(key, count + 1);
    return key;
  }

  leave(key: string | undefined): void {
    if (key === undefined) return;
    const count = this.#counts.get(key) ?? 0;
    if (count > 1) this.#counts.set(key, count - 1);
    else this.#counts.delete(key);
  }
}

class CallSeat implements Seat {
  readonly #halls: Halls;
  readonly #spend: (key: string, projectId: string) => void;
  readonly #leaveProcess: () => void;
  #unverified: string | undefined;
  #user: string | undefined;
  #project: string | undefined;
  #connection: string | undefined;
  #origin: string | undefined;

  constructor(halls: Halls, spend: (key: string, projectId: string) => void, leaveProcess: () => void) {
    this.#halls = halls;
    this.#spend = spend;
    this.#leaveProcess = leaveProcess;
  }

  awaitVerification(projectId: string): void {
    this.#unverified = this.#halls.unverified.enter(projectId);
  }

  enterUser({ projectId, subject }: VerifiedUser): void {
    this.#halls.unverified.leave(this.#unverified);
    this.#unverified = undefined;
    const key = `${projectId} ${subject}`;
    this.#spend(key, projectId);
    this.#user = this.#halls.users.enter(key);
    this.#project = this.#halls.projects.enter(projectId);
  }

  enterConnection({ connectionId, apiBase }: Pick<ResolvedConnection, 'connectionId' | 'apiBase'>): void {
    this.#connection = this.#halls.connections.enter(connectionId);
    this.#origin = this.#halls.origins.enter(apiBase.origin);
  }

  leave(): void {
    this.#leaveProcess();
    this.#halls.unverified.leave(this.#unverified);
    this.#halls.users.leave(this.#user);
    this.#halls.projects.leave(this.#project);
    this.#halls.connections.leave(this.#connection);
    this.#halls.origins.leave(this.#origin);
  }
}

/** Counts a call of a user, or throws `rate_limited` with the seconds to wait. */
function createUserRate({ perUserRate, projectRate }: ProxyLimits): (key: string, projectId: string) => void {
  const usual: Rate = perUserRate ?? { limit: 1, windowSeconds: 1 };
  const limiter = createRateLimiter({ ...usual, keysMax: USERS_MAX });
  return (key, projectId) => {
    const rate = projectRate?.(projectId) ?? perUserRate;
    if (rate === undefined) return;
    const state = limiter.check(key, undefined, rate);
    if (!state.allowed) throw tooManyCalls(rate, state.retryAfterSeconds);
  };
}

/** Field names and syntax of draft-ietf-httpapi-ratelimit-headers. */
function tooManyCalls({ limit, windowSeconds }: Rate, seconds: number): HttpError {
  return new HttpError('rate_limited', {
    headers: {
      'Retry-After': String(seconds),
      'RateLimit-Policy': `"user";q=${limit};w=${windowSeconds}`,
      RateLimit: `"user";r=0;t=${seconds}`,
    },
  });
}
