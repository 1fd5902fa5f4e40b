import { z } from 'zod';
import type { Db } from '../platform/postgres/database.ts';
import type { Consent } from './consent.ts';

/** A person's clients at a time; the one that was used longest ago makes room. */
const CONSENTS_OF_USER_MAX = 50;

type Row = {
  id: string;
  project_id: string;
  end_user_id: string;
  subject: string;
  client_id: string;
  client_name: string | null;
  access: Consent['access'];
  rights: unknown;
  signed_in_at: Date;
  created_at: Date;
  used_at: Date;
};

export type ConsentFilter = {
  readonly projectIds: readonly string[];
  readonly endUserId?: string | undefined;
  readonly userId?: string | undefined;
  readonly beforeId?: string | undefined;
  readonly limit: number;
};

const COLUMNS = ['c.*', 'u.subject'] as const;

const selectFrom = (db: Db) =>
  db({ c: 'agent_consents' }).join(
    { u: 'end_users' },
    { 'u.id': 'c.end_user_id', 'u.project_id': 'c.project_id' },
  );

export type ConsentsStore = typeof consentsStore;

export const consentsStore = {
  async insert(trx: Db, consent: Omit<Consent, 'userId' | 'createdAt' | 'usedAt'>): Promise<void> {
    const { rights, ...columns } = consent;
    await trx.raw(
      `DELETE FROM agent_consents WHERE id IN (
         SELECT id FROM agent_consents WHERE end_user_id = ? ORDER BY used_at DESC, id DESC OFFSET ?)`,
      [consent.endUserId, CONSENTS_OF_USER_MAX - 1],
    );
    await trx.raw(
      `INSERT INTO agent_consents
         (id, project_id, end_user_id, client_id, client_name, access, rights, signed_in_at)
       VALUES (:id, :projectId, :endUserId, :clientId, :clientName, :access, CAST(:rights AS jsonb), :signedInAt)`,
      { ...columns, rights: JSON.stringify(rights) },
    );
  },

  async find(db: Db, id: string, projectIds: readonly string[]): Promise<Consent | undefined> {
    const row = await selectFrom(db)
      .where('c.id', id)
      .whereIn('c.project_id', projectIds)
      .first<Row | undefined>(COLUMNS);
    return row && fromRow(row);
  },

  async findOfAnyProject(db: Db, id: string): Promise<Consent | undefined> {
    const row = await selectFrom(db).where('c.id', id).first<Row | undefined>(COLUMNS);
    return row && fromRow(row);
  },

  /** Of the given projects, newest first. */
  async list(db: Db, filter: ConsentFilter): Promise<Consent[]> {
    const query = selectFrom(db).whereIn('c.project_id', filter.projectIds);
    if (filter.endUserId !== undefined) query.where('c.end_user_id', filter.endUserId);
    if (filter.userId !== undefined) query.where('u.subject', filter.userId);
    if (filter.beforeId !== undefined) query.where('c.id', '<', filter.beforeId);
    const rows = await query.orderBy('c.id', 'desc').limit(filter.limit).select<Row[]>(COLUMNS);
    return rows.map(fromRow);
  },

  /** Ends the consent and, with its row, all codes and tokens. Undefined where it has ended before. */
  async remove(trx: Db, id: string): Promise<Consent | undefined> {
    const { rows } = await trx.raw<{ rows: Row[] }>(
      `DELETE FROM agent_consents AS c USING end_users AS u
        WHERE c.id = ? AND u.id = c.end_user_id RETURNING c.*, u.subject`,
      [id],
    );
    const [row] = rows;
    return row && fromRow(row);
  },

  /** The consent behind an access token that has not expired. The token itself is the authority. */
  async findOfToken(
    db: Db,
    projectId: string,
    artifactId: string,
  ): Promise<{ readonly consent: Consent; readonly expiresAt: Date } | undefined> {
    const row = await selectFrom(db)
      .join({ a: 'agent_artifacts' }, 'a.consent_id', 'c.id')
      .where({ 'a.id': artifactId, 'c.project_id': projectId })
      .where('a.expires_at', '>', db.fn.now())
      .first<(Row & { expires_at: Date }) | undefined>([...COLUMNS, 'a.expires_at']);
    return row && { consent: fromRow(row), expiresAt: row.expires_at };
  },

  /**
   * Ends what was signed in to before a revocation of the user's tokens or of all, which is forgotten once no user token can
   * be that old; at most so many at once.
   */
  async removeRevokedOfAnyProject(trx: Db, limit: number): Promise<Consent[]> {
    const { rows } = await trx.raw<{ rows: Row[] }>(
      `DELETE FROM agent_consents AS c USING end_users AS u
        WHERE u.id = c.end_user_id AND c.id IN (
          SELECT a.id FROM token_revocations AS r
            JOIN agent_consents AS a ON a.project_id = r.project_id AND a.signed_in_at < r.issued_before
            JOIN end_users AS e ON e.id = a.end_user_id
           WHERE r.jti IS NULL AND (r.subject IS NULL OR r.subject = e.subject)
           LIMIT ? FOR UPDATE OF a SKIP LOCKED)
        RETURNING c.*, u.subject`,
      [limit],
    );
    return rows.map(fromRow);
  },

  /** Forgets consents whose client has let its last token expire, and all else that has expired. */
  async purgeOfAnyProject(db: Db, signal: AbortSignal): Promise<void> {
    for (const [table, condition] of PURGED) {
      for (let rowCount = PURGED_AT_ONCE; rowCount === PURGED_AT_ONCE && !signal.aborted; ) {
        ({ rowCount } = await db.raw(
          `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE ${condition} LIMIT ?)`,
          [PURGED_AT_ONCE],
        ));
      }
    }
  },
};

const PURGED_AT_ONCE = 1_000;
const PURGED = [
  ['agent_artifacts', 'expires_at < now()'],
  ['agent_sign_ins', 'expires_at < now()'],
  [
    'agent_consents',
    `created_at < now() - interval '1 hour' AND NOT EXISTS (
       SELECT 1 FROM agent_artifacts AS a
        WHERE a.consent_id = agent_consents.id AND a.kind <> 'Grant' AND a.consumed_at IS NULL)`,
  ],
  // Of a client that was used, its program remembers the id: it stays a while longer than what it was allowed.
  [
    'agent_clients',
    `coalesce(used_at + interval '90 days', created_at + interval '1 day') < now() AND NOT EXISTS (
       SELECT 1 FROM agent_consents AS c
        WHERE c.project_id = agent_clients.project_id AND c.client_id = agent_clients.id::text)`,
  ],
] as const;

const rightsSchema = z.record(z.string(), z.unknown());

function fromRow(row: Row): Consent {
  return {
    id: row.id,
    projectId: row.project_id,
    endUserId: row.end_user_id,
    userId: row.subject,
    clientId: row.client_id,
    clientName: row.client_name,
    access: row.access,
    rights: rightsSchema.parse(row.rights),
    signedInAt: row.signed_in_at,
    createdAt: row.created_at,
    usedAt: row.used_at,
  };
}
