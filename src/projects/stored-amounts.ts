import { LRUCache } from 'lru-cache';
import { entriesUpTo } from '../lib/entries-up-to.ts';
import { type Chore, HOURLY } from '../platform/chores.ts';
import type { Db } from '../platform/postgres/database.ts';
import {
  type Amount,
  addAmounts,
  type DayAmount,
  forgetDaysOfAnyProject,
  readAmounts,
  recountFingerprintsOfAnyProject,
  type StoredKind,
} from './stored-amounts.store.ts';

/** What a row costs beside its payload, with its part of the indexes. */
const ROW_BYTES: Readonly<Record<StoredKind, number>> = {
  receipts: 600,
  events: 300,
  deliveries: 300,
  fingerprints: 200,
  activity: 500,
};
const FLUSH_MS = 2_000;
const DAY_MS = 24 * 3_600_000;
/** Projects whose amounts a process knows: those that have written lately. */
const KNOWN_MAX = 10_000;
/** Other processes add to it, and days end. */
const KNOWN_MS = 30_000;
const RECOUNTED_MAX = 20;

export type StoredAmounts = ReturnType<typeof createStoredAmounts>;

/**
 * Counts what each project makes the store keep: in memory, and written down every two seconds, so that a process that is
 * killed forgets two seconds. What is counted between two looks at the store by other processes is not seen, which
 * bounds how far a limit is passed.
 */
export function createStoredAmounts(deps: {
  db: Db;
  now(): number;
  /** Of one project; 0: none. */
  limits: { readonly rows: number; readonly bytes: number };
  keepDays: Readonly<Partial<Record<StoredKind, number>>>;
}) {
  const { db, now, limits } = deps;
  let pending = new Map<string, DayAmount>();
  const known = new LRUCache<string, Amount>({ ...entriesUpTo(KNOWN_MAX), ttl: KNOWN_MS });

  const dayAt = (ms: number) => new Date(ms).toISOString().slice(0, 10);

  function note(projectId: string, kind: StoredKind, { rows, bytes = 0 }: { rows: number; bytes?: number }) {
    if (rows === 0) return;
    const day = dayAt(now());
    const key = `${projectId} ${kind} ${day}`;
    const before = pending.get(key) ?? { rows: 0, bytes: 0 };
    const added = bytes + rows * ROW_BYTES[kind];
    pending.set(key, { projectId, kind, day, rows: before.rows + rows, bytes: before.bytes + added });
    const total = known.get(projectId);
    const more = total && { rows: total.rows + rows, bytes: total.bytes + added };
    if (more) known.set(projectId, more, { noUpdateTTL: true });
  }

  async function flush(): Promise<void> {
    const amounts = [...pending.values()];
    pending = new Map();
    try {
      await addAmounts(db, amounts);
    } catch (error) {
      for (const { projectId, kind, day, rows, bytes } of amounts) {
        const key = `${projectId} ${kind} ${day}`;
        const later = pending.get(key) ?? { rows: 0, bytes: 0 };
        pending.set(key, { projectId, kind, day, rows: later.rows + rows, bytes: later.bytes + bytes });
      }
      throw error;
    }
    await look([...new Set(amounts.map(({ projectId }) => projectId))]);
  }

  async function look(projectIds: readonly string[]): Promise<void> {
    if (projectIds.length === 0) return;
    const found = await readAmounts(db, projectIds);
    for (const id of projectIds) known.set(id, found.get(id) ?? { rows: 0, bytes: 0 });
  }

  /** Whether the project keeps as much as it may. Read from the store for a project that this process has not seen. */
  async function isFull(projectId: string): Promise<boolean> {
    if (!known.has(projectId)) await look([projectId]);
    const { rows = 0, bytes = 0 } = known.get(projectId) ?? {};
    return (limits.bytes > 0 && bytes >= limits.bytes) || (limits.rows > 0 && rows >= limits.rows);
  }

  async function forget(): Promise<void> {
    for (const kind of ['receipts', 'events', 'deliveries', 'activity'] as const) {
      const days = deps.keepDays[kind];
      if (days !== undefined) await forgetDaysOfAnyProject(db, kind, dayAt(now() - days * DAY_MS));
    }
    const rowsMin = Math.max(1, Math.floor(limits.rows / 4));
    const bytesPerRow = ROW_BYTES.fingerprints;
    await recountFingerprintsOfAnyProject(db, { rowsMin, bytesPerRow, limit: RECOUNTED_MAX });
  }

  const chores: Chore[] = [
    { name: 'amounts that projects keep', intervalMs: FLUSH_MS, runsAtStop: true, run: flush },
    { name: 'amounts of days that are over', ...HOURLY, run: forget },
  ];
  return { note, isFull, flush, chores };
}
