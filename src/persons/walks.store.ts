import { AUDIT_PREFIX } from '../events/stream/event.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Person } from './person.ts';

/** Rows of the project that one transaction looks at. */
const RANGE_ROWS = 2_000;

/** What an erasure knows of its person in SQL. */
export type ErasedPersonFacts = Person & { readonly erasureId: string; readonly pseudonym: string };

/** What one step of a walk came to; `last` null: the table is done. */
export type WalkStep = { readonly last: string | null; readonly count: number };

const IS_OF_CONNECTION = `connection_id IN (
  SELECT connection_id FROM user_erasure_connections WHERE erasure_id = :erasureId)`;
const IS_OF_USER = `(end_user_id = :endUserId OR subject = CAST(:userId AS text) OR ${IS_OF_CONNECTION})`;

/** Details of activity that are about the project and not about the person. */
const KEPT_DETAILS = [
  ...['integrationId', 'serviceProvider', 'connectSessionId', 'completion', 'code', 'attempts', 'errorCode'],
  ...['outcome', 'unrevoked', 'cause', 'fields', 'expiresInSeconds', 'issuedBefore', 'erasureId'],
]
  .map((name) => `'${name}'`)
  .join(', ');

const IS_OF_USERS_ACTIVITY = `(actor_id = :endUserId OR details ->> 'integrationUserId' = CAST(:endUserId AS text)
  OR details ->> 'connectedBy' = CAST(:endUserId AS text)
  OR details ->> 'userId' = CAST(:userId AS text) OR (subject_kind = 'connection' AND subject_id IN (
    SELECT connection_id FROM user_erasure_connections WHERE erasure_id = :erasureId)))`;

const NAMES = `'integrationUserId', 'userId', 'connectedBy'`;

/** Other names stand in entries about an organization's connection, which the person connected or used. */
const IS_PERSONS_NAME = `key IN (${NAMES}) AND value IN (to_jsonb(CAST(:endUserId AS text)), to_jsonb(CAST(:userId AS text)))`;

/** Entries stay, with a pseudonym in the place of the person; their address goes, and what a provider said of them. */
const PSEUDONYMIZE_ACTIVITY = `UPDATE activity SET
  source_address = CASE WHEN actor_id = :endUserId THEN NULL ELSE source_address END,
  actor_id = CASE WHEN actor_id = :endUserId THEN CAST(:pseudonym AS uuid) ELSE actor_id END,
  details = (SELECT coalesce(jsonb_object_agg(key, CASE WHEN ${IS_PERSONS_NAME}
      THEN to_jsonb(CAST(:pseudonym AS text)) ELSE value END), '{}')
    FROM jsonb_each(details) WHERE key IN (${NAMES}, ${KEPT_DETAILS}))
  WHERE project_id = :projectId AND id > :after AND id <= :last AND ${IS_OF_USERS_ACTIVITY}
  RETURNING subject_kind, subject_id, details`;

/** A connection that is there is its owner's, whichever user connected or used it. */
const isNoOthers = (id: string) =>
  `NOT EXISTS (SELECT 1 FROM connections AS c WHERE c.id = ${id} AND c.end_user_id <> :endUserId)`;

/** The activity tells which connections were the person's before, too; an organization's are not. */
const WALK_ACTIVITY = `WITH changed AS (${PSEUDONYMIZE_ACTIVITY}), noted AS (
    INSERT INTO user_erasure_connections (erasure_id, project_id, connection_id)
    SELECT DISTINCT CAST(:erasureId AS uuid), CAST(:projectId AS uuid), subject_id FROM changed
     WHERE subject_kind = 'connection' AND subject_id IS NOT NULL
       AND coalesce(details ->> 'integrationUserId', CAST(:pseudonym AS text)) = CAST(:pseudonym AS text)
       AND ${isNoOthers('changed.subject_id')}
    ON CONFLICT DO NOTHING)
  SELECT CAST(count(*) AS integer) AS count FROM changed`;

