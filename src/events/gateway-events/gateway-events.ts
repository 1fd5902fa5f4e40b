import type { Change, ProjectChange } from '../../activity/actions.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { NewEvent } from '../stream/event.ts';
import type { EnqueueEvents } from '../stream/stream.ts';
import { GATEWAY_EVENTS } from './event-payloads.ts';
import { findOwnerNames, type OwnerNames } from './gateway-events.store.ts';

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
      const lost = listOwnersOfDeleted(ofProject);
      const owners =
        lost.length === 0 ? new Map<string, OwnerNames>() : await findOwnerNames(trx, projectId, lost);
      const events: NewEvent[] = [];
      for (const change of ofProject) {
        const event = await buildEvent(trx, change, owners);
        if (event !== undefined) events.push(event);
      }
      if (events.length > 0) await deps.enqueue(trx, projectId, events);
    }
  };
}

/** Whose connection is gone, whose row no longer leads to them. */
function listOwnersOfDeleted(changes: readonly ProjectChange[]): string[] {
  return changes.flatMap((change) =>
    change.action === 'connection.deleted' ? [change.details.integrationUserId] : [],
  );
}

async function buildEvent(
  trx: Db,
  change: ProjectChange,
  owners: ReadonlyMap<string, OwnerNames>,
): Promise<NewEvent | undefined> {
  const found = EVENTS_BY_ACTION.get(change.action);
  const { subjectId } = change;
  if (found === undefined || subjectId === null) return undefined;
  const content = await found.describe({ trx, change, subjectId, owners });
  if (content === undefined) return undefined;
  const { data, ...ids } = content;
  return { type: found.type, source: 'gateway', ...ids, dataText: JSON.stringify(data) };
}
