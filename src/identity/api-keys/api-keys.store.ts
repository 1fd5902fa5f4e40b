import { newId } from '../../lib/ids.ts';
import { createOpaqueToken, type NewOpaqueToken } from '../../lib/opaque-tokens.ts';
import type { Db } from '../../platform/postgres/database.ts';

const API_KEY_PREFIX = 'igk_';
/** What the column holds, some 68 years: a key may end later than that. */
const LIFETIME_SECONDS_MAX = 2 ** 31 - 1;

type Row = {
  id: string;
  project_id: string;
  name: string;
  visible_prefix: string;
  key_hash: Buffer;
  created_by: string | null;
  created_by_email: string | null;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  lifetime_seconds: number | null;
  lineage_id: string | null;
  scopes: string[];
  allowed_addresses: string[] | null;
  version: number;
};

type FoundRow = Pick<
  Row,
  'id' | 'lineage_id' | 'project_id' | 'key_hash' | 'scopes' | 'allowed_addresses'
> & {
  is_expired: boolean;
};

/** A key as it is listed; the key itself is not kept. */
export type ApiKey = Readonly<{
  id: string;
  projectId: string;
  name: string;
  prefix: string;
  /** The operator who made or rotated it, also where they are no member any more. */
  createdBy: { readonly operatorId: string; readonly email: string } | null;
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  /** For how long it was made, whatever has shortened it since; null: for ever. */
  lifetimeSeconds: number | null;
  /** The first of the keys that were rotated one into the next until this one. */
  lineageId: string;
  /** Counts the changes of what an operator decides about it. */
  version: number;
}> &
  ApiKeyLimits;

/** What a key may do, and from where. */
export type ApiKeyLimits = {
  /** Names of scopes, or `*` alone. */
  readonly scopes: readonly string[];
  /** Normalized ranges; null: from anywhere. */
  readonly allowedAddresses: readonly string[] | null;
};

/** What is left out stays. */
type ApiKeyChange = {
  readonly name?: string | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly allowedAddresses?: readonly string[] | null | undefined;
};

type FoundApiKey = ApiKeyLimits & {
  readonly apiKeyId: string;
  readonly lineageId: string;
  readonly projectId: string;
  readonly isExpired: boolean;
};

export type NewApiKey = { readonly apiKey: ApiKey; readonly key: string };

export type ApiKeysStore = ReturnType<typeof createApiKeysStore>;

export function createApiKeysStore({ db }: { db: Db }) {
  return {
    /** The key with this SHA-256, expired or not; a revoked one is not found. */
    async findApiKey(hash: Buffer): Promise<FoundApiKey | undefined> {
      const row: FoundRow | undefined = await db('api_keys')
        .where({ key_hash: hash })
        .whereNull('revoked_at')
        .first(...foundColumns(db));
      return row && toFound(row);
    },

    /** The same for many at once, by the hash in hexadecimal. */
    async findApiKeys(hashes: readonly Buffer[]): Promise<Map<string, FoundApiKey>> {
      const rows: FoundRow[] = await db('api_keys')
        .whereIn('key_hash', hashes)
        .whereNull('revoked_at')
        .select(...foundColumns(db));
      return new Map(rows.map((row) => [row.key_hash.toString('hex'), toFound(row)]));
    },

    async list(filter: {
      projectId: string;
      beforeId: string | undefined;
      limit: number;
    }): Promise<ApiKey[]> {
      const query = db<Row>('api_keys').where({ project_id: filter.projectId }).whereNull('revoked_at');
      if (filter.beforeId !== undefined) query.where('id', '<', filter.beforeId);
      return (await query.orderBy('id', 'desc').limit(filter.limit).select('*', makerOf(db))).map(fromRow);
    },

    async find(projectId: string, id: string): Promise<ApiKey | undefined> {
      const row = await db<Row>('api_keys')
        .where({ project_id: projectId, id })
        .whereNull('revoked_at')
        .first('*', makerOf(db));
      return row && fromRow(row);
    },

    insert,

    /** The key as changed; it must be locked. */
    async update(trx: Db, { id, projectId }: ApiKey, change: ApiKeyChange): Promise<ApiKey> {
      const [row]: Row[] = await trx('api_keys')
        .where({ project_id: projectId, id })
        .update({
          name: change.name,
          scopes: change.scopes,
          allowed_addresses: change.allowedAddresses,
          version: trx.raw('version + 1'),
        })
        .returning(['*', makerOf(trx)]);
      if (row === undefined) throw new Error('a locked API key was not there to be changed');
      return fromRow(row);
    },

    /** The key, held until the transaction ends, so that it is rotated or revoked once; undefined when not live. */
    async lockLive(trx: Db, projectId: string, id: string): Promise<ApiKey | undefined> {
      const row = await live(trx).where({ project_id: projectId, id }).forUpdate().first('*', makerOf(trx));
      return row && fromRow(row);
    },

    /** Lets the key work for so long from now, unless it ends before. */
    async endIn(trx: Db, { id, projectId }: ApiKey, seconds: number): Promise<void> {
      await trx<Row>('api_keys')
        .where({ project_id: projectId, id })
        .update({
          expires_at: trx.raw('least(expires_at, now() + make_interval(secs => ?))', [seconds]),
        });
    },

    /** The key as it was; undefined when there is no such key, or it is revoked already. */
    async revoke(trx: Db, projectId: string, id: string): Promise<ApiKey | undefined> {
      const [row]: Row[] = await trx('api_keys')
        .where({ project_id: projectId, id })
        .whereNull('revoked_at')
        .update({ revoked_at: trx.fn.now() })
        .returning(['*', makerOf(trx)]);
      return row && fromRow(row);
    },
  };
}

