import { LRUCache } from 'lru-cache';

const FRESH_MS = 30_000;
const ENTRIES_MAX = 10_000;

type Held = { readonly origins: ReadonlySet<string>; readonly freshUntilMs: number };

export type AllowedOrigins = ReturnType<typeof createAllowedOrigins>;

/**
 * Which pages may read replies (CORS): the origins that a project names, and the gateway's own. Kept in memory until a
 * change of the project is announced; when the store is away, what is held goes on.
 */
export function createAllowedOrigins(deps: {
  findProjectRules(projectId: string): Promise<{ allowedOrigins: readonly string[] } | undefined>;
  isKnownOriginOfAnyProject(origin: string): Promise<boolean>;
  publicUrl: string;
  now(): number;
}) {
  const ofProject = new LRUCache<string, Held>({ max: ENTRIES_MAX });

  function isAllowed(projectId: string, origin: string): boolean | Promise<boolean> {
    if (origin === deps.publicUrl) return true;
    const held = ofProject.get(projectId);
    if (held !== undefined && held.freshUntilMs > deps.now()) return held.origins.has(origin);
    return load(projectId).then(
      (origins) => origins.has(origin),
      () => held?.origins.has(origin) ?? false,
    );
  }

  async function load(projectId: string): Promise<ReadonlySet<string>> {
    const rules = await deps.findProjectRules(projectId);
    const origins = new Set(rules?.allowedOrigins ?? []);
    ofProject.set(projectId, { origins, freshUntilMs: deps.now() + FRESH_MS });
    return origins;
  }

  return {
    isAllowed,
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
