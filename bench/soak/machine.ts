import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';

const LOOK_EVERY_MS = 100;
/** A query that takes a third of a millisecond, or a timer: processes wait this long for a core, and a request makes ten queries. */
const LATE_MS = 200;
/** What a request that is answered now has waited for the store at most, with some leeway. */
const REQUEST_MS = 5_000;

export type Machine = {
  /** Whether the machine was late within the time of a request that is answered now. */
  wasLate(): boolean;
  /** Of all looks. */
  lateShare(): number;
  close(): Promise<void>;
};

/**
 * Watches whether the machine has time for what the soak asks of it, by a query of the soak's own to the same Postgres, and a timer:
 * where these are late, the gateway's store is, and it says 503.
 */
export async function watchMachine(databaseUrl: string): Promise<Machine> {
  const client = new pg.Client({ ...connectionSettings(databaseUrl), application_name: 'soak' });
  await client.connect();
  let lateAtMs = Number.NEGATIVE_INFINITY;
  let looks = 0;
  let late = 0;
  let isStopping = false;
  let underWaySinceMs = performance.now();

  async function watch(): Promise<void> {
    while (!isStopping) {
      underWaySinceMs = performance.now();
      await pause(LOOK_EVERY_MS);
      await client.query('SELECT 1');
      looks += 1;
      if (performance.now() - underWaySinceMs < LOOK_EVERY_MS + LATE_MS) continue;
      late += 1;
      lateAtMs = performance.now();
    }
  }
  const watching = watch();

  return {
    wasLate() {
      const nowMs = performance.now();
      return nowMs - lateAtMs < REQUEST_MS || nowMs - underWaySinceMs > LOOK_EVERY_MS + LATE_MS;
    },
    lateShare: () => (looks === 0 ? 0 : late / looks),
    async close() {
      isStopping = true;
      await watching;
      await client.end();
    },
  };
}
