import type { ActivityRow } from '../../activity/activity.store.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { activityWire } from '../../projects/activity-wire.ts';
import { AUDIT_PREFIX, type NewEvent } from '../stream/event.ts';
import type { EnqueueEvents } from '../stream/stream.ts';
import { listAuditedProjects } from './audit-destinations.store.ts';

/**
 * Enqueues an event for each entry of the audit log, in the transaction that writes it: in projects that have a
 * destination for such events, so that the streams of others do not grow.
 */
export function createEnqueueAuditEvents(deps: { enqueue: EnqueueEvents }) {
  return async (trx: Db, entries: readonly ActivityRow[]): Promise<void> => {
    const projectIds = new Set(entries.flatMap((entry) => entry.project_id ?? []));
    if (projectIds.size === 0) return;
    for (const projectId of await listAuditedProjects(trx, [...projectIds])) {
      const events = entries.filter((entry) => entry.project_id === projectId && !isOfErased(entry));
      if (events.length > 0) await deps.enqueue(trx, projectId, events.map(buildEvent));
    }
  };
}

/** The event would keep the id of an erased person for as long as events are kept. */
function isOfErased({ action, details }: ActivityRow): boolean {
  return (
    action.startsWith('user.eras') ||
    action.startsWith('organization.eras') ||
    details.cause === 'user_erased'
  );
}

/** The ids let the event be erased with the user whom it is about. */
function buildEvent(entry: ActivityRow): NewEvent {
  const { subject_kind: kind, subject_id: subjectId, details } = entry;
  // An organization is erased with the event by its connection, whoever connected that.
  const person = details.connectedBy ?? details.integrationUserId;
  const user = entry.actor_kind === 'end_user' ? entry.actor_id : person;
  const integrationId = kind === 'integration' ? subjectId : details.integrationId;
  const connectionId = kind === 'connection' ? subjectId : details.connectionId;
  return {
    type: `${AUDIT_PREFIX}${entry.action}`,
    source: 'gateway',
    integrationId: idOf(integrationId),
    connectionId: idOf(connectionId),
    integrationUserId: idOf(user),
    userId: idOf(details.userId),
    dataText: JSON.stringify(activityWire(entry)),
  };
}

function idOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
