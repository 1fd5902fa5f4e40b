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
      return fromRow(row);
    },

    /** The operator with this e-mail address, whatever its case. */
    async findByEmail(db: Db, email: string): Promise<Operator | undefined> {
      const row = await db<Row>('operators').whereRaw('lower(email) = lower(?)', [email]).first();
      return row && fromRow(row);
    },

    async setPassword(trx: Db, { id }: Operator, passwordHash: string): Promise<void> {
      await trx<Row>('operators').where({ id }).update({ password_hash: passwordHash });
    },

    /** All operators, oldest first. */
    async list(db: Db): Promise<Operator[]> {
      return (await db<Row>('operators').orderBy('id')).map(fromRow);
    },
  };
}

function fromRow({ id, email, created_at }: Row): Operator {
  return { id, email, createdAt: created_at };
}
