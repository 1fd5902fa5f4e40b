import { LRUCache } from 'lru-cache';

const FRESH_MS = 30_000;
const ENTRIES_MAX = 10_000;

type Rules = { readonly origins: ReadonlySet<string>; readonly callsPerMinute: number | undefined };
type Held = Rules & { readonly freshUntilMs: number };

export type ProjectRules = ReturnType<typeof createProjectRules>;

/**
 * What a project sets for its callers: the origins whose pages may read replies (CORS; the gateway's own always may),
 * and how often a user may call. Kept in memory until a change of the project is announced; when the store is away,
 * what is held goes on.
 */
export function createProjectRules(deps: {
  findProjectRules(
    projectId: string,
  ): Promise<
    { allowedOrigins: readonly string[]; limits: { proxyCallsPerMinute?: number | undefined } } | undefined
  >;
  isKnownOriginOfAnyProject(origin: string): Promise<boolean>;
  publicUrl: string;
  now(): number;
}) {
  const ofProject = new LRUCache<string, Held>({ max: ENTRIES_MAX });
  const loading = new Map<string, Promise<Rules>>();

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
    const started = read(projectId).finally(() => loading.delete(projectId));
    loading.set(projectId, started);
    return started;
  }

  async function read(projectId: string): Promise<Rules> {
    const found = await deps.findProjectRules(projectId);
    const origins = new Set(found?.allowedOrigins ?? []);
    const rules = { origins, callsPerMinute: found?.limits.proxyCallsPerMinute };
    ofProject.set(projectId, { ...rules, freshUntilMs: deps.now() + FRESH_MS });
    return rules;
  }

  /**
   * The project's own limit as it is known now. No call waits for it: the first one of a project that is not in memory
   * starts the reading and goes by the general limit.
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
    invalidateProject(projectId: string): void {
      ofProject.delete(projectId);
    },
    distrustAll(): void {
      ofProject.clear();
    },
  };
}
