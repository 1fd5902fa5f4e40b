/** What one process wants of one key. Times are milliseconds of the key's allowance, see `lib/rate-limit`. */
export type LedgerEntry = {
  readonly key: string;
  /** What one call uses up. */
  readonly intervalMs: number;
  /** As much may be used at most. */
  readonly roomMs: number;
  /** So many calls are to be set aside for the process. */
  readonly want: number;
  /** Calls that the process made without having them set aside; negative: set aside before and not made. */
  readonly settle: number;
};

/** What became of an entry. */
export type Standing = {
  /** Calls that were set aside. */
  readonly granted: number;
  /** How much is used up now, with these. */
  readonly usedMs: number;
};

/**
 * Where processes meet about their limits. Each entry happens as one step, so that what is set aside never goes beyond
 * the room, although other processes ask at the same time; only what is settled does.
 */
export type LimitLedger = {
  /** A standing for each entry, in their order; no key comes twice. Rejects where the entries may not have been taken. */
  exchange(entries: readonly LedgerEntry[]): Promise<readonly Standing[]>;
};

/** Sums of fractions drift by less than this. */
const ROUNDING_MS = 1e-6;

/** The one rule of all ledgers, which SQL and Lua have in their own words. */
export function settleEntry(usedMs: number, entry: Omit<LedgerEntry, 'key'>): Standing {
  const { intervalMs, roomMs, want, settle } = entry;
  const before = Math.max(0, usedMs + settle * intervalMs);
  const free = Math.floor((roomMs - before + ROUNDING_MS) / intervalMs);
  const granted = Math.max(0, Math.min(want, free));
  return { granted, usedMs: before + granted * intervalMs };
}

/** A ledger of one process, for tests. */
export function createMemoryLedger(now: () => number = () => performance.now()): LimitLedger {
  const wholeAtMs = new Map<string, number>();
  return {
    exchange: (entries) =>
      Promise.resolve(
        entries.map((entry) => {
          const at = now();
          const standing = settleEntry(Math.max(0, (wholeAtMs.get(entry.key) ?? 0) - at), entry);
          wholeAtMs.set(entry.key, at + standing.usedMs);
          return standing;
        }),
      ),
  };
}
