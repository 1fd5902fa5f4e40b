import type { Db } from '../../platform/postgres/database.ts';
import { AUDIT_PREFIX } from '../stream/event.ts';
import type { DeliveryState } from './delivery.ts';

/** Of each state so many of the newest are counted. */
const COUNTED_MAX = 20_000;
/** More are retried by asking again. */
export const RETRIED_MAX = 5_000;

/** States of deliveries that did not arrive so far. */
export const UNHAPPY_STATES = ['failed', 'dead'] as const satisfies readonly DeliveryState[];
export type UnhappyState = (typeof UNHAPPY_STATES)[number];

/** Deliveries to one destination that failed in the same way. */
export type DeliveryCause = {
  readonly destinationId: string;
  readonly error: string | null;
  readonly status: number | null;
  readonly failed: number;
  readonly dead: number;
  readonly lastAt: Date | null;
  /** The newest of them. */
  readonly deliveryId: string;
};

type CauseRow = {
  destination_id: string;
  last_error: string | null;
  last_status: number | null;
  failed: string;
  dead: string;
  last_at: Date | null;
  delivery_id: string;
};

/** Where a cause stands in the list: by how many failed, and the newest of them. */
export type CausePosition = readonly [count: number, deliveryId: string];

export const findPosition = ({ failed, dead, deliveryId }: DeliveryCause): CausePosition => [
  failed + dead,
  deliveryId,
];

/** What failed and why, the most frequent cause first; to destinations that exist, and have the tags. */
export async function listCauses(
  db: Db,
  projectId: string,
  {
    after,
    limit,
    tags = {},
  }: {
    readonly after: CausePosition | undefined;
    readonly limit: number;
    readonly tags?: Readonly<Record<string, string>> | undefined;
  },
): Promise<DeliveryCause[]> {
  const { rows } = await db.raw<{ rows: CauseRow[] }>(
    `SELECT f.destination_id, f.last_error, f.last_status,
       count(*) FILTER (WHERE f.state = 'failed') AS failed, count(*) FILTER (WHERE f.state = 'dead') AS dead,
       max(f.last_attempt_at) AS last_at, max(f.id::text) AS delivery_id
     FROM unnest(?::text[]) AS s (state)
     CROSS JOIN LATERAL (SELECT id, destination_id, state, last_error, last_status, last_attempt_at
       FROM deliveries WHERE project_id = ? AND state = s.state AND state IN ('failed', 'dead')
       ORDER BY id DESC LIMIT ?) AS f
     WHERE f.destination_id IN (SELECT id FROM event_destinations WHERE project_id = ? AND tags @> ?::jsonb)
     GROUP BY f.destination_id, f.last_error, f.last_status
     HAVING ?::bigint IS NULL OR (count(*), max(f.id::text)) < (?::bigint, ?::text)
     ORDER BY count(*) DESC, max(f.id::text) DESC LIMIT ?`,
    [
      ...[[...UNHAPPY_STATES], projectId, COUNTED_MAX, projectId, JSON.stringify(tags)],
      ...[after?.[0] ?? null, after?.[0] ?? null, after?.[1] ?? null, limit],
    ],
  );
  return rows.map((row) => ({
    destinationId: row.destination_id,
    error: row.last_error,
    status: row.last_status,
    failed: Number(row.failed),
    dead: Number(row.dead),
    lastAt: row.last_at,
    deliveryId: row.delivery_id,
  }));
}

type RetryFilter = {
  readonly destinationId: string;
  readonly states: readonly UnhappyState[];
  /** Null: those without one. Undefined: any. */
  readonly error: string | null | undefined;
  readonly status: number | null | undefined;
  /** Also those of the audit log. */
  readonly withAudit: boolean;
  readonly now: Date;
};

/** Makes up to 5,000 of the deliveries due now, the oldest first. Gives how many. */
export async function retryDeliveries(trx: Db, filter: RetryFilter): Promise<number> {
  const { destinationId, states, error, status, withAudit, now } = filter;
  const chosen = trx('deliveries')
    .where({ destination_id: destinationId })
    .whereIn('state', [...states])
    .orderBy('id')
    .limit(RETRIED_MAX)
    .select('id', 'created_at');
  if (error !== undefined) chosen.where({ last_error: error });
  if (status !== undefined) chosen.where({ last_status: status });
  if (!withAudit) chosen.whereNot('event_type', 'like', `${AUDIT_PREFIX}%`);
  return trx('deliveries')
    .whereIn(['id', 'created_at'], chosen)
    .update({ state: 'pending', attempts_made: 0, next_attempt_at: now });
}
