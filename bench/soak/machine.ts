import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';

const LOOK_EVERY_MS = 100;
/** A query that takes a third of a millisecond, or a timer: processes wait this long for a core, and a request makes ten queries. */
const LATE_MS = 200;
/** Of the time since the last look that the gateway's main thread has waited for a core: each step of a request waits as long. */
const STARVED_SHARE = 0.2;
/** What a request that is answered now has waited for the store at most, with some leeway. */
const REQUEST_MS = 5_000;

export type Machine = {
  /** Whether the machine was late within the time of a request that is answered now. */
  wasLate(): boolean;
  /** Of the time. */
  lateShare(): number;
  close(): Promise<void>;
};

/**
 * Watches whether the machine has time for what the soak asks of it: by a query of the soak's own to the same Postgres and a timer, and by
 * what the kernel says of how long the gateway's main thread (`pid`) waits for a core. Where these are late, it says 503.
 */
export async function watchMachine(databaseUrl: string, pid: number): Promise<Machine> {
  const client = new pg.Client({ ...connectionSettings(databaseUrl), application_name: 'soak' });
  await client.connect();
  let lateAtMs = Number.NEGATIVE_INFINITY;
  let lateMs = 0;
  let isStopping = false;
  const startedMs = performance.now();
  let lookedAtMs = startedMs;

  async function watch(): Promise<void> {
    let waitedMs = await readWaitedMs(pid);
    while (!isStopping) {
      await pause(LOOK_EVERY_MS);
      await client.query('SELECT 1');
      const waitedBeforeMs = waitedMs;
      waitedMs = await readWaitedMs(pid);
      const nowMs = performance.now();
      const tookMs = nowMs - lookedAtMs;
      lookedAtMs = nowMs;
      if (tookMs < LOOK_EVERY_MS + LATE_MS && waitedMs - waitedBeforeMs < tookMs * STARVED_SHARE) continue;
      lateMs += tookMs;
      lateAtMs = nowMs;
    }
  }
  const watching = watch();

  return {
    wasLate() {
      const nowMs = performance.now();
      return nowMs - lateAtMs < REQUEST_MS || nowMs - lookedAtMs > LOOK_EVERY_MS + LATE_MS;
    },
    lateShare: () => lateMs / (lookedAtMs - startedMs || 1),
    async close() {
      isStopping = true;
      await watching;
      await client.end();
    },
  };
}

/** How long the main thread of the process has waited for a core so far; 0 where the kernel does not say (Linux does). */
async function readWaitedMs(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/schedstat`, 'utf8').catch(() => '');
  return Number(text.split(' ')[1] ?? 0) / 1e6;
}
