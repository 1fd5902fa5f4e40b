import pLimit, { type LimitFunction } from 'p-limit';

/** Token requests of one process under way; each holds a connection and little else. */
const AT_ONCE_MAX = 1_000;
/** Of one project and of one integration: a provider that does not answer must not take all places. */
const PER_PROJECT_MAX = 100;
const PER_INTEGRATION_MAX = 50;

/**
 * Lets so many refreshes run at once and keeps the others waiting in order, first within their integration, then within
 * their project, so that a storm of one does not stand before all others.
 */
export function createRefreshQueue() {
  const all = pLimit(AT_ONCE_MAX);
  const projects = createKeyedLimits(PER_PROJECT_MAX);
  const integrations = createKeyedLimits(PER_INTEGRATION_MAX);

  /** What `work` gives; undefined where its turn does not come within `waitMs`, and then it never begins. */
  return function enqueue<T>(
    owner: { readonly projectId: string; readonly integrationId: string },
    work: () => Promise<T>,
    waitMs: number,
  ): Promise<T | undefined> {
    const { projectId, integrationId } = owner;
    const turn = Promise.withResolvers<T | undefined>();
    let isOver = false;
    const timer = setTimeout(() => {
      isOver = true;
      turn.resolve(undefined);
    }, waitMs);
    const begin = async () => {
      clearTimeout(timer);
      if (!isOver) await work().then(turn.resolve, turn.reject);
    };
    integrations.run(integrationId, () => projects.run(projectId, () => all(begin))).catch(turn.reject);
    return turn.promise;
  };
}

/** A limit per key, kept for as long as the key has work. */
function createKeyedLimits(most: number) {
  const entries = new Map<string, { readonly limit: LimitFunction; users: number }>();
  return {
    async run<T>(key: string, work: () => Promise<T>): Promise<T> {
      const entry = entries.get(key) ?? { limit: pLimit(most), users: 0 };
      entries.set(key, entry);
      entry.users += 1;
      try {
        return await entry.limit(work);
      } finally {
        entry.users -= 1;
        if (entry.users === 0) entries.delete(key);
      }
    },
  };
}
