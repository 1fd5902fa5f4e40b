import type { Change } from '../activity/changes.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { NewEvent } from './event.ts';
import { findConnectionFacts, findUserSubject } from './gateway-events.store.ts';
import type { EnqueueEvent } from './stream.ts';

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

/** Enqueues the event of a change in the transaction that makes it, where it is one that the stream tells of. */
export function createEnqueueGatewayEvent(deps: { enqueue: EnqueueEvent }) {
  return async (trx: Db, change: Change): Promise<void> => {
    const event = await eventOf(trx, change);
    if (event !== undefined && change.projectId !== null) await deps.enqueue(trx, change.projectId, event);
  };
}

async function eventOf(trx: Db, change: Change): Promise<NewEvent | undefined> {
  const { projectId, subjectId } = change;
  if (projectId === null || subjectId === null) return undefined;
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
      const userId = await findUserSubject(trx, projectId, integrationUserId);
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
