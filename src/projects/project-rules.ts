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
  const cache = createAnnouncedCache<Rules>({
    now: deps.now,
    entriesMax: PROJECTS_MAX,
    async load(projectId) {
      const found = await reads.run('', () => deps.findProjectRules(projectId));
      return found && rulesOf(found);
    },
    onBackgroundError(error, projectId) {
      deps.log.warn({ err: error, projectId }, 'the rules of a project could not be read');
    },
  });
  const knownOrigins = createKnownOrigins(deps);

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
    return rules ?? cache.peek(id);
  }

  return {
    isAllowed,

    /**
     * The project's own limit as it is known now: it comes with the keys that a user token is verified with. Should it
     * have left the memory meanwhile, no call waits for it, and the general limit holds until it is read.
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
      return cache.readAlong(projectId.toLowerCase(), undefined, (keep) =>
        work((found) => keep(rulesOf(found))),
      );
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
