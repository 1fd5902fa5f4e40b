import type { Knex } from 'knex';

/** When the allowance of guesses at a second factor is whole again: one allowance for all processes. */
export async function up(trx: Knex.Transaction): Promise<void> {
  await trx.raw(
    `ALTER TABLE operator_otps ADD COLUMN guesses_whole_at timestamptz NOT NULL DEFAULT '-infinity'`,
  );
}
