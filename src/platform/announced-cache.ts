import { LRUCache } from 'lru-cache';
import { isTransientStoreError } from './postgres/store-errors.ts';

/** How long a caller waits for the store while an entry is at hand that may be out of date. */
const PATIENCE_MS = 300;
/** A store that did not answer in time is asked again, by one caller per entry, after this. */
const SILENCE_MS = 1_000;
/** More changes than this during one load count as a change of everything. */
const CHANGES_REMEMBERED_MAX = 100;

export type AnnouncedCacheOptions<Value, Change> = {
  readonly entriesMax: number;
  /** A net under the notices: how long an entry serves without being read again. */
  readonly freshMs: number;
  /** How much longer it serves while it is read again in the background. */
  readonly backgroundMs: number;
  /** Values that are never kept: what a caller asks for that is not there. Left out: all are. */
  isKept?(value: Value): boolean;
  /** Whether a change may be about this value. */
  isAffected(value: Value, change: Change): boolean;
  now(): number;
};

/** What a load brings; `isStale`: the store did not answer, and this is what was at hand. */
export type Loaded<Value> = { readonly value: Value; readonly isStale: boolean };

type Entry<Value> = {
  readonly value: Value;
  readonly group: string;
  freshUntilMs: number;
  /** Changes may have been missed: it serves only while the store does not answer. */
  isSuspect: boolean;
};

type Load<Value, Change> = {
  readonly key: string;
  readonly promise: Promise<Value>;
  /** Changes announced while it ran; undefined: too many, or not known. */
  changes: Change[] | undefined;
};

export type AnnouncedCache<Value, Change> = ReturnType<typeof createAnnouncedCache<Value, Change>>;

/**
 * Rows of the store in memory, kept true by announced changes: the one cache behind all that a warm call needs.
 *
 * - Entries belong to a group (a project), and a change drops those of its group that it may be about.
 * - Calls that come together share one load. A load that a change overtook is shared with no later call, and kept only
 *   where the change is not about what it brought.
 * - While the store does not answer, what is at hand serves on, except what is known to have changed; callers do not
 *   queue up behind a silent store.
 */
export function createAnnouncedCache<Value, Change>(options: AnnouncedCacheOptions<Value, Change>) {
  const { freshMs, backgroundMs, isAffected, now } = options;
  const keysOfGroup = new Map<string, Set<string>>();
  const entries = new LRUCache<string, Entry<Value>>({
    max: options.entriesMax,
    dispose: (entry, key) => forgetKey(entry.group, key),
  });
  /** The load that callers share, by key. */
  const shared = new Map<string, Load<Value, Change>>();
  /** Every load under way, by group. */
  const running = new Map<string, Set<Load<Value, Change>>>();
  let silentUntilMs = Number.NEGATIVE_INFINITY;

  function forgetKey(group: string, key: string): void {
    const keys = keysOfGroup.get(group);
    keys?.delete(key);
    if (keys?.size === 0) keysOfGroup.delete(group);
  }

  function store(key: string, group: string, value: Value): void {
    entries.set(key, { value, group, freshUntilMs: now() + freshMs, isSuspect: false });
    const keys = keysOfGroup.get(group) ?? new Set();
    keysOfGroup.set(group, keys.add(key));
  }

  function startLoad(key: string, group: string, read: () => Promise<Value>): Load<Value, Change> {
    const loads = running.get(group) ?? new Set();
    const load: Load<Value, Change> = { key, promise: Promise.resolve().then(read), changes: [] };
    running.set(group, loads.add(load));
    shared.set(key, load);
    load.promise
      .then(
        (value) => {
          silentUntilMs = Number.NEGATIVE_INFINITY;
          if (isUpToDate(load, value) && (options.isKept?.(value) ?? true)) store(key, group, value);
        },
        () => undefined,
      )
      .finally(() => {
        if (shared.get(key) === load) shared.delete(key);
        loads.delete(load);
        if (loads.size === 0) running.delete(group);
      });
    return load;
  }

  function isUpToDate({ changes }: Load<Value, Change>, value: Value): boolean {
    return changes !== undefined && !changes.some((change) => isAffected(value, change));
  }

  /** The entry that serves while the store does not answer; undefined once a change of it was announced. */
  function fallBack(key: string): Loaded<Value> | undefined {
    const entry = entries.get(key);
    silentUntilMs = now() + SILENCE_MS;
    return entry && { value: entry.value, isStale: true };
  }

  return {
    /**
     * The value at hand, for a call that does not wait; undefined where it must be loaded. `read` may be called, to
     * renew an entry that is getting old.
     */
    current(key: string, read: () => Promise<Value>): Value | undefined {
      const entry = entries.get(key);
      if (entry === undefined || entry.isSuspect) return undefined;
      const nowMs = now();
      if (nowMs < entry.freshUntilMs) return entry.value;
      if (nowMs >= entry.freshUntilMs + backgroundMs) return undefined;
      if (!shared.has(key)) startLoad(key, entry.group, read).promise.catch(() => undefined);
      return entry.value;
    },

    /**
     * The value from the store, or from memory while the store does not answer. Rejects with the error of `read` where
     * there is nothing at hand, or where the store has answered with a fault.
     */
    async load(key: string, group: string, read: () => Promise<Value>): Promise<Loaded<Value>> {
      const entry = entries.peek(key);
      if (entry !== undefined && now() < silentUntilMs) return { value: entry.value, isStale: true };
      const { promise } = shared.get(key) ?? startLoad(key, group, read);
      if (entry === undefined) return { value: await promise, isStale: false };
      try {
        const value = await settledWithin(PATIENCE_MS, promise);
        if (value !== undefined) return { value, isStale: false };
        return fallBack(key) ?? { value: await promise, isStale: false };
      } catch (error) {
        const stale = isTransientStoreError(error) ? fallBack(key) : undefined;
        if (stale === undefined) throw error;
        return stale;
      }
    },

    /** A change was announced: what it may be about is not served any more. */
    change(group: string, change: Change): void {
      for (const load of running.get(group) ?? []) {
        load.changes?.push(change);
        if ((load.changes?.length ?? 0) > CHANGES_REMEMBERED_MAX) load.changes = undefined;
        // It may have missed the change: no later call shares it.
        if (shared.get(load.key) === load) shared.delete(load.key);
      }
      for (const key of keysOfGroup.get(group) ?? []) {
        const entry = entries.peek(key);
        if (entry !== undefined && isAffected(entry.value, change)) entries.delete(key);
      }
    },

    /** Changes may have been missed: everything is read again, and serves only while the store does not answer. */
    markAllStale(): void {
      for (const loads of running.values()) for (const load of loads) load.changes = undefined;
      shared.clear();
      for (const entry of entries.values()) entry.isSuspect = true;
    },

    get size(): number {
      return entries.size;
    },
  };
}

/** What the promise gives, or undefined where that takes longer. The promise goes on. */
function settledWithin<T>(limitMs: number, promise: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, limitMs, undefined);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
