/**
 * Rows that wait to be stored, a bounded number: beyond it the oldest go, and their calls are reported as lost. Those that are being
 * stored stay until they are, so that a store that fails loses none.
 */
export function createWaitingRows<Row>({ rowsMax, callsOf }: { rowsMax: number; callsOf(row: Row): number }) {
  let waiting: readonly Row[] = [];
  let lost = 0;
  return {
    add(rows: readonly Row[]): void {
      const all = [...waiting, ...rows];
      for (const row of all.slice(0, -rowsMax)) lost += callsOf(row);
      waiting = all.slice(-rowsMax);
    },

    /** Notes a call that there is no room for. */
    noteLost(): void {
      lost += 1;
    },

    /** The oldest rows, at most `limit`. They stay until `drop`. */
    take: (limit: number): readonly Row[] => waiting.slice(0, limit),

    /** Forgets rows that are stored. */
    drop(stored: readonly Row[]): void {
      const done = new Set(stored);
      waiting = waiting.filter((row) => !done.has(row));
    },

    /** Calls that were not counted since the last time this was asked. */
    takeLost(): number {
      const count = lost;
      lost = 0;
      return count;
    },
  };
}
