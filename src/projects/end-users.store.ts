import { isNativeError } from 'node:util/types';
import { LRUCache } from 'lru-cache';
import { HttpError } from '../http/errors.ts';
import { entriesUpTo } from '../lib/entries-up-to.ts';
import { isUuid, newId } from '../lib/ids.ts';
import type { Db } from '../platform/postgres/database.ts';

/** Some 10 MB at the longest subjects: users seen lately cost no query. */
const REMEMBERED_USERS_MAX = 50_000;

/** SQLSTATE of a row that points at one which is not there. */
const FOREIGN_KEY_VIOLATION = '23503';

type Row = { id: string; project_id: string; subject: string; created_at: Date };

/** A user of the application: its own id for them (`subject`, the JWT's `sub`) and the gateway's UUID. */
export type EndUser = Readonly<{ id: string; subject: string; createdAt: Date }>;

type EndUserFilter = {
  readonly projectId: string;
  readonly subject?: string | undefined;
  readonly endUserId?: string | undefined;
  readonly beforeId?: string | undefined;
  readonly limit: number;
};

export type EndUsers = ReturnType<typeof createEndUsers>;

/** The application's users as the gateway knows them. */
export function createEndUsers({ db }: { db: Db }) {
  // A user's UUID never changes; the user may be erased, and comes back as another one.
  const idBySubject = new LRUCache<string, string>(entriesUpTo(REMEMBERED_USERS_MAX));

  function forget(endUserId: string | undefined): void {
    for (const [key, id] of idBySubject.entries()) if (id === endUserId) idBySubject.delete(key);
  }

  /**
   * The UUID that stands for this user in every integration of the project; made on first sight. Calls at the same
   * time agree on one. Throws `project_not_found` when there is no such project.
   */
  async function endUserId(projectId: string, subject: string): Promise<string> {
    const key = `${projectId} ${subject}`;
    const known = idBySubject.get(key);
    if (known !== undefined) return known;
    const id =
      (await findId(projectId, subject)) ??
      (await insert(projectId, subject)) ??
      (await findId(projectId, subject));
    // Another process inserted it and has erased it again with its project.
    if (id === undefined) throw new HttpError('project_not_found');
    idBySubject.set(key, id);
    return id;
  }

  async function findId(projectId: string, subject: string): Promise<string | undefined> {
    const row = await db<Row>('end_users').where({ project_id: projectId, subject }).first('id');
    return row?.id;
  }

  /** Undefined where another process was faster. */
  async function insert(projectId: string, subject: string): Promise<string | undefined> {
    try {
      const [row] = await db<Row>('end_users')
        .insert({ id: newId(), project_id: projectId, subject })
        .onConflict(['project_id', 'subject'])
        .ignore()
        .returning('id');
      return row?.id;
    } catch (error) {
      if (isNativeError(error) && 'code' in error && error.code === FOREIGN_KEY_VIOLATION) {
        throw new HttpError('project_not_found');
      }
      throw error;
    }
  }

  /**
   * Makes changes to one user's connections wait for each other until the transaction ends. `FOR UPDATE`, since rows
   * that point at the user take a key-share lock, which only this mode holds back.
   */
  async function lockEndUser(trx: Db, projectId: string, id: string): Promise<void> {
    await trx<Row>('end_users').where({ project_id: projectId, id }).forUpdate().first('id');
  }

  /** Users of one project, the one seen last first. */
  async function list(filter: EndUserFilter): Promise<EndUser[]> {
    const query = db<Row>('end_users').where({ project_id: filter.projectId });
    if (filter.subject !== undefined) query.where({ subject: filter.subject });
    if (filter.endUserId !== undefined) query.where({ id: filter.endUserId });
    if (filter.beforeId !== undefined) query.where('id', '<', filter.beforeId);
    const rows = await query.orderBy('id', 'desc').limit(filter.limit).select('id', 'subject', 'created_at');
    return rows.map((row) => ({ id: row.id, subject: row.subject, createdAt: row.created_at }));
  }

  /** Users whose own id begins with the text, in any case, or whose UUID it is; in the order of their ids. */
  async function search(
    projectIds: readonly string[],
    text: string,
    limit: number,
  ): Promise<(EndUser & { projectId: string })[]> {
    const { rows } = await db.raw<{ rows: Row[] }>(
      `SELECT u.* FROM unnest(CAST(:projects AS uuid[])) AS p (id) CROSS JOIN LATERAL (
         SELECT id, project_id, subject, created_at FROM end_users
         WHERE project_id = p.id
           AND lower(subject) COLLATE "C" >= lower(CAST(:text AS text)) COLLATE "C"
           AND lower(subject) COLLATE "C" < lower(CAST(:text AS text)) COLLATE "C" || :last
         ORDER BY lower(subject) COLLATE "C" LIMIT :limit) AS u LIMIT :limit`,
      { projects: [...projectIds], text, last: '\u{10ffff}', limit },
    );
    const byId = isUuid(text)
      ? await db<Row>('end_users').whereIn('project_id', projectIds).where('id', text)
      : [];
    return [...byId, ...rows].map((row) => ({
      id: row.id,
      projectId: row.project_id,
      subject: row.subject,
      createdAt: row.created_at,
    }));
  }

  return { endUserId, forget, forgetAll: () => idBySubject.clear(), lockEndUser, list, search };
}
