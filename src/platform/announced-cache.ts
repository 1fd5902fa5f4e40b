import { LRUCache } from 'lru-cache';
import { isTransientStoreError } from './postgres/store-errors.ts';

/** `null` stands for something that the store does not have. */
export type Found<Value> = Value | null;

const MAX = 10_000;
const ABSENT_MAX = 1_000;
const ABSENT_MS = 5_000;
const FRESH_MS = 30_000;
/** How long past FRESH_MS a busy entry is served while it is read anew. */
const BACKGROUND_MS = 30_000;
/** The same while change notices are lost: the store is then asked at least this often, and callers wait for it. */
const FRESH_WITHOUT_NOTICES_MS = 500;
const RETRY_MS = 1_000;

type Held<Value> = { readonly value: Value; freshUntilMs: number; usableUntilMs: number };

/**
 * Values of the store kept in memory by key: until a change of them is announced (`invalidate`), and no longer than
 * about 30 s in case a notice was lost. While the store cannot be reached, held values are served on, except those that
 * are known to have changed. `deps.load` answers undefined for what does not exist; that is remembered for 5 s. It also
 * gets the value that is held, and what the first caller of `load` said of itself (`caller`).
 */
export function createAnnouncedCache<Value extends object>(deps: {
  load(key: string, held: Value | undefined, caller: string | undefined): Promise<Value | undefined>;
  now(): number;
  /** Entries in memory. */
  max?: number;
  /** Hears of a failed background read; every other failure reaches the caller. */
  onBackgroundError(error: unknown, key: string): void;
}) {
  const { now } = deps;
  const entries = new LRUCache<string, Held<Value>>({ max: deps.max ?? MAX });
  const absentUntilMs = new LRUCache<string, number>({ max: ABSENT_MAX });
  /** A read that a change overtook is taken out of here, so that no later caller shares it. */
  const reads = new Map<string, Promise<Found<Value>>>();
  const changes = createChangeOrder();
  let hasNotices = true;

  function store(key: string, value: Found<Value>): void {
    if (value === null) {
      entries.delete(key);
      absentUntilMs.set(key, now() + ABSENT_MS);
      return;
    }
    const freshUntilMs = now() + (hasNotices ? FRESH_MS : FRESH_WITHOUT_NOTICES_MS);
    const usableUntilMs = hasNotices ? freshUntilMs + BACKGROUND_MS : freshUntilMs;
    entries.set(key, { value, freshUntilMs, usableUntilMs });
    absentUntilMs.delete(key);
  }

  /**
   * Call it before reading the value by another way; call what comes back with what was read (null: nothing). It is
   * kept unless a change was announced in between.
   */
  function beginRead(key: string): (value: Found<Value>) => void {
    const startedAt = changes.current();
    return (value) => {
      if (!changes.isAnySince(key, startedAt)) store(key, value);
    };
  }

  function load(key: string, caller?: string): Promise<Found<Value>> {
    const running = reads.get(key);
    if (running) return running;
    const started = read(key, caller).finally(() => {
      if (reads.get(key) === started) reads.delete(key);
    });
    reads.set(key, started);
    return started;
  }

  async function read(key: string, caller: string | undefined): Promise<Found<Value>> {
    const keep = beginRead(key);
    try {
      const value = (await deps.load(key, entries.peek(key)?.value, caller)) ?? null;
      keep(value);
      return value;
    } catch (error) {
      const held = entries.get(key);
      if (!held || !isTransientStoreError(error)) throw error;
      held.freshUntilMs = now() + RETRY_MS;
      held.usableUntilMs = now() + BACKGROUND_MS;
      return held.value;
    }
  }

  return {
    /** The value at hand; undefined when it must be loaded first. Never waits; may read in the background. */
    current(key: string): Found<Value> | undefined {
      const held = entries.get(key);
      if (!held) return (absentUntilMs.get(key) ?? 0) > now() ? null : undefined;
      if (now() < held.freshUntilMs) return held.value;
      if (now() >= held.usableUntilMs) return undefined;
      load(key).catch((error: unknown) => deps.onBackgroundError(error, key));
      return held.value;
    },

    /** The last value that was read, however old; for those who would rather have an old answer than none. */
    peek(key: string): Value | undefined {
      return entries.get(key)?.value;
    },

    /** The value from the store. Rejects with the store's error when it is away and nothing is held. */
    load,

    beginRead,

    /** The value changed: nothing that was read before counts any more. */
    invalidate(key: string): void {
      changes.note(key);
      reads.delete(key);
      entries.delete(key);
      absentUntilMs.delete(key);
    },

    /** Notices may have been lost: everything is read anew, and is served on only while the store is away. */
    markAllStale(): void {
      changes.noteAll();
      reads.clear();
      absentUntilMs.clear();
      for (const held of entries.values()) {
        held.freshUntilMs = Number.NEGATIVE_INFINITY;
        held.usableUntilMs = Number.NEGATIVE_INFINITY;
      }
    },

    /** Tells whether change notices arrive. While they do not, values are read again twice a second. */
    setHasNotices(value: boolean): void {
      hasNotices = value;
    },
  };
}

/** Remembers in which order keys changed, in bounded memory: what has been forgotten counts as changed. */
function createChangeOrder() {
  let latest = 0;
  let allChangedAt = 0;
  const changedAt = new LRUCache<string, number>({
    max: MAX,
    dispose: (at, _key, reason) => {
      if (reason === 'evict') allChangedAt = Math.max(allChangedAt, at);
    },
  });
  return {
    current: () => latest,
    note(key: string): void {
      latest += 1;
      changedAt.set(key, latest);
    },
    noteAll(): void {
      latest += 1;
      allChangedAt = latest;
    },
    isAnySince: (key: string, since: number) => Math.max(allChangedAt, changedAt.get(key) ?? 0) > since,
  };
}
