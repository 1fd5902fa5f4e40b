import { HttpError } from '../http/errors.ts';
import type { Rate } from '../lib/rate-limit.ts';
import type { SharedLimit } from '../platform/limits/shared-limits.ts';
import { chain } from './chain.ts';
import type { MaybePromise, ProxyLimits, ResolvedConnection, VerifiedUser } from './contract.ts';
import type { Shedding } from './shedding.ts';

/** The places that one call takes; all of them are given back by `leave`. */
export type Permit = {
  /** Counts the call against its project while its token is not verified yet, which another party may delay. Throws `rate_limited` or `overloaded`. */
  awaitVerification(projectId: string): void;
  /** Counts the call against its user and project, and its user's rate over all processes. Throws or rejects with `rate_limited`. */
  enterUser(user: VerifiedUser): MaybePromise<void>;
  /** Counts the call against its connection and the provider's origin. Throws `rate_limited`. */
  enterConnection(connectionId: string, origin: string): void;
  leave(): void;
  /** The user whose token was verified; undefined before, and where it was refused. */
  readonly verifiedUser: VerifiedUser | undefined;
  /** Names the verified user together with its project; empty before. */
  readonly userKey: string;
  /** Set as soon as the connection is known, also where the call is refused afterwards. */
  connection: ResolvedConnection | undefined;
  /** For each part of the user's mandate the entry that allows the call; undefined where none was found. */
  mandateEntries: readonly number[] | undefined;
};

export type Admission = {
  /**
   * Counts a call in, or throws `overloaded`. Comes before any work on the call; the project is the one that its address
   * names.
   */
  enter(projectId: string): Permit;
};

/**
 * Guards of one process against more work than it can hold, and of its callers against each other: no user, project,
 * connection or provider can take every place. All counters are in memory, and a counter at zero takes no memory.
 */
export function createAdmission(
  settings: ProxyLimits,
  userLimit: SharedLimit,
  shedding: Omit<Shedding, 'stop'> = NO_SHEDDING,
  organizationLimit: SharedLimit = userLimit,
): Admission {
  const { concurrency = {} } = settings;
  const processMax = concurrency.total ?? Number.POSITIVE_INFINITY;
  const limits: KeyedLimits = {
    origins: new KeyedLimit(concurrency.perOrigin, 'This provider has'),
    connections: new KeyedLimit(concurrency.perConnection, 'This connection has'),
    users: new KeyedLimit(concurrency.perUser, 'This user has'),
    projects: new KeyedLimit(concurrency.perProject, 'This project has'),
    unverified: new KeyedLimit(
      concurrency.perProject,
      'With tokens that are still being verified, this project has',
    ),
  };
  const spendOfUser = createUserRate(settings, userLimit);
  const spendOfOrganization = createOrganizationQuota(settings, organizationLimit);
  const spend: SpendUser = (key, user) => chain(spendOfUser(key, user), () => spendOfOrganization(key, user));
  let inFlight = 0;
  const leave = (): void => {
    inFlight -= 1;
  };

  return {
    enter(projectId) {
      if (inFlight >= processMax)
        throw overloadedError('The gateway has as many calls in flight as it may have.');
      if (inFlight >= processMax * CROWDED && isBulky(limits.projects, projectId, processMax))
        throw overloadedError('The gateway has little room left, and this project has most of it.');
      if (shedding.isShed(projectId))
        throw overloadedError('The gateway is busy, and this project has had its share of the moment.');
      inFlight += 1;
      return new CallPermit({ limits, spend, shedding, leave });
    },
  };
}

/** Where so much of a process is taken, projects that hold more than an even share get no more. */
const CROWDED = 0.8;

const NO_SHEDDING: Omit<Shedding, 'stop'> = {
  isShed: () => false,
  mayVerify: () => true,
  noteAdmitted: () => undefined,
};

function isBulky(projects: KeyedLimit, projectId: string, processMax: number): boolean {
  return projects.keys > 1 && projects.countOf(projectId) >= processMax / projects.keys;
}

function overloadedError(detail: string): HttpError {
  return new HttpError('overloaded', { detail, headers: { 'Retry-After': '1' } });
}

type KeyedLimits = {
  readonly origins: KeyedLimit;
  readonly connections: KeyedLimit;
  readonly users: KeyedLimit;
  readonly projects: KeyedLimit;
  readonly unverified: KeyedLimit;
};

