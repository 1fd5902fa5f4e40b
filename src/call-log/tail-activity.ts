import { listActivitySince } from '../activity/activity.store.ts';
import type { Db } from '../platform/postgres/database.ts';
import { activityWire } from '../projects/activity-wire.ts';

/** Entries may commit some seconds after their ids were made. */
const WINDOW_MS = 10_000;
const ENTRIES_MAX = 100;

/** Entries of the audit log that tails have not shown yet, by project. */
export function createTailActivity({ db, now }: { db: Db; now(): number }) {
  /** When each entry was shown. */
  const shown = new Map<string, Map<string, number>>();

  return {
    /** What has come since the last look at the project; nothing at the first one. */
    async takeNew(projectId: string): Promise<ReturnType<typeof activityWire>[]> {
      const sinceMs = now() - WINDOW_MS;
      const seen = shown.get(projectId);
      const rows = await listActivitySince(db, projectId, sinceMs, ENTRIES_MAX);
      if (seen === undefined) {
        shown.set(projectId, new Map(rows.map(({ id }) => [id, now()])));
        return [];
      }
      for (const [id, atMs] of seen) if (atMs < sinceMs - WINDOW_MS) seen.delete(id);
      const fresh = rows.filter(({ id }) => !seen.has(id));
      for (const { id } of fresh) seen.set(id, now());
      return fresh.map(activityWire);
    },

    forget: (projectId: string) => shown.delete(projectId),
  };
}
