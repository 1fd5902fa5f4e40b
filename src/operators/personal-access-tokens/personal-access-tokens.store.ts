import { newId } from '../../lib/ids.ts';
import { createOpaqueToken } from '../../lib/opaque-tokens.ts';
import type { Db } from '../../platform/postgres/database.ts';

const PERSONAL_ACCESS_TOKEN_PREFIX = 'igo_';

type Row = {
  id: string;
  operator_id: string;
  name: string;
  visible_prefix: string;
  token_hash: Buffer;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  allowed_addresses: string[] | null;
  lineage_id: string | null;
};

type FoundRow = Pick<Row, 'id' | 'operator_id' | 'token_hash' | 'allowed_addresses'> & {
  is_expired: boolean;
};

/** A token as it is listed; the token itself is not kept. */
export type PersonalAccessToken = Readonly<{
  id: string;
  name: string;
  prefix: string;
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  /** Normalized ranges; null: from anywhere. */
  allowedAddresses: readonly string[] | null;
  /** The first of the tokens that were rotated one into the next until this one. */
  lineageId: string;
}>;

/** What is left out stays. */
type TokenChange = {
  readonly name?: string | undefined;
  readonly allowedAddresses?: readonly string[] | null | undefined;
};

type FoundPersonalAccessToken = {
  readonly personalAccessTokenId: string;
  readonly operatorId: string;
  readonly isExpired: boolean;
  readonly allowedAddresses: readonly string[] | null;
};

export type PersonalAccessTokensStore = ReturnType<typeof createPersonalAccessTokensStore>;

export function createPersonalAccessTokensStore({ db }: { db: Db }) {
  return {
    /** The token with this SHA-256, expired or not; a revoked one is not found. */
    async findPersonalAccessToken(hash: Buffer): Promise<FoundPersonalAccessToken | undefined> {
      const row: FoundRow | undefined = await db('personal_access_tokens')
        .where({ token_hash: hash })
        .whereNull('revoked_at')
        .first(...foundColumns(db));
      return row && toFound(row);
    },

    /** The same for many at once, by the hash in hexadecimal. */
    async findPersonalAccessTokens(
      hashes: readonly Buffer[],
    ): Promise<Map<string, FoundPersonalAccessToken>> {
      const rows: FoundRow[] = await db('personal_access_tokens')
        .whereIn('token_hash', hashes)
        .whereNull('revoked_at')
        .select(...foundColumns(db));
      return new Map(rows.map((row) => [row.token_hash.toString('hex'), toFound(row)]));
    },

    async list(filter: {
      operatorId: string;
      beforeId: string | undefined;
      limit: number;
    }): Promise<PersonalAccessToken[]> {
      const query = db<Row>('personal_access_tokens')
        .where({ operator_id: filter.operatorId })
        .whereNull('revoked_at');
      if (filter.beforeId !== undefined) query.where('id', '<', filter.beforeId);
      return (await query.orderBy('id', 'desc').limit(filter.limit).select('*')).map(fromRow);
    },

    insert,

    /** The operator's token, held until the transaction ends; undefined where there is none, or it is revoked. */
    async lock(trx: Db, operatorId: string, id: string): Promise<PersonalAccessToken | undefined> {
      const row = await trx<Row>('personal_access_tokens')
        .where({ operator_id: operatorId, id })
        .whereNull('revoked_at')
        .forUpdate()
        .first('*');
      return row && fromRow(row);
    },

    /** Whether the operator has this token, and it works. */
    async isLive(operatorId: string, id: string): Promise<boolean> {
      return (await selectLive(db, operatorId).where({ id }).first('id')) !== undefined;
    },

    /** The operator's token, held until the transaction ends; undefined where none works. */
    async lockLive(trx: Db, operatorId: string, id: string): Promise<PersonalAccessToken | undefined> {
      const row = await selectLive(trx, operatorId).where({ id }).forUpdate().first('*');
      return row && fromRow(row);
    },

    /** Lets the token work for so long from now, unless it ends before. */
    async endIn(trx: Db, id: string, seconds: number): Promise<void> {
      await trx<Row>('personal_access_tokens')
        .where({ id })
        .update({
          expires_at: trx.raw('least(expires_at, now() + make_interval(secs => ?))', [seconds]),
        });
    },

    /** The token as changed; it must be locked. */
    async update(trx: Db, id: string, change: TokenChange): Promise<PersonalAccessToken> {
      const { name, allowedAddresses } = change;
      const fields = {
        ...(name !== undefined && { name }),
        ...(allowedAddresses !== undefined && { allowed_addresses: allowedAddresses }),
      };
      const query = trx('personal_access_tokens').where({ id });
      const [row]: Row[] =
        Object.keys(fields).length === 0
          ? await query.select('*')
          : await query.update(fields).returning('*');
      if (row === undefined) throw new Error('a locked token was not there to be changed');
      return fromRow(row);
    },

    /** False when the operator has no such token, or it is revoked already. */
    async revoke(trx: Db, operatorId: string, id: string): Promise<boolean> {
      const revoked = await trx<Row>('personal_access_tokens')
        .where({ operator_id: operatorId, id })
        .whereNull('revoked_at')
        .update({ revoked_at: trx.fn.now() });
      return revoked > 0;
    },

    /** How many tokens of the operator work. */
    async countLive(on: Db, operatorId: string): Promise<number> {
      const [row] = await selectLive(on, operatorId).count<{ total: string }[]>({ total: '*' });
      return Number(row?.total ?? 0);
    },

    /** Revokes every token of the operator; answers how many. */
    async revokeAll(trx: Db, operatorId: string): Promise<number> {
      return trx<Row>('personal_access_tokens')
        .where({ operator_id: operatorId })
        .whereNull('revoked_at')
        .update({ revoked_at: trx.fn.now() });
    },
  };
}

