import { LRUCache } from 'lru-cache';
import type { TokenRefusal } from '../http/token-refusal.ts';
import { entriesUpTo } from '../lib/entries-up-to.ts';
import { createRateLimiter } from '../lib/rate-limit.ts';
import type { CallRecord } from './call-record.ts';

/** Projects whose allowances are remembered; the one that called longest ago is forgotten first. */
const PROJECTS_MAX = 10_000;
/** Of all projects together, between two flushes. */
const WAITING_MAX = 10_000;

/** What a process keeps of each kind of a project's calls: so many at once, then one in so many ms. */
const ALLOWANCES = {
  sample: { burst: 50, everyMs: 2_000 },
  slow: { burst: 20, everyMs: 2_000 },
  failure: { burst: 100, everyMs: 1_000 },
} as const;
type Kind = keyof typeof ALLOWANCES;

/**
 * With a token that was refused, anyone can name any project: these calls have allowances apart from all others. Those
 * with a reason have one of their own, and those that a key of the project signed, which no stranger can make, another.
 */
const UNVERIFIED = { limit: 20, windowSeconds: 200, keysMax: 3_000 };
/** Of all projects together, those that may not exist among them. */
const UNEXPLAINED_IN_ALL = { limit: 1_200, windowSeconds: 60, keysMax: 1 };

/** A call that is worth keeping. Samples stand for the many that went well. */
export type KeptCall = { readonly call: CallRecord; readonly isSample: boolean };

/** The time at which each allowance is whole again, as in `lib/rate-limit`, without an object for each question. */
type Project = { sample: number; slow: number; failure: number };

/** Chooses the calls to keep, and holds them until they are stored. Both are bounded for each project. */
export function createKeptCalls({ slowMs }: { slowMs: number }) {
  const projects = new LRUCache<string, Project>(entriesUpTo(PROJECTS_MAX));
  const unverified = createRateLimiter(UNVERIFIED);
  const unexplained = createRateLimiter(UNEXPLAINED_IN_ALL);
  let waiting: KeptCall[] = [];

  function allows(projectId: string, kind: Kind, nowMs: number): boolean {
    let project = projects.get(projectId);
    if (project === undefined) {
      project = { sample: 0, slow: 0, failure: 0 };
      projects.set(projectId, project);
    }
    const { burst, everyMs } = ALLOWANCES[kind];
    const usedMs = Math.max(0, project[kind] - nowMs);
    if (usedMs + everyMs > burst * everyMs) return false;
    project[kind] = nowMs + usedMs + everyMs;
    return true;
  }

  function allowsUnverified(projectId: string, refusal: TokenRefusal | undefined, nowMs: number): boolean {
    if (refusal !== undefined) return unverified.check(`${projectId} ${refusal.isSigned}`, nowMs).allowed;
    if (!unexplained.peek('', nowMs).allowed || !unverified.check(projectId, nowMs).allowed) return false;
    return unexplained.check('', nowMs).allowed;
  }

  return {
    /** Whether a call is to be kept, and as what; counts it if so. */
    choose(
      projectId: string,
      call: {
        readonly isError: boolean;
        readonly isVerified: boolean;
        readonly refusal?: TokenRefusal | undefined;
        readonly durationMs: number;
      },
      nowMs: number,
    ): { readonly isSample: boolean } | undefined {
      if (!call.isVerified) return allowsUnverified(projectId, call.refusal, nowMs) ? NO_SAMPLE : undefined;
      if (call.isError && allows(projectId, 'failure', nowMs)) return NO_SAMPLE;
      if (!call.isError && call.durationMs >= slowMs && allows(projectId, 'slow', nowMs)) return NO_SAMPLE;
      return !call.isError && allows(projectId, 'sample', nowMs) ? SAMPLE : undefined;
    },

    add(kept: KeptCall): void {
      if (waiting.length < WAITING_MAX) waiting.push(kept);
    },

    /** The oldest calls that wait to be stored, at most `limit`. They stay until `drop`. */
    take: (limit: number): readonly KeptCall[] => waiting.slice(0, limit),

    drop(stored: readonly KeptCall[]): void {
      const done = new Set(stored);
      waiting = waiting.filter((kept) => !done.has(kept));
    },
  };
}

const SAMPLE = { isSample: true } as const;
const NO_SAMPLE = { isSample: false } as const;
