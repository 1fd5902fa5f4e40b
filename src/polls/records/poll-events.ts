import type { PollResource } from '../../catalog/schema/provider-polls.schema.ts';
import type { ConnectionClient } from '../../credentials/calling/connection-client.ts';
import type { EventChange, NewEvent } from '../../events/stream/event.ts';
import type { PollTask } from '../pages/poll-task.ts';

/** Who polls what, for the events. */
export type PollTarget = {
  readonly connection: ConnectionClient;
  readonly resource: PollResource;
};

/** A change of a record that is to be reported; `dataText`: the record as JSON. */
export type Change = {
  /** Null: an entry of a log that is of no object. */
  readonly id: string | null;
  readonly change: EventChange;
  /** Left out: that of the resource. */
  readonly object?: string;
  readonly dataText: string;
};

/** The events that tell of changes. */
export function buildEvents(
  task: PollTask,
  { connection: { provider }, resource }: PollTarget,
  changes: readonly Change[],
): NewEvent[] {
  return changes.map(({ id, change, object = resource.object, dataText }) => ({
    type: `${provider.id}.${object}.${change}`,
    source: 'poll',
    integrationId: task.integrationId,
    connectionId: task.connectionId,
    integrationUserId: task.endUserId,
    userId: task.subject,
    organization: task.organization,
    ...(id !== null && { object: { type: object, id, change } }),
    dataText,
  }));
}
