import type { Db } from '../../platform/postgres/database.ts';

type Row = { singleton: boolean; token_hash: Buffer; completed_at: Date | null };

/** The one row that holds the hash of the current set-up token; its lock lets one set-up through. */
export function createSetupStore() {
  return {
    async tokenHash(db: Db): Promise<Buffer | undefined> {
      const row = await db<Row>('setup').where({ singleton: true }).first('token_hash');
      return row?.token_hash;
    },

    /** The hash, with every other set-up waiting until the transaction ends. */
    async lockTokenHash(trx: Db): Promise<Buffer | undefined> {
      const row = await trx<Row>('setup').where({ singleton: true }).forUpdate().first('token_hash');
      return row?.token_hash;
    },

    async replaceToken(trx: Db, tokenHash: Buffer): Promise<void> {
      await trx<Row>('setup')
        .insert({ singleton: true, token_hash: tokenHash, completed_at: null })
        .onConflict('singleton')
        .merge();
    },

    async complete(trx: Db): Promise<void> {
      await trx<Row>('setup').where({ singleton: true }).update({ completed_at: trx.fn.now() });
    },
  };
}
