import type { Knex } from 'knex';
import type { PoolUse } from '../metrics.ts';

/** What the connections of the pool do now. */
export function poolUse(db: Knex): PoolUse {
  const { pool } = db.client;
  return { used: pool.numUsed(), free: pool.numFree(), waiting: pool.numPendingAcquires() };
}
