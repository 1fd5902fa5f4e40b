import { LRUCache } from 'lru-cache';
import { entriesUpTo } from '../lib/entries-up-to.ts';
import { createFairQueue } from '../lib/fair-queue.ts';
import { isUuid } from '../lib/ids.ts';
import { createAnnouncedCache } from '../platform/announced-cache.ts';
import { createKnownOrigins } from './known-origins.ts';

export type CallerRules = {
  readonly allowedOrigins: readonly string[];
  readonly limits: {
    readonly proxyCallsPerMinute?: number | undefined;
    readonly organizationCallsPerDay?: number | undefined;
  };
  /** Quotas of single organizations, by the application's own ids. */
  readonly organizationQuotas?: ReadonlyMap<string, number>;
};

type Rules = {
  readonly origins: ReadonlySet<string>;
  readonly callsPerMinute: number | undefined;
  readonly organizationCallsPerDay: number | undefined;
  readonly organizationQuotas: ReadonlyMap<string, number>;
};

/** Rules are read before it is known who calls: a flood of made-up projects must not take the connection pool. */
const READ_AT_A_TIME = 2;
const READING_MAX = 500;
const PROJECTS_MAX = 10_000;
const NO_QUOTAS: ReadonlyMap<string, number> = new Map();

/**
 * What a project sets for its callers: the origins whose pages may read replies (CORS; the gateway's own always may),
 * and how often a user may call. Kept in memory until a change of the project is announced; when the store is away,
 * what is held goes on.
 */
export function createProjectRules(deps: {
  findProjectRules(projectId: string): Promise<CallerRules | undefined>;
  findKnownOrigins(origins: readonly string[]): Promise<readonly string[]>;
  publicUrl: string;
  now(): number;
  log: { warn(fields: object, message: string): void };
}) {
  const { publicUrl } = deps;
  const reads = createFairQueue({
    running: READ_AT_A_TIME,
    waitingPerKeyMax: READING_MAX,
    waitingMax: READING_MAX,
  });
  /** Limits as they were last read: calls that come while a changed project is read again are not free of any. */
  const last = new LRUCache<string, Rules>(entriesUpTo(PROJECTS_MAX));
  const cache = createAnnouncedCache<Rules>({
    now: deps.now,
    entriesMax: PROJECTS_MAX,
    async load(projectId) {
      const found = await reads.run('', () => deps.findProjectRules(projectId));
      return found && noteRules(projectId, found);
    },
    onBackgroundError(error, projectId) {
      deps.log.warn({ err: error, projectId }, 'the rules of a project could not be read');
    },
  });
  const knownOrigins = createKnownOrigins(deps);

  function noteRules(projectId: string, found: CallerRules): Rules {
    const rules = rulesOf(found);
    last.set(projectId, rules);
    return rules;
  }

  function isAllowed(projectId: string, origin: string): boolean | Promise<boolean> {
    if (origin === publicUrl) return true;
    const id = projectId.toLowerCase();
    const rules = cache.current(id, undefined);
    if (rules !== undefined) return rules?.origins.has(origin) ?? false;
    if (!isUuid(id)) return false;
    return cache.load(id, undefined).then(
      ({ value }) => value?.origins.has(origin) ?? false,
      () => cache.peek(id)?.origins.has(origin) ?? false,
    );
  }

  function rulesNow(projectId: string): Rules | undefined {
    const id = projectId.toLowerCase();
    const rules = cache.current(id, undefined);
    if (rules === undefined) cache.load(id, undefined).catch(() => undefined);
    return rules ?? last.get(id);
  }

  return {
    isAllowed,

    /**
     * The project's own limit as it is known now: it comes with the keys that a user token is verified with. No call waits
     * for it: until it is read again, the last one holds, and the general limit where none was read yet.
     */
    callsPerMinute(projectId: string): number | undefined {
      return rulesNow(projectId)?.callsPerMinute;
    },

    /** The same for the users of one organization together: its own limit, or else that of all. */
    organizationCallsPerDay(projectId: string, organization: string): number | undefined {
      const rules = rulesNow(projectId);
      return rules?.organizationQuotas.get(organization) ?? rules?.organizationCallsPerDay;
    },

    /** Before it is known who calls (a preflight, a refused token): is it a page of any project? */
    isAllowedAnywhere: (origin: string): boolean | Promise<boolean> =>
      origin === publicUrl || knownOrigins.isKnown(origin),

    /** For code that reads a project for another purpose, and hands its rules to `keep`: they need not be read again. */
    readAlong<Result>(projectId: string, work: (keep: (found: CallerRules) => void) => Promise<Result>) {
      const id = projectId.toLowerCase();
      return cache.readAlong(id, undefined, (keep) => work((found) => keep(noteRules(id, found))));
    },

    invalidateProject: (projectId: string): void => cache.change(projectId.toLowerCase(), undefined),
    invalidateOrigins: (): void => knownOrigins.invalidate(),

    markAllStale(): void {
      cache.markAllStale();
      knownOrigins.invalidate();
    },

    setHasNotices(value: boolean): void {
      cache.setHasNotices(value);
      knownOrigins.setHasNotices(value);
    },
  };
}

function rulesOf({ allowedOrigins, limits, organizationQuotas = NO_QUOTAS }: CallerRules): Rules {
  return {
    origins: new Set(allowedOrigins),
    callsPerMinute: limits.proxyCallsPerMinute,
    organizationCallsPerDay: limits.organizationCallsPerDay,
    organizationQuotas,
  };
}
