import type { ActivityRow } from '../../activity/activity.store.ts';
import { isUuid } from '../../lib/ids.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { activityWire } from '../../projects/activity-wire.ts';
import { AUDIT_PREFIX, type NewEvent } from '../stream/event.ts';
import type { EnqueueEvents } from '../stream/stream.ts';
import { listAuditedProjects } from './audit-destinations.store.ts';
import {
  type ConnectionOwner,
  findConnectionOwners,
  findOwnerNames,
  type OwnerNames,
} from './gateway-events.store.ts';

/** Who has the connections that entries are about: by connection, and by owner where the connection is gone. */
type Owners = {
  readonly ofConnections: ReadonlyMap<string, ConnectionOwner>;
  readonly ofLost: ReadonlyMap<string, OwnerNames>;
};

/**
 * Enqueues an event for each entry of the audit log, in the transaction that writes it: in projects that have a
 * destination for such events, so that the streams of others do not grow.
 */
export function createEnqueueAuditEvents(deps: { enqueue: EnqueueEvents }) {
  return async (trx: Db, entries: readonly ActivityRow[]): Promise<void> => {
    const projectIds = new Set(entries.flatMap((entry) => entry.project_id ?? []));
    if (projectIds.size === 0) return;
    for (const projectId of await listAuditedProjects(trx, [...projectIds])) {
      const kept = entries.filter((entry) => entry.project_id === projectId && !isOfErased(entry));
      if (kept.length === 0) continue;
      const owners = await findOwners(trx, projectId, kept);
      const events = kept.map((entry) => buildEvent(entry, owners));
      await deps.enqueue(trx, projectId, events);
    }
  };
}

async function findOwners(trx: Db, projectId: string, entries: readonly ActivityRow[]): Promise<Owners> {
  const about = entries.filter((entry) => readConnectionId(entry) !== null);
  const ids = about.flatMap((entry) => readConnectionId(entry) ?? []);
  const ofConnections =
    ids.length === 0
      ? new Map<string, ConnectionOwner>()
      : await findConnectionOwners(trx, projectId, ids.filter(isUuid));
  const lost = about
    .filter((entry) => !ofConnections.has(readConnectionId(entry) ?? ''))
    .flatMap(({ details }) => idOf(details.integrationUserId) ?? []);
  const ofLost =
    lost.length === 0
      ? new Map<string, OwnerNames>()
      : await findOwnerNames(trx, projectId, lost.filter(isUuid));
  return { ofConnections, ofLost };
}

/** The event would keep the id of an erased person for as long as events are kept. */
function isOfErased({ action, details }: ActivityRow): boolean {
  return (
    action.startsWith('user.eras') ||
    action.startsWith('organization.eras') ||
    details.cause === 'user_erased'
  );
}

function readConnectionId({ subject_kind: kind, subject_id: id, details }: ActivityRow): string | null {
  return kind === 'connection' ? id : idOf(details.connectionId);
}

/** The ids let the event be erased with the user whom it is about. */
function buildEvent(entry: ActivityRow, { ofConnections, ofLost }: Owners): NewEvent {
  const { subject_kind: kind, subject_id: subjectId, details } = entry;
  const connectionId = readConnectionId(entry);
  const connection = ofConnections.get(connectionId ?? '');
  const lost = connectionId === null ? undefined : ofLost.get(String(details.integrationUserId));
  const owner = connection ?? lost;
  // An organization is erased with the event by its connection, whoever connected that.
  const person = details.connectedBy ?? details.integrationUserId ?? connection?.integrationUserId;
  const user = entry.actor_kind === 'end_user' ? entry.actor_id : person;
  const integrationId = kind === 'integration' ? subjectId : idOf(details.integrationId);
  return {
    type: `${AUDIT_PREFIX}${entry.action}`,
    source: 'gateway',
    integrationId: integrationId ?? connection?.integrationId ?? null,
    connectionId,
    integrationUserId: idOf(user),
    userId: idOf(details.userId) ?? owner?.subject ?? null,
    organization: owner?.organization ?? null,
    dataText: JSON.stringify(activityWire(entry)),
  };
}

function idOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
