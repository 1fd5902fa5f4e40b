import type { RecordActivity } from '../../activity/record.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Destination, DisabledReason } from './destination.ts';
import type { DestinationsStore } from './destinations.store.ts';

/** Disables a destination that takes no events, with its line in the audit log; its events wait. */
export function createDisableDestination(deps: {
  destinations: Pick<DestinationsStore, 'disable'>;
  recordActivity: RecordActivity;
  log: { warn(fields: object, message: string): void };
}) {
  return async (
    trx: Db,
    { id, projectId }: Pick<Destination, 'id' | 'projectId'>,
    reason: DisabledReason,
  ): Promise<void> => {
    if ((await deps.destinations.disable(trx, id, reason)) === undefined) return;
    await deps.recordActivity(trx, {
      actor: { kind: 'gateway' },
      action: 'event_destination.disabled',
      projectId,
      subjectId: id,
      details: { reason },
    });
    deps.log.warn(
      { projectId, destinationId: id, reason },
      'an event destination is disabled: its events wait',
    );
  };
}
