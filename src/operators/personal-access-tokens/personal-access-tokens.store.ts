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
};

type TimedRow = Pick<Row, 'id' | 'operator_id'> & { is_expired: boolean };

/** A token as it is listed; the token itself is not kept. */
export type PersonalAccessToken = Readonly<{
  id: string;
  name: string;
  prefix: string;
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
}>;

type FoundPersonalAccessToken = {
  readonly personalAccessTokenId: string;
  readonly operatorId: string;
  readonly isExpired: boolean;
};

export type PersonalAccessTokensStore = ReturnType<typeof createPersonalAccessTokensStore>;

export function createPersonalAccessTokensStore({ db }: { db: Db }) {
  return {
    /** The token with this SHA-256, expired or not; a revoked one is not found. */
    async findPersonalAccessToken(hash: Buffer): Promise<FoundPersonalAccessToken | undefined> {
      const row: TimedRow | undefined = await db('personal_access_tokens')
        .where({ token_hash: hash })
        .whereNull('revoked_at')
        .first('id', 'operator_id', db.raw('coalesce(expires_at <= now(), false) AS is_expired'));
      return row && { personalAccessTokenId: row.id, operatorId: row.operator_id, isExpired: row.is_expired };
    },

    /** The same for many at once, by the hash in hexadecimal. */
    async findPersonalAccessTokens(
      hashes: readonly Buffer[],
    ): Promise<Map<string, FoundPersonalAccessToken>> {
      const rows: (TimedRow & Pick<Row, 'token_hash'>)[] = await db('personal_access_tokens')
        .whereIn('token_hash', hashes)
        .whereNull('revoked_at')
        .select(
          'id',
          'operator_id',
          'token_hash',
          db.raw('coalesce(expires_at <= now(), false) AS is_expired'),
        );
      return new Map(
        rows.map((row) => [
          row.token_hash.toString('hex'),
          { personalAccessTokenId: row.id, operatorId: row.operator_id, isExpired: row.is_expired },
        ]),
      );
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
      const [row] = await on('personal_access_tokens')
        .where({ operator_id: operatorId })
        .whereNull('revoked_at')
        .whereRaw('(expires_at IS NULL OR expires_at > now())')
        .count<{ total: string }[]>({ total: '*' });
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

/** A new token; what is returned with it is the only place where the token can be read. */
async function insert(
  trx: Db,
  owner: { readonly operatorId: string; readonly name: string; readonly expiresAt: Date | null },
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
    })
    .returning('*');
  if (row === undefined) throw new Error('an inserted token was not returned');
  return { personalAccessToken: fromRow(row), token };
}

function fromRow(row: Row): PersonalAccessToken {
  return {
    id: row.id,
    name: row.name,
    prefix: row.visible_prefix,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
  };
}
