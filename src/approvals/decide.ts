import type { RecordActivity } from '../activity/record.ts';
import { HttpError } from '../http/errors.ts';
import type { Principal } from '../http/principal.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Approval, Decision } from './approval.ts';
import { describeChange } from './approval-changes.ts';
import type { ApprovalsStore } from './approvals.store.ts';

export type Decide = ReturnType<typeof createDecide>;

/** Takes the word of a person, in a transaction. The same word again changes nothing. */
export function createDecide(deps: {
  readonly approvals: Pick<ApprovalsStore, 'decide' | 'find'>;
  readonly recordActivity: RecordActivity;
}) {
  const { approvals, recordActivity } = deps;
  /** The approval as it is then. Throws `approval_decided` where it is too late, and where the token has a mandate. */
  return async (trx: Db, approval: Approval, decision: Decision, by: Principal): Promise<Approval> => {
    assertMayDecide(by);
    if (await approvals.decide(trx, approval, decision, deciderOf(by))) {
      await recordActivity(trx, describeChange(approval, `approval.${decision}`, by));
    }
    const now = await approvals.find(trx, approval.id, [approval.projectId]);
    if (now?.state !== decision) throw new HttpError('approval_decided');
    return now;
  };
}

/** What asks must never answer: a token that has a mandate is one that an agent holds. */
function assertMayDecide(by: Principal): void {
  if (by.kind !== 'end_user' || by.hasMandate !== true) return;
  throw new HttpError('mandate_denied', { detail: 'A token with a mandate cannot decide about approvals.' });
}

function deciderOf(by: Principal): NonNullable<Approval['decidedBy']> {
  if (by.kind === 'operator') return { kind: 'operator', id: by.operatorId };
  return by.kind === 'api_key'
    ? { kind: 'api_key', id: by.apiKeyId }
    : { kind: 'end_user', id: by.endUserId };
}
