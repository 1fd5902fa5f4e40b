import { z } from 'zod';
import type { Db } from '../../platform/postgres/database.ts';

type Row = { issuer: string; subject: string; operator_id: string; created_at: Date };

/** An account at an identity provider (OpenID Connect Core 1.0 section 5.7: `iss` and `sub` together). */
export const identitySchema = z.object({ issuer: z.string(), subject: z.string() }).readonly();
export type Identity = z.output<typeof identitySchema>;

export type IdentitiesStore = ReturnType<typeof createIdentitiesStore>;

export function createIdentitiesStore() {
  return {
    /** The operator whom the account belongs to. */
    async findOperatorId(db: Db, { issuer, subject }: Identity): Promise<string | undefined> {
      const row = await db<Row>('operator_identities').where({ issuer, subject }).first('operator_id');
      return row?.operator_id;
    },

    async removeAll(trx: Db, operatorId: string): Promise<void> {
      await trx<Row>('operator_identities').where({ operator_id: operatorId }).delete();
    },

    /** False where the account belongs to an operator already. */
    async insert(trx: Db, { issuer, subject }: Identity, operatorId: string): Promise<boolean> {
      const inserted = await trx<Row>('operator_identities')
        .insert({ issuer, subject, operator_id: operatorId })
        .onConflict(['issuer', 'subject'])
        .ignore()
        .returning('operator_id');
      return inserted.length > 0;
    },
  };
}
