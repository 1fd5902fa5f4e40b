import type { Db } from '../../platform/postgres/database.ts';

type Row = {
  operator_id: string;
  secret_sealed: string;
  last_step: string;
  recovery_code_hashes: Buffer[];
  guesses_whole_at: Date;
  created_at: Date;
  confirmed_at: Date | null;
};

type StoredOtp = { readonly secretSealed: string; readonly isConfirmed: boolean };

export type OtpStore = ReturnType<typeof createOtpStore>;

/** Second factors of operators: one each, pending until a first code confirms it. */
export function createOtpStore() {
  return {
    /** A pending one, in place of another pending one. False where the operator has a confirmed one. */
    async replacePending(
      trx: Db,
      operatorId: string,
      made: { readonly secretSealed: string; readonly recoveryCodeHashes: readonly Buffer[] },
    ): Promise<boolean> {
      const { rowCount } = await trx.raw<{ rowCount: number | null }>(
        `INSERT INTO operator_otps (operator_id, secret_sealed, recovery_code_hashes) VALUES (?, ?, ?)
         ON CONFLICT (operator_id) DO UPDATE
            SET secret_sealed = excluded.secret_sealed, recovery_code_hashes = excluded.recovery_code_hashes,
                created_at = now(), last_step = 0
          WHERE operator_otps.confirmed_at IS NULL`,
        [operatorId, made.secretSealed, [...made.recoveryCodeHashes]],
      );
      return (rowCount ?? 0) > 0;
    },

    async find(db: Db, operatorId: string): Promise<StoredOtp | undefined> {
      const row = await db<Row>('operator_otps').where({ operator_id: operatorId }).first();
      return row && { secretSealed: row.secret_sealed, isConfirmed: row.confirmed_at !== null };
    },

    /**
     * Counts a guess of the operator, whichever process it comes to: `limit` at once, then one in every `everySeconds`
     * (generic cell rate algorithm, as in lib/rate-limit). False where that is too many, or there is no second factor.
     */
    async spendGuess(
      db: Db,
      operatorId: string,
      { limit, everySeconds }: { limit: number; everySeconds: number },
    ): Promise<boolean> {
      const { rowCount } = await db.raw<{ rowCount: number | null }>(
        `UPDATE operator_otps SET guesses_whole_at = greatest(guesses_whole_at, now()) + make_interval(secs => :every)
          WHERE operator_id = :operatorId
            AND guesses_whole_at <= now() + make_interval(secs => :every * (CAST(:limit AS integer) - 1))`,
        { operatorId, limit, every: everySeconds },
      );
      return (rowCount ?? 0) > 0;
    },

    /** Uses the code of a time step up, and all before it. False where it was used. */
    async spendStep(trx: Db, operatorId: string, step: number): Promise<boolean> {
      const spent = await trx<Row>('operator_otps')
        .where({ operator_id: operatorId })
        .where('last_step', '<', step)
        .update({ last_step: String(step) });
      return spent > 0;
    },

    /** Uses a recovery code up. How many are left; undefined where it is none, or was used. */
    async spendRecoveryCode(trx: Db, operatorId: string, hash: Buffer): Promise<number | undefined> {
      const { rows } = await trx.raw<{ rows: { left: number }[] }>(
        `UPDATE operator_otps SET recovery_code_hashes = array_remove(recovery_code_hashes, ?::bytea)
          WHERE operator_id = ? AND ?::bytea = ANY (recovery_code_hashes)
        RETURNING cardinality(recovery_code_hashes) AS left`,
        [hash, operatorId, hash],
      );
      return rows[0]?.left;
    },

    /** False where there is no pending one with this secret. */
    async confirm(trx: Db, operatorId: string, secretSealed: string): Promise<boolean> {
      const confirmed = await trx<Row>('operator_otps')
        .where({ operator_id: operatorId, secret_sealed: secretSealed })
        .whereNull('confirmed_at')
        .update({ confirmed_at: trx.fn.now() });
      return confirmed > 0;
    },

    /** False where the operator has none. */
    async remove(trx: Db, operatorId: string): Promise<boolean> {
      return (await trx<Row>('operator_otps').where({ operator_id: operatorId }).delete()) > 0;
    },
  };
}
