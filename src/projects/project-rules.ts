import { LRUCache } from 'lru-cache';

const FRESH_MS = 30_000;
const ENTRIES_MAX = 10_000;

type Rules = { readonly origins: ReadonlySet<string>; readonly callsPerMinute: number | undefined };
type Held = Rules & { readonly freshUntilMs: number };

export type CallerRules = {
  readonly allowedOrigins: readonly string[];
  readonly limits: { readonly proxyCallsPerMinute?: number | undefined };
};

/**
 * What a project sets for its callers: the origins whose pages may read replies (CORS; the gateway's own always may),
 * and how often a user may call. Kept in memory until a change of the project is announced; when the store is away,
 * what is held goes on.
 */
export function createProjectRules(deps: {
  findProjectRules(projectId: string): Promise<CallerRules | undefined>;
  isKnownOriginOfAnyProject(origin: string): Promise<boolean>;
  publicUrl: string;
  now(): number;
}) {
  const ofProject = new LRUCache<string, Held>({ max: ENTRIES_MAX });
  const loading = new Map<string, Promise<Rules>>();
  let generation = 0;

  function isAllowed(projectId: string, origin: string): boolean | Promise<boolean> {
    if (origin === deps.publicUrl) return true;
    const held = ofProject.get(projectId);
    if (held !== undefined && held.freshUntilMs > deps.now()) return held.origins.has(origin);
    return load(projectId).then(
      ({ origins }) => origins.has(origin),
      () => held?.origins.has(origin) ?? false,
    );
  }

  function load(projectId: string): Promise<Rules> {
    const running = loading.get(projectId);
    if (running !== undefined) return running;
    const started = read(projectId).finally(() => {
      if (loading.get(projectId) === started) loading.delete(projectId);
    });
    loading.set(projectId, started);
    return started;
  }

  async function read(projectId: string): Promise<Rules> {
    const keep = learner(projectId);
    return keep(await deps.findProjectRules(projectId));
  }

  /** Call it before reading; what comes back keeps what was read, unless a change was announced meanwhile. */
  function learner(projectId: string): (found: CallerRules | undefined) => Rules {
    const startedIn = generation;
    return (found) => {
      const origins = new Set(found?.allowedOrigins ?? []);
      const rules = { origins, callsPerMinute: found?.limits.proxyCallsPerMinute };
      if (startedIn === generation)
        ofProject.set(projectId, { ...rules, freshUntilMs: deps.now() + FRESH_MS });
      return rules;
    };
  }

  /**
   * The project's own limit as it is known now: it comes with the keys that a user token is verified with. Should it
   * have left the memory meanwhile, no call waits for it, and the general limit holds until it is read.
   */
  function callsPerMinute(projectId: string): number | undefined {
    const held = ofProject.get(projectId);
    if (held === undefined || held.freshUntilMs <= deps.now()) load(projectId).catch(() => undefined);
    return held?.callsPerMinute;
  }

  return {
    isAllowed,
    callsPerMinute,
    /** Before it is known who calls (a preflight, a refused token): is it a page of any project? */
    async isAllowedAnywhere(origin: string): Promise<boolean> {
      return origin === deps.publicUrl || deps.isKnownOriginOfAnyProject(origin).catch(() => false);
    },
    /** For whoever reads a project for another purpose: its rules need not be read once more. */
    learner,
    invalidateProject(projectId: string): void {
      generation += 1;
      loading.delete(projectId);
      ofProject.delete(projectId);
    },
    distrustAll(): void {
      generation += 1;
      loading.clear();
      ofProject.clear();
    },
  };
}
