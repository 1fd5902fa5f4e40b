import type { Db } from '../platform/postgres/database.ts';
import type { Person } from './person.ts';

/** Rows of the project that one query looks at, and connections or records that it answers. */
const RANGE_ROWS = 2_000;
const PAGE_ROWS = 500;

/** A page of what is exported, and where the next one begins; null: there is none. */
export type ExportPage<Row = unknown> = { readonly rows: readonly Row[]; readonly next: string | null };

/** The person with the connections that they have or had, as far as these are known. */
export type ExportedPerson = Person & { readonly connectionIds: readonly string[] };

const camel = (columns: readonly string[], prefix = '') =>
  columns
    .map(
      (column) =>
        `${prefix}${column} AS "${column.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase())}"`,
    )
    .join(', ');

const IS_OF_CONNECTION = 'connection_id = ANY(CAST(:connectionIds AS uuid[]))';

/** Tables that are read in the project's own order, a range at a time. No column with a secret is among these. */
const RANGES = {
  activity: {
    key: 'id',
    columns: camel([
      'id',
      'created_at',
      'actor_kind',
      'actor_id',
      'action',
      'subject_kind',
      'subject_id',
      'details',
    ]).concat(', CASE WHEN actor_id = :endUserId THEN host(source_address) END AS "sourceAddress"'),
    condition: `(actor_id = :endUserId OR details ->> 'integrationUserId' = CAST(:endUserId AS text)
      OR details ->> 'connectedBy' = CAST(:endUserId AS text) OR details ->> 'userId' = :userId OR (subject_kind = 'connection' AND subject_id = ANY(CAST(:connectionIds AS uuid[]))))`,
  },
  deliveries: {
    key: 'id',
    columns: camel([
      ...['id', 'created_at', 'destination_id', 'event_id', 'event_type', 'connection_id', 'state'],
      ...['attempts_made', 'last_attempt_at', 'last_status', 'last_error'],
    ]),
    condition: IS_OF_CONNECTION,
  },
  /** What was asked is kept, and shown by its own operation, for as long as it waits. */
  approvals: {
    key: 'id',
    columns: camel([
      ...['id', 'created_at', 'provider', 'method', 'mode', 'state', 'integration_id', 'connection_id'],
      ...['expires_at', 'decided_at', 'decided_by_kind', 'ended_at'],
    ]),
    condition: 'end_user_id = :endUserId',
  },
  /** The clients that the person has signed in to; of their tokens nothing. */
  agent_consents: {
    key: 'id',
    columns: camel(['id', 'created_at', 'client_id', 'client_name', 'access', 'rights', 'used_at']),
    condition: 'end_user_id = :endUserId',
  },
  /** An organization's own OAuth clients, those of before included; of their secrets nothing. */
  organization_clients: {
    key: 'id',
    columns: camel([
      ...[
        'id',
        'created_at',
        'updated_at',
        'integration_id',
        'client_id',
        'variables',
        'scopes',
        'retired_at',
      ],
    ]),
    condition: 'end_user_id = :endUserId',
  },
  recent_calls: {
    key: 'request_id',
    columns: camel([
      ...[
        'request_id',
        'at',
        'method',
        'path',
        'provider',
        'integration_id',
        'connection_id',
        'status',
        'origin',
      ],
      ...['code', 'attempts', 'duration_ms', 'request_bytes', 'response_bytes', 'trace_id'],
    ]),
    condition: `(end_user_id = :endUserId OR subject = :userId OR ${IS_OF_CONNECTION}
      OR organization = CAST(:organization AS text))`,
  },
} as const;

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

export async function readRange(
  db: Db,
  table: keyof typeof RANGES,
  person: ExportedPerson,
  after: string = BEFORE_ALL,
): Promise<ExportPage<Record<string, unknown>>> {
  const { key, columns, condition } = RANGES[table];
  const { rows: ends } = await db.raw<{ rows: { last: string }[] }>(
    `SELECT CAST(${key} AS text) AS last FROM ${table} WHERE project_id = ? AND ${key} > ?
      ORDER BY ${key} OFFSET ${RANGE_ROWS - 1} LIMIT 1`,
    [person.projectId, after],
  );
  const next = ends[0]?.last ?? null;
  const upTo = next === null ? '' : `AND ${key} <= :next`;
  const { rows } = await db.raw<{ rows: Record<string, unknown>[] }>(
    `SELECT ${columns} FROM ${table} WHERE project_id = :projectId AND ${key} > :after ${upTo} AND ${condition}
      ORDER BY ${key}`,
    {
      ...{ ...person, organization: person.organization ?? null },
      ...{ connectionIds: [...person.connectionIds], after },
      ...(next !== null && { next }),
    },
  );
  return { rows, next };
}

