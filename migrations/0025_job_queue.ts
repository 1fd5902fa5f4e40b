import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Knex } from 'knex';

/** The tables of the job queue (decision 0028): those of pg-boss, in a schema of their own, frozen beside this file. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(await readFile(join(import.meta.dirname, '0025_job_queue.sql'), 'utf8'));
}