/** A new key; what is returned with it is the only place where the key can be read. */
async function insert(
  trx: Db,
  key: ApiKeyLimits & {
    readonly projectId: string;
    readonly name: string;
    readonly createdBy: string;
    readonly expiresAt: Date | null;
    /** Of the key that it is rotated from. */
    readonly lineageId?: string;
  },
): Promise<NewApiKey> {
  const { token, visiblePrefix, hash }: NewOpaqueToken = createOpaqueToken(API_KEY_PREFIX);
  const [row]: Row[] = await trx('api_keys')
    .insert({
      id: newId(),
      project_id: key.projectId,
      name: key.name,
      visible_prefix: visiblePrefix,
      key_hash: hash,
      created_by: key.createdBy,
      expires_at: key.expiresAt,
      lineage_id: key.lineageId ?? null,
      lifetime_seconds: key.expiresAt && countSecondsUntil(key.expiresAt),
      scopes: key.scopes,
      allowed_addresses: key.allowedAddresses,
    })
    .returning(['*', makerOf(trx)]);
  if (row === undefined) throw new Error('an inserted API key was not returned');
  return { apiKey: fromRow(row), key: token };
}

/** By this process's clock, as the end of a rotated key is reckoned. */
function countSecondsUntil(end: Date): number {
  return Math.min(Math.round((end.getTime() - Date.now()) / 1000), LIFETIME_SECONDS_MAX);
}

function foundColumns(db: Db) {
  const columns = ['id', 'lineage_id', 'project_id', 'key_hash', 'scopes', 'allowed_addresses'] as const;
  return [...columns, db.raw<FoundRow['is_expired']>('coalesce(expires_at <= now(), false) AS is_expired')];
}

function toFound(row: FoundRow): FoundApiKey {
  return {
    apiKeyId: row.id,
    lineageId: row.lineage_id ?? row.id,
    projectId: row.project_id,
    isExpired: row.is_expired,
    scopes: row.scopes,
    allowedAddresses: row.allowed_addresses,
  };
}

function makerOf(db: Db) {
  return db.raw<Row['created_by_email']>(
    '(SELECT o.email FROM operators o WHERE o.id = api_keys.created_by) AS created_by_email',
  );
}

function live(db: Db) {
  return db<Row>('api_keys')
    .whereNull('revoked_at')
    .where((ends) => ends.whereNull('expires_at').orWhere('expires_at', '>', db.fn.now()));
}

function fromRow(row: Row): ApiKey {
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    prefix: row.visible_prefix,
    createdBy:
      row.created_by === null || row.created_by_email === null
        ? null
        : { operatorId: row.created_by, email: row.created_by_email },
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    lifetimeSeconds: row.lifetime_seconds,
    lineageId: row.lineage_id ?? row.id,
    version: row.version,
    scopes: row.scopes,
    allowedAddresses: row.allowed_addresses,
  };
}