function selectLive(db: Db, operatorId: string) {
  return db<Row>('personal_access_tokens')
    .where({ operator_id: operatorId })
    .whereNull('revoked_at')
    .whereRaw('(expires_at IS NULL OR expires_at > now())');
}

/** A new token; what is returned with it is the only place where the token can be read. */
async function insert(
  trx: Db,
  owner: {
    readonly operatorId: string;
    readonly name: string;
    readonly expiresAt: Date | null;
    /** From anywhere where left out. */
    readonly allowedAddresses?: readonly string[] | null;
    /** Of the token that it is rotated from. */
    readonly lineageId?: string;
  },
): Promise<{ personalAccessToken: PersonalAccessToken; token: string }> {
  const { token, visiblePrefix, hash } = createOpaqueToken(PERSONAL_ACCESS_TOKEN_PREFIX);
  const [row] = await trx<Row>('personal_access_tokens')
    .insert({
      id: newId(),
      operator_id: owner.operatorId,
      name: owner.name,
      visible_prefix: visiblePrefix,
      token_hash: hash,
      expires_at: owner.expiresAt,
      allowed_addresses: owner.allowedAddresses ? [...owner.allowedAddresses] : null,
      lineage_id: owner.lineageId ?? null,
    })
    .returning('*');
  if (row === undefined) throw new Error('an inserted token was not returned');
  return { personalAccessToken: fromRow(row), token };
}

function foundColumns(db: Db) {
  const columns = ['id', 'operator_id', 'token_hash', 'allowed_addresses'] as const;
  return [...columns, db.raw<FoundRow['is_expired']>('coalesce(expires_at <= now(), false) AS is_expired')];
}

function toFound(row: FoundRow): FoundPersonalAccessToken {
  return {
    personalAccessTokenId: row.id,
    operatorId: row.operator_id,
    isExpired: row.is_expired,
    allowedAddresses: row.allowed_addresses,
  };
}

function fromRow(row: Row): PersonalAccessToken {
  return {
    id: row.id,
    name: row.name,
    prefix: row.visible_prefix,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    allowedAddresses: row.allowed_addresses,
    lineageId: row.lineage_id ?? row.id,
  };
}