/** Calls in flight by a key, with one limit for each key. */
class KeyedLimit {
  readonly #max: number | undefined;
  readonly #who: string;
  readonly #counts = new Map<string, number>();

  /** `who` begins the sentence of a refusal. */
  constructor(max: number | undefined, who: string) {
    this.#max = max;
    this.#who = who;
  }

  get keys(): number {
    return this.#counts.size;
  }

  countOf(key: string): number {
    return this.#counts.get(key) ?? 0;
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

class CallPermit implements Permit {
  readonly #limits: KeyedLimits;
  readonly #spend: SpendUser;
  readonly #shedding: Omit<Shedding, 'stop'>;
  readonly #leaveProcess: () => void;
  verifiedUser: VerifiedUser | undefined;
  userKey = '';
  connection: ResolvedConnection | undefined;
  mandateEntries: readonly number[] | undefined;
  #unverified: string | undefined;
  #user: string | undefined;
  #project: string | undefined;
  #connection: string | undefined;
  #origin: string | undefined;

  constructor(parts: {
    readonly limits: KeyedLimits;
    readonly spend: SpendUser;
    readonly shedding: Omit<Shedding, 'stop'>;
    readonly leave: () => void;
  }) {
    this.#limits = parts.limits;
    this.#spend = parts.spend;
    this.#shedding = parts.shedding;
    this.#leaveProcess = parts.leave;
  }

  awaitVerification(projectId: string): void {
    if (!this.#shedding.mayVerify())
      throw overloadedError('The gateway is busy, and verifies few tokens that it does not know.');
    this.#unverified = this.#limits.unverified.enter(projectId);
  }

  enterUser(user: VerifiedUser): MaybePromise<void> {
    this.verifiedUser = user;
    const { projectId, subject } = user;
    this.#limits.unverified.leave(this.#unverified);
    this.#unverified = undefined;
    const key = `${projectId} ${subject}`;
    this.userKey = key;
    this.#user = this.#limits.users.enter(key);
    this.#project = this.#limits.projects.enter(projectId);
    this.#shedding.noteAdmitted(projectId);
    return this.#spend(key, user);
  }

  enterConnection(connectionId: string, origin: string): void {
    this.#connection = this.#limits.connections.enter(connectionId);
    this.#origin = this.#limits.origins.enter(origin);
  }

  leave(): void {
    this.#leaveProcess();
    this.#limits.unverified.leave(this.#unverified);
    this.#limits.users.leave(this.#user);
    this.#limits.projects.leave(this.#project);
    this.#limits.connections.leave(this.#connection);
    this.#limits.origins.leave(this.#origin);
  }
}

/** Counts a call of a user, or throws or rejects with the seconds to wait. */
type SpendUser = (key: string, user: VerifiedUser) => MaybePromise<void>;

function createUserRate({ perUserRate, projectRate }: ProxyLimits, limit: SharedLimit): SpendUser {
  return (key, { projectId }) => {
    const rate = projectRate?.(projectId) ?? perUserRate;
    return rate && spendOrThrow(limit, key, rate, (seconds) => tooManyCallsError(rate, seconds));
  };
}

/** The quota of an organization counts its users' calls together, whichever of their connections they take. */
function createOrganizationQuota({ organizationQuota }: ProxyLimits, limit: SharedLimit): SpendUser {
  return (_key, { projectId, membership }) => {
    if (membership === undefined) return undefined;
    const rate = organizationQuota?.(projectId, membership.organization);
    return rate && spendOrThrow(limit, `${projectId} ${membership.organization}`, rate, quotaExceededError);
  };
}

function spendOrThrow(
  limit: SharedLimit,
  key: string,
  rate: Rate,
  refuse: (seconds: number) => HttpError,
): MaybePromise<void> {
  return chain(limit.spend(key, rate), ({ allowed, retryAfterSeconds }) => {
    if (!allowed) throw refuse(retryAfterSeconds);
  });
}

function quotaExceededError(seconds: number): HttpError {
  return new HttpError('quota_exceeded', { headers: { 'Retry-After': String(seconds) } });
}

/** Field names and syntax of draft-ietf-httpapi-ratelimit-headers. */
function tooManyCallsError({ limit, windowSeconds }: Rate, seconds: number): HttpError {
  return new HttpError('rate_limited', {
    headers: {
      'Retry-After': String(seconds),
      'RateLimit-Policy': `"user";q=${limit};w=${windowSeconds}`,
      RateLimit: `"user";r=0;t=${seconds}`,
    },
  });
}
