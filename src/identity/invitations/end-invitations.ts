import type { Actor } from '../../activity/actions.ts';
import type { RecordActivity } from '../../activity/record.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { InvitationsStore } from '../../projects/invitations.store.ts';

/** Withdraws, in every project, the invitations that an operator has made and those of the operator's address. */
export function createEndInvitations(deps: {
  invitations: Pick<InvitationsStore, 'removeOfOrBy'>;
  recordActivity: RecordActivity;
}) {
  return async (trx: Db, operator: { id: string; email: string }, actor: Actor): Promise<void> => {
    for (const { id, projectId, email, role } of await deps.invitations.removeOfOrBy(trx, operator)) {
      await deps.recordActivity(trx, {
        projectId,
        actor,
        action: 'invitation.deleted',
        subjectId: id,
        details: { email, role },
      });
    }
  };
}
