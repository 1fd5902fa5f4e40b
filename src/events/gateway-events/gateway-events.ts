import type { Change } from '../../activity/actions.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { NewEvent } from '../stream/event.ts';
import type { EnqueueEvents } from '../stream/stream.ts';
import { findConnectionFacts, findUserSubjects } from './gateway-events.store.ts';

/** Changes that the stream tells of, and the type of the event. An import creates a connection, too. */
const TYPES = {
  'connection.created': 'connection.created',
  'connection.imported': 'connection.created',
  'connection.reauthorized': 'connection.reauthorized',
  'connection.updated': 'connection.updated',
  'connection.reauthorization_required': 'connection.reauthorization_required',
  'connection.deleted': 'connection.deleted',
  'integration.updated': 'integration.updated',
} as const;

export type GatewayEventType = (typeof TYPES)[keyof typeof TYPES];

/** Types of the events that the gateway makes of its own changes. */
export const GATEWAY_EVENT_TYPES = [...new Set(Object.values(TYPES))];

/** Enqueues events in the transaction that makes the changes, of those that the stream tells of. */
export function createEnqueueGatewayEvents(deps: { enqueue: EnqueueEvents }) {
  return async (trx: Db, changes: readonly Change[]): Promise<void> => {
    for (const [projectId, ofProject] of Map.groupBy(changes, (change) => change.projectId)) {
      if (projectId === null) continue;
      const users = usersOfDeleted(ofProject);
      const subjects = users.length === 0 ? new Map() : await findUserSubjects(trx, projectId, users);
      const events: NewEvent[] = [];
      for (const change of ofProject) {
        const event = await eventOf(trx, projectId, change, subjects);
        if (event !== undefined) events.push(event);
      }
      if (events.length > 0) await deps.enqueue(trx, projectId, events);
    }
  };
}

/** End users who lost a connection, whose rows no longer lead to them. */
function usersOfDeleted(changes: readonly Change[]): string[] {
  return changes.flatMap((change) =>
    change.action === 'connection.deleted' ? [change.details.integrationUserId] : [],
  );
}

async function eventOf(
  trx: Db,
  projectId: string,
  change: Change,
  subjects: ReadonlyMap<string, string>,
): Promise<NewEvent | undefined> {
  const { subjectId } = change;
  if (subjectId === null) return undefined;
  switch (change.action) {
    case 'connection.created':
    case 'connection.imported':
    case 'connection.reauthorized':
    case 'connection.updated':
    case 'connection.reauthorization_required':
      return connectionEvent(trx, TYPES[change.action], projectId, subjectId);
    case 'connection.deleted': {
      // The row is gone already; what is told is who lost which connection.
      const { integrationId, integrationUserId } = change.details;
      const userId = subjects.get(integrationUserId) ?? null;
      const ids = { integrationId, integrationUserId, userId };
      const data = { id: subjectId, projectId, ...ids };
      return gatewayEvent(TYPES[change.action], { ...ids, connectionId: subjectId }, data);
    }
    case 'integration.updated': {
      const ids = { integrationId: subjectId, connectionId: null, integrationUserId: null, userId: null };
      const data = { id: subjectId, projectId, fields: change.details.fields };
      return gatewayEvent(TYPES[change.action], ids, data);
    }
    default:
      return undefined;
  }
}

async function connectionEvent(
  trx: Db,
  type: string,
  projectId: string,
  connectionId: string,
): Promise<NewEvent | undefined> {
  const facts = await findConnectionFacts(trx, projectId, connectionId);
  if (facts === undefined) return undefined;
  const { integrationId, integrationUserId, userId } = facts;
  return gatewayEvent(type, { integrationId, connectionId, integrationUserId, userId }, facts);
}

function gatewayEvent(
  type: string,
  ids: Pick<NewEvent, 'integrationId' | 'connectionId' | 'integrationUserId' | 'userId'>,
  data: object,
): NewEvent {
  return { type, source: 'gateway', ...ids, dataText: JSON.stringify(data) };
}
