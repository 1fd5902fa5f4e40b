import { whereUnrevoked } from '../identity/revocations/unrevoked.store.ts';
import type { Db } from '../platform/postgres/database.ts';

/** Time for a person to read and decide. The approval itself may run out earlier. */
const LIFETIME = `interval '30 minutes'`;
/** When the link was made. */
const MADE_AT = `s.expires_at - ${LIFETIME}`;

export type PageSession = {
  readonly approvalId: string;
  /** Null before a browser has opened the link. */
  readonly browserHash: Buffer | null;
  readonly locale: string | null;
};

type Row = { approval_id: string; browser_hash: Buffer | null; locale: string | null };

/** An approval has one page at a time: a new link ends the one before. */
export async function replaceSession(
  trx: Db,
  session: { readonly approvalId: string; readonly tokenHash: Buffer; readonly locale: string | null },
): Promise<Date> {
  const { rows } = await trx.raw<{ rows: { expires_at: Date }[] }>(
    `INSERT INTO approval_sessions (approval_id, token_hash, locale, expires_at)
     VALUES (:approvalId, :tokenHash, :locale, now() + ${LIFETIME})
     ON CONFLICT (approval_id) DO UPDATE SET token_hash = excluded.token_hash, browser_hash = NULL,
       locale = excluded.locale, expires_at = excluded.expires_at
     RETURNING expires_at`,
    { ...session },
  );
  const [row] = rows;
  if (row === undefined) throw new Error('an inserted session was not returned');
  return row.expires_at;
}

/** The link of any project: the token itself is the authority. */
export async function findByTokenOfAnyProject(db: Db, tokenHash: Buffer): Promise<PageSession | undefined> {
  return first(db, { 's.token_hash': tokenHash });
}

/** For a browser, whose cookie is the authority. */
export async function findOfAnyProject(db: Db, approvalId: string): Promise<PageSession | undefined> {
  return first(db, { 's.approval_id': approvalId });
}

/** False where another browser was there first. */
export async function bindBrowser(db: Db, tokenHash: Buffer, browserHash: Buffer): Promise<boolean> {
  const changed = await db('approval_sessions')
    .where({ token_hash: tokenHash, browser_hash: null })
    .where('expires_at', '>', db.fn.now())
    .update({ browser_hash: browserHash });
  return changed > 0;
}

async function first(db: Db, where: Readonly<Record<string, unknown>>): Promise<PageSession | undefined> {
  const row = await db('approval_sessions AS s')
    .join('approvals AS a', 'a.id', 's.approval_id')
    .join('end_users AS u', { 'u.id': 'a.end_user_id', 'u.project_id': 'a.project_id' })
    .where(where)
    .where('s.expires_at', '>', db.fn.now())
    .modify(whereUnrevoked, { projectId: 'a.project_id', subject: 'u.subject', since: MADE_AT })
    .first<Row | undefined>('s.approval_id', 's.browser_hash', 's.locale');
  return row && { approvalId: row.approval_id, browserHash: row.browser_hash, locale: row.locale };
}
