import { LRUCache } from 'lru-cache';
import { HttpError } from '../http/errors.ts';
import { entriesUpTo } from '../lib/entries-up-to.ts';
import { isUuid, newId } from '../lib/ids.ts';
import type { Db } from '../platform/postgres/database.ts';
import { isForeignKeyViolation } from '../platform/postgres/store-errors.ts';

/** Some 10 MB at the longest subjects: users seen lately cost no query. */
const REMEMBERED_USERS_MAX = 50_000;

type Row = {
  id: string;
  project_id: string;
  subject: string;
  organization: string | null;
  created_at: Date;
};

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

/** An organization of the application's: its own id for it (the claim `org`) and the gateway's UUID. */
export type Organization = Readonly<{
  id: string;
  organization: string;
  createdAt: Date;
  /** Null: the quota of all organizations of the project. */
  callsPerDay: number | null;
}>;

type OrganizationFilter = Omit<EndUserFilter, 'subject' | 'endUserId'> & {
  readonly organization?: string | undefined;
  readonly id?: string | undefined;
};

/** Either stands in a row of its own, with its own id in a column of its own. */
type Kind = 'subject' | 'organization';

const CONFLICT: Readonly<Record<Kind, string>> = {
  subject: '(project_id, subject)',
  organization: '(project_id, organization) WHERE organization IS NOT NULL',
};

/** The application's users and organizations as the gateway knows them. */
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
    return idOf('subject', projectId, subject);
  }

  async function idOf(kind: Kind, projectId: string, name: string): Promise<string> {
    // No such id has a control character.
    const key = `${projectId} ${kind === 'subject' ? '' : '\0'}${name}`;
    const known = idBySubject.get(key);
    if (known !== undefined) return known;
    const id =
      (await findId(kind, projectId, name)) ??
      (await insert(kind, projectId, name)) ??
      (await findId(kind, projectId, name));
    // Another process inserted it and has erased it again with its project.
    if (id === undefined) throw new HttpError('project_not_found');
    idBySubject.set(key, id);
    return id;
  }

  async function findId(kind: Kind, projectId: string, name: string): Promise<string | undefined> {
    const row = await db<Row>('end_users')
      .where({ project_id: projectId, [kind]: name })
      .first('id');
    return row?.id;
  }

  /** Undefined where another process was faster. */
  async function insert(kind: Kind, projectId: string, name: string): Promise<string | undefined> {
    try {
      const [row] = await db('end_users')
        .insert({ id: newId(), project_id: projectId, [kind]: name })
        .onConflict(db.raw(CONFLICT[kind]))
        .ignore()
        .returning<{ id: string }[]>('id');
      return row?.id;
    } catch (error) {
      if (isForeignKeyViolation(error)) throw new HttpError('project_not_found');
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
    const query = db<Row>('end_users').where({ project_id: filter.projectId }).whereNotNull('subject');
    if (filter.subject !== undefined) query.where({ subject: filter.subject });
    if (filter.endUserId !== undefined) query.where({ id: filter.endUserId });
    if (filter.beforeId !== undefined) query.where('id', '<', filter.beforeId);
    const rows = await query.orderBy('id', 'desc').limit(filter.limit).select('id', 'subject', 'created_at');
    return rows.map((row) => ({ id: row.id, subject: row.subject, createdAt: row.created_at }));
  }

  /** Organizations of one project, the one seen last first. */
  async function listOrganizations(filter: OrganizationFilter): Promise<Organization[]> {
    const query = db('end_users').where({ project_id: filter.projectId }).whereNotNull('organization');
    if (filter.organization !== undefined) query.where({ organization: filter.organization });
    if (filter.id !== undefined) query.where({ id: filter.id });
    if (filter.beforeId !== undefined) query.where('id', '<', filter.beforeId);
    return query.orderBy('id', 'desc').limit(filter.limit).select<Organization[]>('id', 'organization', {
      createdAt: 'created_at',
      callsPerDay: 'calls_per_day',
    });
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
      ? await db<Row>('end_users').whereIn('project_id', projectIds).where('id', text).whereNotNull('subject')
      : [];
    return [...byId, ...rows].map((row) => ({
      id: row.id,
      projectId: row.project_id,
      subject: row.subject,
      createdAt: row.created_at,
    }));
  }

  return {
    endUserId,
    /** The same for an organization. */
    organizationId: (projectId: string, organization: string) =>
      idOf('organization', projectId, organization),
    forget,
    forgetAll: () => idBySubject.clear(),
    lockEndUser,
    list,
    listOrganizations,
    search,
  };
}
