import { newId } from '../lib/ids.ts';
import type { Db } from '../platform/postgres/database.ts';

type Row = { id: string; email: string; password_hash: string; created_at: Date };

/** A person who manages projects. */
export type Operator = Readonly<{ id: string; email: string; createdAt: Date }>;

export function createOperatorsStore() {
  return {
    async isAnyone(db: Db): Promise<boolean> {
      return (await db<Row>('operators').first('id')) !== undefined;
    },

    /** `passwordHash` comes from hashPassword. Rejects when the e-mail address, in any case, is taken. */
    async insert(
      trx: Db,
      { email, passwordHash }: { email: string; passwordHash: string },
    ): Promise<Operator> {
      const [row] = await trx<Row>('operators')
        .insert({ id: newId(), email, password_hash: passwordHash })
        .returning('*');
      if (row === undefined) throw new Error('an inserted operator was not returned');
      return { id: row.id, email: row.email, createdAt: row.created_at };
    },
  };
}
