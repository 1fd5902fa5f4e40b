import { HttpError } from '../http/errors.ts';
import { createFairQueue, QueueFullError } from '../lib/fair-queue.ts';
import { createRateLimiter } from '../lib/rate-limit.ts';

/** Half of them for one party at most. */
const RUNNING_MAX = 8;
const WAITING_PER_PARTY_MAX = 8;
const WAITING_MAX = 200;
/** For the whole of a check, all of its requests together. */
const TIME_LIMIT_MS = 25_000;
const PER_PROJECT_PER_MINUTE = 60;

/** Runs a check of a provider for a project. Throws `rate_limited` where the project has asked for too many. */
export type RunCheck = <Result>(
  projectId: string,
  check: (signal: AbortSignal) => Promise<Result>,
) => Promise<Result>;

/**
 * Bounds what diagnosing costs: a few checks at a time in this process, in which the parties that own projects take
 * turns, each with an end, and so many a minute for each project.
 */
export function createRunCheck({ partyOf }: { partyOf(projectId: string): Promise<string> }): RunCheck {
  const limiter = createRateLimiter({ limit: PER_PROJECT_PER_MINUTE, windowSeconds: 60 });
  const queue = createFairQueue({
    running: RUNNING_MAX,
    waitingPerKeyMax: WAITING_PER_PARTY_MAX,
    waitingMax: WAITING_MAX,
    sharesPlaces: true,
  });
  return async (projectId, check) => {
    const rate = limiter.check(projectId);
    if (!rate.allowed) throw tooMany(rate.retryAfterSeconds);
    const party = await partyOf(projectId);
    try {
      return await queue.run(party, () => check(AbortSignal.timeout(TIME_LIMIT_MS)));
    } catch (error) {
      if (error instanceof QueueFullError) throw tooMany(5);
      throw error;
    }
  };
}

function tooMany(seconds: number): HttpError {
  return new HttpError('rate_limited', {
    detail: 'The project asks for more checks of providers than the gateway makes.',
    headers: { 'Retry-After': String(seconds) },
  });
}
