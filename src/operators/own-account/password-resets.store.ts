import { createOpaqueToken, sha256 } from '../../lib/opaque-tokens.ts';
import type { Db } from '../../platform/postgres/database.ts';

type Row = { token_hash: Buffer; operator_id: string; created_at: Date; expires_at: Date };

const LIFETIME_MINUTES = 60;

export type PasswordResetsStore = ReturnType<typeof createPasswordResetsStore>;

/** Links to a new password: each works once, for an hour, and until a newer password is set. */
export function createPasswordResetsStore() {
  return {
    /** The token of a new link, which can be read only here. */
    async insert(trx: Db, operatorId: string): Promise<string> {
      const { token, hash } = createOpaqueToken('');
      await trx<Row>('password_resets').insert({
        token_hash: hash,
        operator_id: operatorId,
        expires_at: trx.raw(`now() + interval '${LIFETIME_MINUTES} minutes'`),
      });
      return token;
    },

    /** Whose link this is; undefined where it does not work. */
    async find(db: Db, token: string): Promise<string | undefined> {
      const row = await db<Row>('password_resets')
        .where({ token_hash: sha256(token) })
        .whereRaw('expires_at > now()')
        .first('operator_id');
      return row?.operator_id;
    },

    /** Uses the link up. False where it does not work any more. */
    async spend(trx: Db, token: string): Promise<boolean> {
      const spent = await trx<Row>('password_resets')
        .where({ token_hash: sha256(token) })
        .whereRaw('expires_at > now()')
        .delete();
      return spent > 0;
    },

    async purgeOfAnyOperator(db: Db): Promise<void> {
      await db<Row>('password_resets').whereRaw('expires_at <= now()').delete();
    },
  };
}

/** The page of the dashboard that a link leads to. The token is in the fragment, which browsers never send. */
export function passwordResetUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/reset-password#${token}`;
}
