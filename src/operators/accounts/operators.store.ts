import { newId } from '../../lib/ids.ts';
import type { Db } from '../../platform/postgres/database.ts';

type Row = {
  id: string;
  email: string;
  name: string | null;
  language: string | null;
  password_hash: string | null;
  /** When it was known that the address is the operator's own. */
  email_verified_at: Date | null;
  gateway_owner_since: Date | null;
  created_at: Date;
};

/** A person who manages projects. */
export type Operator = Readonly<{
  id: string;
  email: string;
  name: string | null;
  /** Of the dashboard and of mails, as a BCP 47 tag; null: what the browser asks for. */
  language: string | null;
  createdAt: Date;
}>;

/** What operators see of themselves. */
export type Profile = Operator &
  Readonly<{
    /** The address was proved to be the operator's own (decision 0034). */
    emailVerified: boolean;
    hasPassword: boolean;
    otpEnabled: boolean;
    /** An account at the identity provider belongs to the operator. */
    singleSignOn: boolean;
    /** Owner of the gateway itself, who sees its settings. */
    gatewayOwner: boolean;
  }>;

/** What a sign-in is judged by. */
export type Account = Operator & {
  readonly passwordHash: string | null;
  readonly isEmailVerified: boolean;
};

type ProfileRow = Row & { otp_enabled: boolean; single_sign_on: boolean };

export type OperatorsStore = ReturnType<typeof createOperatorsStore>;

export function createOperatorsStore() {
  return {
    async isAnyone(db: Db): Promise<boolean> {
      return (await db<Row>('operators').first('id')) !== undefined;
    },

    /** `passwordHash` comes from hashPassword. Undefined where the e-mail address, in any case, is taken. */
    async insert(
      trx: Db,
      made: {
        email: string;
        passwordHash: string | null;
        name?: string | null | undefined;
        /** Whether it is known that the address is theirs. */
        isEmailVerified: boolean;
      },
    ): Promise<Operator | undefined> {
      const { email, passwordHash, name = null, isEmailVerified } = made;
      const [row] = await trx<Row>('operators')
        .insert({
          ...{ id: newId(), email, name, password_hash: passwordHash },
          ...(isEmailVerified && { email_verified_at: trx.raw('now()') }),
        })
        .onConflict(trx.raw('(lower(email))'))
        .ignore()
        .returning('*');
      return row && fromRow(row);
    },

    /** The operator with this e-mail address, whatever its case. */
    async findByEmail(db: Db, email: string): Promise<Account | undefined> {
      const row = await db<Row>('operators').whereRaw('lower(email) = lower(?)', [email]).first();
      return row && toAccount(row);
    },

    /** The operator, with the row locked until the transaction ends where `trx` is one. */
    async lock(trx: Db, id: string): Promise<Account | undefined> {
      const row = await trx<Row>('operators').where({ id }).forUpdate().first();
      return row && toAccount(row);
    },

    async findProfile(db: Db, id: string): Promise<Profile | undefined> {
      const row = await db('operators AS o')
        .where('o.id', id)
        .first<ProfileRow | undefined>(
          'o.*',
          db.raw(
            'EXISTS (SELECT 1 FROM operator_otps t WHERE t.operator_id = o.id AND t.confirmed_at IS NOT NULL) AS otp_enabled',
          ),
          db.raw('EXISTS (SELECT 1 FROM operator_identities i WHERE i.operator_id = o.id) AS single_sign_on'),
        );
      return row && toProfile(row);
    },

    /** Notes that the address was proved to be the operator's own. */
    async markEmailVerified(trx: Db, id: string): Promise<void> {
      await trx<Row>('operators')
        .where({ id })
        .whereNull('email_verified_at')
        .update({ email_verified_at: trx.fn.now() });
    },

    /** Sets the password, null for none. Links to a new one that are on their way end: each could replace this one. */
    async setPassword(trx: Db, { id }: Pick<Operator, 'id'>, passwordHash: string | null): Promise<void> {
      await trx<Row>('operators').where({ id }).update({ password_hash: passwordHash });
      await trx('password_resets').where({ operator_id: id }).delete();
    },

    /** Replaces the hash that was read, unless the password was changed since. */
    async replaceHash(db: Db, { id, passwordHash }: Account, newHash: string): Promise<void> {
      await db<Row>('operators')
        .where({ id, password_hash: passwordHash })
        .update({ password_hash: newHash });
    },

    async update(
      trx: Db,
      id: string,
      fields: { name?: string | null | undefined; language?: string | null | undefined },
    ): Promise<void> {
      const { name, language } = fields;
      if (name === undefined && language === undefined) return;
      await trx<Row>('operators')
        .where({ id })
        .update({ ...(name !== undefined && { name }), ...(language !== undefined && { language }) });
    },

    /** All operators, oldest first. */
    async list(db: Db): Promise<Operator[]> {
      return (await db<Row>('operators').orderBy('id')).map(fromRow);
    },
  };
}

function fromRow({ id, email, name, language, created_at }: Row): Operator {
  return { id, email, name, language, createdAt: created_at };
}

function toAccount(row: Row): Account {
  const isEmailVerified = row.email_verified_at !== null;
  return { ...fromRow(row), passwordHash: row.password_hash, isEmailVerified };
}

function toProfile(row: ProfileRow): Profile {
  return {
    ...fromRow(row),
    emailVerified: row.email_verified_at !== null,
    hasPassword: row.password_hash !== null,
    otpEnabled: row.otp_enabled,
    singleSignOn: row.single_sign_on,
    gatewayOwner: row.gateway_owner_since !== null,
  };
}
