import type { RecordActivity } from '../../activity/record.ts';
import type { Kit } from '../../platform/kit.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { CredentialState } from './credential-state.store.ts';

/** Runs a change of status and writes its activity record in the same transaction. False where nothing changed. */
export type RecordRefusal = (
  state: Pick<CredentialState, 'projectId' | 'connectionId' | 'integrationId'>,
  reason: string,
  change: (trx: Db) => Promise<boolean>,
) => Promise<boolean>;

export function createRecordRefusal({
  db,
  recordActivity,
}: Pick<Kit, 'db'> & { readonly recordActivity: RecordActivity }): RecordRefusal {
  return ({ projectId, connectionId, integrationId }, reason, change) =>
    db.transaction(async (trx) => {
      const isChanged = await change(trx);
      if (isChanged) {
        await recordActivity(trx, {
          projectId,
          actor: { kind: 'gateway' },
          action: 'connection.reauthorization_required',
          subjectId: connectionId,
          details: { integrationId, reason },
        });
      }
      return isChanged;
    });
}
