import type { Change, ProjectChange } from '../../activity/actions.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { NewEvent } from '../stream/event.ts';
import type { EnqueueEvents } from '../stream/stream.ts';
import { GATEWAY_EVENTS } from './event-payloads.ts';
import { findUserSubjects } from './gateway-events.store.ts';

const EVENTS_BY_ACTION = new Map(
  Object.entries(GATEWAY_EVENTS).flatMap(([type, { actions, describe }]) =>
    actions.map((action) => [action, { type, describe }]),
  ),
);

/** Enqueues events in the transaction that makes the changes, of those that the stream reports. */
export function createEnqueueGatewayEvents(deps: { enqueue: EnqueueEvents }) {
  return async (trx: Db, changes: readonly Change[]): Promise<void> => {
    const ofProjects = changes.flatMap((change) => (change.projectId === null ? [] : [change]));
    for (const [projectId, ofProject] of Map.groupBy(ofProjects, (change) => change.projectId)) {
      const users = listUsersOfDeleted(ofProject);
      const userIds = users.length === 0 ? new Map() : await findUserSubjects(trx, projectId, users);
      const events: NewEvent[] = [];
      for (const change of ofProject) {
        const event = await buildEvent(trx, change, userIds);
        if (event !== undefined) events.push(event);
      }
      if (events.length > 0) await deps.enqueue(trx, projectId, events);
    }
  };
}

/** End users who lost a connection, whose rows no longer lead to them. */
function listUsersOfDeleted(changes: readonly ProjectChange[]): string[] {
  return changes.flatMap((change) =>
    change.action === 'connection.deleted' ? [change.details.integrationUserId] : [],
  );
}

async function buildEvent(
  trx: Db,
  change: ProjectChange,
  userIds: ReadonlyMap<string, string>,
): Promise<NewEvent | undefined> {
  const found = EVENTS_BY_ACTION.get(change.action);
  const { subjectId } = change;
  if (found === undefined || subjectId === null) return undefined;
  const content = await found.describe({ trx, change, subjectId, userIds });
  if (content === undefined) return undefined;
  const { data, ...ids } = content;
  return { type: found.type, source: 'gateway', ...ids, dataText: JSON.stringify(data) };
}
