import { LRUCache } from 'lru-cache';
import { entriesUpTo } from '../lib/entries-up-to.ts';
import { QueueFullError } from '../lib/fair-queue.ts';
import { createMultimap } from '../lib/multimap.ts';
import { settleWithin } from '../lib/settle-within.ts';
import { createKeyIndex } from './key-index.ts';
import { isTransientStoreError } from './postgres/store-errors.ts';
import { countSharedStoreTime, withoutStoreLimit } from './postgres/store-time.ts';

/** `null` stands for something that the store does not have. */
export type Found<Value> = Value | null;

/** What a load brings; `isStale`: the store did not answer, and this is what was at hand. */
export type Loaded<Value> = { readonly value: Found<Value>; readonly isStale: boolean };

const ABSENT_MAX = 1_000;
const ABSENT_MS = 5_000;
/** How long an entry serves without being read again, in case a notice was lost. */
const FRESH_MS = 30_000;
/** How much longer it serves while it is read again in the background. */
const BACKGROUND_MS = 30_000;
/** While change notices do not arrive, entries serve this long, and callers wait for the store after that. */
const FRESH_WITHOUT_NOTICES_MS = 500;
/** How long a caller waits for the store while an entry is at hand that may be out of date. */
const PATIENCE_MS = 300;
/** A store that did not answer is asked again after this. */
const SILENCE_MS = 1_000;
/** More changes than this during one load count as a change of everything. */
const CHANGES_REMEMBERED_MAX = 100;

type AnnouncedCacheOptions<Value, Context, Change> = {
  readonly entriesMax: number;
  /**
   * Reads a value; undefined: the store has none. `context` comes from the first of the callers who share the load,
   * `held` is the value in memory.
   */
  load(key: string, context: Context, held: Value | undefined): Promise<Value | undefined>;
  /** What changes are announced by. Left out: the key itself. */
  groupOf?(key: string, context: Context): string;
  /** What in the group a value is about; undefined: anything. A change of another topic does not look at it. */
  topicOf?(value: Value): string | undefined;
  /** What in the group a change is about; undefined: everything. */
  topicOfChange?(change: Change): string | undefined;
  /** Whether a change of its topic may be about this value. Left out: it always is. */
  isAffected?(value: Value, change: Change): boolean;
  /**
   * Whether the value in memory has what changed already, since its holder made the change: it is read again, and serves while
   * the store does not answer. Left out: it never has.
   */
  isIncluded?(value: Value, change: Change): boolean;
  /** Called with a fault of a background read; every other failure reaches the caller. */
  onBackgroundError(error: unknown, key: string): void;
  now(): number;
};

/** Where a key stands in the index. */
type Place = { readonly group: string; readonly topic?: string | undefined };

type Entry<Value> = Place & {
  readonly value: Value;
  freshUntilMs: number;
  /** From here on it serves only while the store does not answer. */
  usableUntilMs: number;
};

type Read<Change> = {
  readonly key: string;
  /** Changes announced while it ran; undefined: too many, or not known. */
  changes: Change[] | undefined;
};

type SharedRead<Value, Change> = Read<Change> & { readonly promise: Promise<Found<Value>> };

/**
 * Values of the store in memory, kept true by announced changes: the one cache behind all that a warm call needs.
 *
 * - Entries belong to a group, and a change drops those of its group that it may be about. In case a notice was lost,
 *   an entry is read again after about 30 s.
 * - Calls that come together share one load. A load that a change overtook is shared with no later call, and kept only
 *   where the change is not about what it brought.
 * - While the store does not answer, what is at hand serves on, except what is known to have changed; callers do not
 *   queue up behind a silent store.
 */
