import { doesVouch } from '../identity/api-keys/vouching-keys.ts';
import { whereUnrevoked } from '../identity/revocations/unrevoked.store.ts';
import { newId } from '../lib/ids.ts';
import type { Db } from '../platform/postgres/database.ts';

/** Time for a person to look around. */
export const PORTAL_SECONDS = 30 * 60;

/** A person's browser with the page of their connections, and as whom they are there. */
export type PortalSession = {
  readonly id: string;
  readonly projectId: string;
  readonly endUserId: string;
  readonly subject: string;
  readonly organization:
    | { readonly id: string; readonly name: string; readonly isManaged: boolean }
    | undefined;
  /** Null before a browser has opened the link. */
  readonly browserHash: Buffer | null;
  readonly locale: string | null;
};

export type NewPortalSession = Omit<PortalSession, 'id' | 'subject' | 'browserHash' | 'organization'> & {
  readonly tokenHash: Buffer;
  readonly organizationId: string | null;
  readonly isManager: boolean;
  /** By which the link is made; null: by a user token. */
  readonly apiKeyId: string | null;
};

type Row = {
  id: string;
  project_id: string;
  end_user_id: string;
  subject: string;
  organization_id: string | null;
  organization: string | null;
  is_manager: boolean;
  browser_hash: Buffer | null;
  locale: string | null;
};

/** A deleted key vouches for its links no more. */
const IS_VOUCHED_FOR = `(s.api_key_id IS NULL OR ${doesVouch('api_keys', { id: 's.api_key_id', ownerId: 's.project_id' })})`;

export const portalSessionsStore = {
  async insert(
    trx: Db,
    session: NewPortalSession,
  ): Promise<{ readonly id: string; readonly expiresAt: Date }> {
    const [row] = await trx('portal_sessions')
      .insert({
        id: newId(),
        project_id: session.projectId,
        end_user_id: session.endUserId,
        organization_id: session.organizationId,
        is_manager: session.isManager,
        api_key_id: session.apiKeyId,
        token_hash: session.tokenHash,
        locale: session.locale,
        expires_at: trx.raw('now() + make_interval(secs => ?)', [PORTAL_SECONDS]),
      })
      .returning<{ id: string; expires_at: Date }[]>(['id', 'expires_at']);
    if (row === undefined) throw new Error('an inserted session was not returned');
    return { id: row.id, expiresAt: row.expires_at };
  },

  /** The link of any project: the token itself is the authority. */
  findByTokenOfAnyProject: (db: Db, tokenHash: Buffer) => first(db, { 's.token_hash': tokenHash }),

  /** For a browser, whose cookie is the authority. */
  findOfAnyProject: (db: Db, id: string) => first(db, { 's.id': id }),

  /** False where another browser was there first. */
  async bindBrowser(db: Db, tokenHash: Buffer, browserHash: Buffer): Promise<boolean> {
    const changed = await db('portal_sessions')
      .where({ token_hash: tokenHash, browser_hash: null })
      .where('expires_at', '>', db.fn.now())
      .update({ browser_hash: browserHash });
    return changed > 0;
  },

  async purgeOfAnyProject(db: Db): Promise<void> {
    await db('portal_sessions').where('expires_at', '<', db.fn.now()).delete();
  },
};

async function first(db: Db, where: Readonly<Record<string, unknown>>): Promise<PortalSession | undefined> {
  const row = await db('portal_sessions AS s')
    .join('end_users AS u', 'u.id', 's.end_user_id')
    .leftJoin('end_users AS o', 'o.id', 's.organization_id')
    .where(where)
    .where('s.expires_at', '>', db.fn.now())
    .whereRaw(IS_VOUCHED_FOR)
    .modify(whereUnrevoked, { projectId: 's.project_id', subject: 'u.subject', since: 's.created_at' })
    .first<Row | undefined>('s.*', 'u.subject', 'o.organization');
  return row && fromRow(row);
}

function fromRow(row: Row): PortalSession {
  const { organization_id: id, organization: name } = row;
  return {
    id: row.id,
    projectId: row.project_id,
    endUserId: row.end_user_id,
    subject: row.subject,
    organization: id === null || name === null ? undefined : { id, name, isManaged: row.is_manager },
    browserHash: row.browser_hash,
    locale: row.locale,
  };
}
