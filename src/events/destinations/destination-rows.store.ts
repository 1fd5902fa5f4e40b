import type { Db } from '../../platform/postgres/database.ts';
import type { KafkaPlace } from '../sending/kafka-place.ts';
import type { DestinationFormat } from '../sending/message.ts';
import type {
  Destination,
  DestinationFields,
  DestinationOrder,
  DisabledReason,
  Lane,
} from './destination.ts';

export type DestinationRow = {
  id: string;
  project_id: string;
  version: number;
  url: string;
  kafka: KafkaPlace | null;
  kafka_password_sealed: string | null;
  types: string[];
  connection_ids: string[] | null;
  tags: Record<string, string>;
  description: string | null;
  ordered: DestinationOrder;
  format: DestinationFormat;
  secret_sealed: string;
  previous_secret_sealed: string | null;
  secret_rotated_at: Date | null;
  disabled_reason: DisabledReason | null;
  disabled_at: Date | null;
  position: number | string;
  lane: Lane;
  failures: number;
  failing_since: Date | null;
  hold_until: Date | null;
  last_success_at: Date | null;
  last_failure_at: Date | null;
  last_failure: string | null;
  created_at: Date;
  created_by: string;
  updated_at: Date;
};

/** Changes the row, and counts it as another version. */
export async function changeRow(
  trx: Db,
  where: { id: string; project_id?: string; version?: number },
  columns: Record<string, unknown>,
): Promise<Destination | undefined> {
  const [row] = await trx<DestinationRow>('event_destinations')
    .where(where)
    .update({ ...columns, version: trx.raw('version + 1'), updated_at: trx.fn.now() })
    .returning('*');
  return row && toDestination(row);
}

export type SomeFields = {
  readonly [Field in keyof DestinationFields]?: DestinationFields[Field] | undefined;
};

export function toColumns(fields: SomeFields): Record<string, unknown> {
  const { url, kafka, types, connectionIds, tags, description, ordered, format } = fields;
  const columns = {
    ...{ url, types, connection_ids: connectionIds, description, ordered, format },
    tags: tags && JSON.stringify(tags),
    kafka: kafka && JSON.stringify(kafka),
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}

export function toDestination(row: DestinationRow): Destination {
  return {
    id: row.id,
    projectId: row.project_id,
    version: row.version,
    url: row.url,
    kafka: row.kafka,
    types: row.types,
    connectionIds: row.connection_ids,
    tags: row.tags,
    description: row.description,
    ordered: row.ordered,
    format: row.format,
    disabledReason: row.disabled_reason,
    disabledAt: row.disabled_at,
    position: Number(row.position),
    lane: row.lane,
    failures: row.failures,
    failingSince: row.failing_since,
    holdUntil: row.hold_until,
    lastSuccessAt: row.last_success_at,
    lastFailureAt: row.last_failure_at,
    lastFailure: row.last_failure,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
