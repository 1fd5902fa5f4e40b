import { isUuid, newId } from '../../lib/ids.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Vault } from '../../platform/vault.ts';
import { type QuotasColumn, readQuotas, selectQuotas } from '../../projects/organization-quotas.store.ts';
import type { CallerRules } from '../../projects/project-rules.ts';
import type { UserTokenAlgorithm } from '../user-jwt/verification-key.ts';
import type { StoredKey, StoredKeys } from './key-set-cache.ts';

/** How many keys a token without `kid` may be tried against. */
export const LIVE_SIGNING_KEYS_MAX = 5;

type Row = {
  id: string;
  project_id: string;
  kind: StoredKey['kind'];
  kid: string;
  alg: UserTokenAlgorithm | null;
  public_key_pem: string | null;
  private_key_sealed: string | null;
  jwks_url: string | null;
  issuer: string | null;
  audience: string | null;
  created_by: string | null;
  created_at: Date;
  revoked_at: Date | null;
};

type ProjectColumns = {
  allowed_origins: string[];
  limits: CallerRules['limits'];
  revocations_version: number;
  require_mandate: boolean;
  organization_quotas: QuotasColumn;
};

export type SigningKey = Readonly<
  StoredKey & { alg: UserTokenAlgorithm | null; projectId: string; createdAt: Date }
>;

/** What there is to store; `privateKeyPem` belongs to managed keys only and is sealed on the way in. */
export type NewSigningKey = {
  readonly kind: StoredKey['kind'];
  /** Left out for a JWKS URL, whose keys have ids of their own: the row's id stands in. */
  readonly kid?: string | undefined;
  readonly alg?: UserTokenAlgorithm | undefined;
  readonly publicKeyPem?: string | undefined;
  readonly privateKeyPem?: string | undefined;
  readonly jwksUrl?: string | undefined;
  readonly issuer?: string | undefined;
  readonly audience?: string | undefined;
  /** The operator who adds it. */
  readonly createdBy?: string | undefined;
};

export type SigningKeysStore = ReturnType<typeof createSigningKeysStore>;

export function createSigningKeysStore({ db, vault }: { db: Db; vault: Vault }) {
  const place = (rowId: string, projectId: string) => ({
    table: 'signing_keys',
    column: 'private_key_sealed',
    rowId,
    projectId,
  });

  return {
    ...createReads(db),

    /** Undefined when a live key of the project has the same `kid`. */
    async insert(trx: Db, projectId: string, key: NewSigningKey): Promise<SigningKey | undefined> {
      const id = newId();
      const [row] = await trx<Row>('signing_keys')
        .insert({
          id,
          project_id: projectId,
          kind: key.kind,
          kid: key.kid ?? id,
          alg: key.alg ?? null,
          public_key_pem: key.publicKeyPem ?? null,
          private_key_sealed:
            key.privateKeyPem === undefined ? null : vault.seal(key.privateKeyPem, place(id, projectId)),
          jwks_url: key.jwksUrl ?? null,
          issuer: key.issuer ?? null,
          audience: key.audience ?? null,
          created_by: key.createdBy ?? null,
        })
        .onConflict(trx.raw('(project_id, kid) WHERE revoked_at IS NULL'))
        .ignore()
        .returning('*');
      return row && fromRow(row);
    },

    /** The newest live managed key with its private half; undefined when the project has none. */
    async findMintingKey(projectId: string): Promise<{ kid: string; privateKeyPem: string } | undefined> {
      const row = await live(db, projectId).where({ kind: 'managed' }).orderBy('id', 'desc').first();
      if (!row?.private_key_sealed) return undefined;
      return { kid: row.kid, privateKeyPem: vault.open(row.private_key_sealed, place(row.id, projectId)) };
    },

    /** The key as it was; undefined when there is no such live key. */
    async revoke(trx: Db, projectId: string, id: string): Promise<SigningKey | undefined> {
      const [row] = await trx<Row>('signing_keys')
        .where({ project_id: projectId, id })
        .whereNull('revoked_at')
        .update({ revoked_at: trx.fn.now() })
        .returning('*');
      return row && fromRow(row);
    },
  };
}

function createReads(db: Db) {
  return {
    /**
     * Every live key that may verify the project's tokens; undefined when there is no such project. `keepRules` gets
     * the project's rules, which the same row holds.
     */
    async loadProjectKeys(
      projectId: string,
      keepRules?: (rules: CallerRules) => void,
    ): Promise<StoredKeys | undefined> {
      if (!isUuid(projectId)) return undefined;
      const rows = await db<Row>('signing_keys AS k')
        .rightJoin('projects AS p', (on) => on.on('p.id', 'k.project_id').andOnNull('k.revoked_at'))
        .where('p.id', projectId)
        .whereNull('p.deleted_at')
        .orderBy('k.id', 'desc')
        .select<(Partial<Row> & ProjectColumns)[]>(
          'k.*',
          'p.allowed_origins',
          'p.limits',
          'p.revocations_version',
          'p.require_mandate',
          selectQuotas(db, 'p.id'),
        );
      const [first] = rows;
      if (first === undefined) return undefined;
      keepRules?.({
        allowedOrigins: first.allowed_origins,
        limits: first.limits,
        organizationQuotas: readQuotas(first.organization_quotas),
      });
      return {
        // A project without keys is one row of nulls.
        keys: rows.filter(isKeyRow).map(storedKeyOf),
        revocationsVersion: first.revocations_version,
        requireMandate: first.require_mandate,
      };
    },

    async list(filter: {
      projectId: string;
      beforeId: string | undefined;
      limit: number;
    }): Promise<SigningKey[]> {
      const query = live(db, filter.projectId);
      if (filter.beforeId !== undefined) query.where('id', '<', filter.beforeId);
      return (await query.orderBy('id', 'desc').limit(filter.limit).select('*')).map(fromRow);
    },

    async countLive(trx: Db, projectId: string): Promise<number> {
      const [row] = await live(trx, projectId).count({ total: '*' });
      return Number(row?.total ?? 0);
    },
  };
}

function live(db: Db, projectId: string) {
  return db<Row>('signing_keys').where({ project_id: projectId }).whereNull('revoked_at');
}

function isKeyRow<R extends Partial<Row>>(row: R): row is R & Row {
  return typeof row.id === 'string';
}

function fromRow(row: Row): SigningKey {
  return { ...storedKeyOf(row), alg: row.alg, projectId: row.project_id, createdAt: row.created_at };
}

function storedKeyOf(row: Row): StoredKey {
  return {
    id: row.id,
    kid: row.kid,
    kind: row.kind,
    alg: row.alg,
    publicKeyPem: row.public_key_pem,
    jwksUrl: row.jwks_url,
    issuer: row.issuer,
    audience: row.audience,
  };
}