/** Ids and places of the person's events among the next ones of the project. */
export async function readEventRange<Row>(
  db: Db,
  person: ExportedPerson,
  after = '-1',
): Promise<ExportPage<Row>> {
  const { rows: ends } = await db.raw<{ rows: { last: string }[] }>(
    `SELECT CAST(position AS text) AS last FROM events WHERE project_id = ? AND position > ?
      ORDER BY position OFFSET ${RANGE_ROWS - 1} LIMIT 1`,
    [person.projectId, after],
  );
  const next = ends[0]?.last ?? null;
  const { rows } = await db.raw<{ rows: Row[] }>(
    `SELECT * FROM events WHERE project_id = :projectId AND position > :after
       AND position <= :last AND (end_user_id = :endUserId OR subject = :userId OR ${IS_OF_CONNECTION})
      ORDER BY position`,
    {
      ...person,
      connectionIds: [...person.connectionIds],
      after,
      last: next ?? String(Number.MAX_SAFE_INTEGER),
    },
  );
  return { rows, next };
}

/** Authorizations that the person began, also for an organization, without what proves them: few, as old ones are erased. */
export async function readConnectSessions(
  db: Db,
  { projectId, endUserId }: Person,
): Promise<Record<string, unknown>[]> {
  const columns = [
    ...['id', 'integration_id', 'connection_id', 'state', 'origin', 'return_url', 'locale', 'error_code'],
    ...['granted_account_id', 'granted_account_name', 'created_at', 'expires_at'],
  ];
  const { rows } = await db.raw<{ rows: Record<string, unknown>[] }>(
    `SELECT ${camel(columns)} FROM connect_sessions WHERE project_id = :projectId
       AND (end_user_id = :endUserId OR person_id = :endUserId) ORDER BY id`,
    { projectId, endUserId },
  );
  return rows;
}

/** What polls remember of the connections' records: their ids, and when they were seen. */
export async function readPollRecords(
  db: Db,
  { projectId, endUserId }: Person,
  after = '0 ',
): Promise<ExportPage<Record<string, unknown>>> {
  const blank = after.indexOf(' ');
  const { rows } = await db.raw<{
    rows: (Record<string, unknown> & { recordSet: string; objectId: string })[];
  }>(
    `SELECT CAST(r.record_set AS text) AS "recordSet", s.poll_id AS "pollId", s.connection_id AS "connectionId",
       s.object_type AS "objectType", r.object_id AS "objectId", r.updated_at AS "updatedAt", r.seen_at AS "seenAt"
     FROM connections AS c JOIN poll_connections AS s ON s.connection_id = c.id
     JOIN poll_records AS r ON r.record_set = s.record_set
     WHERE c.project_id = ? AND c.end_user_id = ? AND (r.record_set, r.object_id) > (?, ?)
     ORDER BY r.record_set, r.object_id LIMIT ${PAGE_ROWS}`,
    [projectId, endUserId, after.slice(0, blank), after.slice(blank + 1)],
  );
  const last = rows.at(-1);
  const next = last === undefined || rows.length < PAGE_ROWS ? null : `${last.recordSet} ${last.objectId}`;
  return { rows: rows.map(({ recordSet: _, ...row }) => row), next };
}

/** Connections that the person had, as the activity knows them. */
export async function listFormerConnections(db: Db, { projectId, endUserId }: Person): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { id: string }[] }>(
    `SELECT id FROM connections WHERE project_id = :projectId AND end_user_id = :endUserId
     UNION SELECT subject_id FROM activity
      WHERE project_id = :projectId AND action = ANY(CAST(:actions AS text[])) AND subject_id IS NOT NULL
        AND details ->> 'integrationUserId' = CAST(:endUserId AS text)`,
    { projectId, endUserId, actions: ['connection.created', 'connection.imported', 'connection.deleted'] },
  );
  return rows.map(({ id }) => id);
}

const COUNTED_MAX = 10_000;

/** What there is of a person, each counted up to ten thousand. */
export async function countOfPerson(
  db: Db,
  { projectId, endUserId }: Person,
): Promise<Record<'connections' | 'connectSessions' | 'events' | 'calls', number>> {
  const countUpTo = (from: string) =>
    `(SELECT CAST(count(*) AS integer) FROM (SELECT 1 FROM ${from} LIMIT ${COUNTED_MAX}) AS n)`;
  const { rows } = await db.raw(
    `SELECT ${countUpTo('connections WHERE project_id = :projectId AND end_user_id = :endUserId')} AS connections,
       ${countUpTo('connect_sessions WHERE project_id = :projectId AND end_user_id = :endUserId')} AS "connectSessions",
       ${countUpTo(
         `events WHERE connection_id IN (
            SELECT id FROM connections WHERE project_id = :projectId AND end_user_id = :endUserId)`,
       )} AS events,
       ${countUpTo('recent_calls WHERE project_id = :projectId AND end_user_id = :endUserId')} AS calls`,
    { projectId, endUserId },
  );
  return rows[0];
}
