import { z } from 'zod';
import type { Chore } from '../chores.ts';
import type { Db } from './database.ts';

const CHECK_INTERVAL_MS = 600_000;
/** More than clocks that are kept in step ever differ by, and much less than tokens live. */
const SKEW_MS_MAX = 5_000;
const CLOCK = z.tuple([z.object({ ms: z.coerce.number() })]);

/**
 * How far this machine's clock is ahead of the database's, in ms; behind it, negative. The time of the query itself
 * does not count: a difference that it can explain is 0.
 */
export async function measureClockSkew(db: Db, now: () => number): Promise<number> {
  const before = now();
  const { rows } = await db.raw('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms');
  const after = now();
  const { ms } = CLOCK.parse(rows)[0];
  if (ms < before) return before - ms;
  return ms > after ? after - ms : 0;
}

export type StoreClock = ReturnType<typeof createStoreClock>;

/**
 * The database's clock, as far as this process has measured it: what is stored for other processes to compare with their
 * time goes by it, since their machines' clocks may differ by minutes.
 */
export function createStoreClock(ownNow: () => number) {
  let aheadMs = 0;
  return {
    now: (): number => ownNow() - aheadMs,
    note(skewSeconds: number): void {
      aheadMs = Math.round(skewSeconds * 1000);
    },
  };
}

/**
 * Compares the clocks at the start and every ten minutes. Tokens that one process issues by a wrong clock are refused by
 * the others, and one that is ahead takes every access token for expired.
 */
export function createClockCheck(deps: {
  db: Db;
  now(): number;
  log: { warn(fields: object, message: string): void };
  /** Takes what was measured, in seconds. */
  note(skewSeconds: number): void;
}): Chore {
  const run = async () => {
    const skewMs = await measureClockSkew(deps.db, deps.now);
    const skewSeconds = skewMs / 1000;
    deps.note(skewSeconds);
    if (Math.abs(skewMs) <= SKEW_MS_MAX) return;
    deps.log.warn(
      { skewSeconds },
      'the clock of this machine differs from that of the database: let NTP set both, or tokens are refused and refreshed too early',
    );
  };
  return { name: 'clock', intervalMs: CHECK_INTERVAL_MS, runsAtStart: true, run };
}