export function createAnnouncedCache<Value, Context = undefined, Change = undefined>(
  options: AnnouncedCacheOptions<Value, Context, Change>,
) {
  const { now, groupOf = (key) => key, isAffected = () => true, isIncluded = () => false } = options;
  const { topicOf = () => undefined, topicOfChange = () => undefined } = options;
  /** The keys in `entries` and `absent`. */
  const keys = createKeyIndex();
  const dispose = ({ group, topic }: Place, key: string): void => keys.remove(group, topic, key);
  const entries = new LRUCache<string, Entry<Value>>({ ...entriesUpTo(options.entriesMax), dispose });
  const absent = new LRUCache<string, Place & { untilMs: number }>({
    ...entriesUpTo(ABSENT_MAX),
    dispose,
  });
  /** The read that callers share, by key. */
  const shared = new Map<string, SharedRead<Value, Change>>();
  /** All reads under way, by group. */
  const running = createMultimap<Read<Change>>();
  let silentUntilMs = Number.NEGATIVE_INFINITY;
  let hasNotices = true;

  function store(key: string, group: string, value: Found<Value>): void {
    forget(key);
    const topic = value === null ? undefined : topicOf(value);
    if (value === null) absent.set(key, { group, untilMs: now() + ABSENT_MS });
    else {
      const freshUntilMs = now() + (hasNotices ? FRESH_MS : FRESH_WITHOUT_NOTICES_MS);
      const usableUntilMs = freshUntilMs + (hasNotices ? BACKGROUND_MS : 0);
      entries.set(key, { value, group, topic, freshUntilMs, usableUntilMs });
    }
    keys.add(group, topic, key);
  }

  function forget(key: string): void {
    entries.delete(key);
    absent.delete(key);
  }

  function keep(key: string, group: string, { changes }: Read<Change>, value: Found<Value>): void {
    const isOvertaken = changes === undefined || changes.some((change) => isAbout(value, change));
    if (!isOvertaken) store(key, group, value);
  }

  function isAbout(value: Found<Value>, change: Change): boolean {
    if (value === null) return true;
    const topic = topicOf(value);
    const changed = topicOfChange(change);
    if (topic !== undefined && changed !== undefined && topic !== changed) return false;
    return isAffected(value, change);
  }

  function startRead(key: string, context: Context): SharedRead<Value, Change> {
    const group = groupOf(key, context);
    // Others may share it: it must not be cut when the request that began it has no time left.
    const promise = withoutStoreLimit(() =>
      Promise.try(options.load, key, context, entries.peek(key)?.value).then((value) => value ?? null),
    );
    const read: SharedRead<Value, Change> = { key, promise, changes: [] };
    shared.set(key, read);
    running.add(group, read);
    const end = (): void => {
      if (shared.get(key) === read) shared.delete(key);
      running.remove(group, read);
    };
    promise.then((value) => {
      silentUntilMs = Number.NEGATIVE_INFINITY;
      keep(key, group, read, value);
      end();
    }, end);
    return read;
  }

  function renewInBackground(key: string, context: Context): void {
    if (shared.has(key) || now() < silentUntilMs) return;
    startRead(key, context).promise.catch((error: unknown) => {
      if (isUnanswered(error)) fallBack(key);
      else options.onBackgroundError(error, key);
    });
  }

  /** The entry that serves while the store does not answer; undefined once a change of it was announced. */
  function fallBack(key: string): Loaded<Value> | undefined {
    silentUntilMs = now() + SILENCE_MS;
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    entry.freshUntilMs = silentUntilMs;
    entry.usableUntilMs = now() + BACKGROUND_MS;
    return { value: entry.value, isStale: true };
  }

  return {
    /**
     * The value at hand, for a call that does not wait; undefined where it must be loaded. May read in the background,
     * to renew an entry that is getting old.
     */
    current(key: string, context: Context): Found<Value> | undefined {
      const entry = entries.get(key);
      const nowMs = now();
      if (entry === undefined) return (absent.get(key)?.untilMs ?? 0) > nowMs ? null : undefined;
      if (nowMs < entry.freshUntilMs) return entry.value;
      if (nowMs >= entry.usableUntilMs) return undefined;
      renewInBackground(key, context);
      return entry.value;
    },

    /** The last value that was read, however old; for callers that prefer an old answer to none. */
    peek: (key: string): Value | undefined => entries.get(key)?.value,

    /**
     * The value from the store, or from memory while the store does not answer. Rejects with the error of `load` where
     * there is nothing at hand, or where the store has answered with a fault.
     */
    async load(key: string, context: Context): Promise<Loaded<Value>> {
      const entry = entries.peek(key);
      if (entry !== undefined && now() < silentUntilMs) return { value: entry.value, isStale: true };
      const { promise } = shared.get(key) ?? startRead(key, context);
      if (entry === undefined) return { value: await countSharedStoreTime(promise), isStale: false };
      try {
        const value = await settleWithin(PATIENCE_MS, promise, () => undefined);
        if (value !== undefined) return { value, isStale: false };
        return fallBack(key) ?? { value: await countSharedStoreTime(promise), isStale: false };
      } catch (error) {
        const stale = isUnanswered(error) ? fallBack(key) : undefined;
        if (stale === undefined) throw error;
        return stale;
      }
    },

    /**
     * For code that reads the value along with something else: what it hands to `keep` (null: nothing is there) is kept
     * unless a change is announced before `work` has settled.
     */
    async readAlong<Result>(
      key: string,
      context: Context,
      work: (keep: (value: Found<Value>) => void) => Promise<Result>,
    ): Promise<Result> {
      const group = groupOf(key, context);
      const read: Read<Change> = { key, changes: [] };
      running.add(group, read);
      try {
        return await work((value) => keep(key, group, read, value));
      } finally {
        running.remove(group, read);
      }
    },

    /** Something in the group changed: entries and running reads that it may affect are not served any more. */
    change(group: string, change: Change): void {
      for (const read of running.list(group)) {
        if (read.changes && read.changes.push(change) > CHANGES_REMEMBERED_MAX) read.changes = undefined;
        // It may have missed the change: no later call shares it.
        if (shared.get(read.key) === read) shared.delete(read.key);
      }
      for (const key of keys.list(group, topicOfChange(change))) {
        const entry = entries.peek(key);
        if (!isAbout(entry?.value ?? null, change)) continue;
        if (entry !== undefined && isIncluded(entry.value, change)) expire(entry);
        else forget(key);
      }
    },

    /** Changes may have been missed: everything is read again, and serves only while the store does not answer. */
    markAllStale(): void {
      for (const read of running.values()) read.changes = undefined;
      shared.clear();
      absent.clear();
      for (const entry of entries.values()) expire(entry);
    },

    /** Says whether change notices arrive. While they do not, values are read again twice a second. */
    setHasNotices(value: boolean): void {
      hasNotices = value;
    },

    get size(): number {
      return entries.size;
    },
  };
}

/** Nothing was learned: the store did not answer, or so many reads wait for one that is slow that this one was not begun. */
function isUnanswered(error: unknown): boolean {
  return isTransientStoreError(error) || error instanceof QueueFullError;
}

/** From now on it serves only while the store does not answer. */
function expire(entry: Entry<unknown>): void {
  entry.freshUntilMs = Number.NEGATIVE_INFINITY;
  entry.usableUntilMs = Number.NEGATIVE_INFINITY;
}