const walkDeleting = (table: string, key: string, condition: string) => `WITH gone AS (
    DELETE FROM ${table} WHERE project_id = :projectId AND ${key} > :after AND ${key} <= :last AND ${condition}
    RETURNING 1)
  SELECT CAST(count(*) AS integer) AS count FROM gone`;

/** Events of the audit log and of approvals name who acted or asked; all others name the owner of their connection. */
const NAMES_OWNER = `NOT (source = 'gateway'
  AND (starts_with(type, '${AUDIT_PREFIX}') OR starts_with(type, 'approval.')))`;

/** Events tell of connections as well, where the activity is kept for a shorter time. */
const WALK_EVENTS = `WITH gone AS (
    DELETE FROM events WHERE project_id = :projectId AND position > :after AND position <= :last AND ${IS_OF_USER}
    RETURNING connection_id, source, type), noted AS (
    INSERT INTO user_erasure_connections (erasure_id, project_id, connection_id)
    SELECT DISTINCT CAST(:erasureId AS uuid), CAST(:projectId AS uuid), connection_id FROM gone
     WHERE connection_id IS NOT NULL AND ${NAMES_OWNER} AND ${isNoOthers('gone.connection_id')}
    ON CONFLICT DO NOTHING)
  SELECT CAST(count(*) AS integer) AS count FROM gone`;

/** Tables that have no index by person are walked by the project's own order, a range at a time. */
export const WALKS = {
  activity: { kind: 'activityEntries', key: 'id', type: 'uuid', change: WALK_ACTIVITY },
  events: { kind: 'events', key: 'position', type: 'bigint', change: WALK_EVENTS },
  event_outbox: {
    kind: 'events',
    key: 'id',
    type: 'uuid',
    change: walkDeleting('event_outbox', 'id', IS_OF_USER),
  },
  deliveries: {
    kind: 'deliveries',
    key: 'id',
    type: 'uuid',
    change: walkDeleting('deliveries', 'id', IS_OF_CONNECTION),
  },
  recent_calls: {
    kind: 'calls',
    key: 'request_id',
    type: 'uuid',
    change: walkDeleting(
      'recent_calls',
      'request_id',
      `(${IS_OF_USER} OR organization = CAST(:organization AS text))`,
    ),
  },
} as const;

/** The places before the first rows. */
export const WALK_BEGINNINGS = { uuid: '00000000-0000-0000-0000-000000000000', bigint: '-1' } as const;

/** Changes the person's rows among the next ones of the project. */
export async function walkTable(
  trx: Db,
  table: keyof typeof WALKS,
  person: ErasedPersonFacts,
  after: string,
): Promise<WalkStep> {
  const { key, change } = WALKS[table];
  const { rows: found } = await trx.raw<{ rows: { last: string | null; seen: number }[] }>(
    `SELECT (array_agg(k ORDER BY k DESC))[1]::text AS last, count(*)::integer AS seen FROM (
       SELECT ${key} AS k FROM ${table} WHERE project_id = ? AND ${key} > ? ORDER BY ${key} LIMIT ${RANGE_ROWS}) AS range`,
    [person.projectId, after],
  );
  const { last = null, seen = 0 } = found[0] ?? {};
  if (last === null) return { last: null, count: 0 };
  const { rows } = await trx.raw<{ rows: { count: number }[] }>(change, {
    ...person,
    organization: person.organization ?? null,
    ...{ after, last },
  });
  return { last: seen < RANGE_ROWS ? null : last, count: rows[0]?.count ?? 0 };
}

/** The place before the first event since a time; null where there is no such time. */
export async function findPosition(
  trx: Db,
  { projectId }: Pick<Person, 'projectId'>,
  since: Date | null,
): Promise<string | null> {
  if (since === null) return null;
  const row = await trx('events')
    .where({ project_id: projectId })
    .where('created_at', '>=', since)
    .orderBy('position')
    .first<{ before: string } | undefined>(trx.raw('CAST(position - 1 AS text) AS before'));
  // Nothing has come: the walk begins behind all positions.
  return row?.before ?? String(Number.MAX_SAFE_INTEGER);
}
