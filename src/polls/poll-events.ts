import type { PollResource } from '../catalog/provider-polls.schema.ts';
import type { OwnConnection } from '../credentials/provider-calls.ts';
import type { NewEvent } from '../events/event.ts';
import type { PollTask } from './poll-task.ts';

/** Who polls what, for the events. */
export type Subject = {
  readonly connection: OwnConnection;
  readonly resource: PollResource;
};

/** A change of a record that is to be told; `dataText`: the record as JSON. */
export type Change = {
  readonly id: string;
  readonly change: 'created' | 'updated' | 'deleted';
  readonly dataText: string;
};

/** The events that tell of changes. */
export function eventsOf(
  task: PollTask,
  { connection: { provider }, resource: { object } }: Subject,
  changes: readonly Change[],
): NewEvent[] {
  return changes.map(({ id, change, dataText }) => ({
    type: `${provider.id}.${object}.${change}`,
    source: 'poll',
    integrationId: task.integrationId,
    connectionId: task.connectionId,
    integrationUserId: task.endUserId,
    userId: task.subject,
    object: { type: object, id, change },
    dataText,
  }));
}
