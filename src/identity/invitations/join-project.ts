import type { RecordActivity } from '../../activity/record.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Invitation } from '../../projects/invitations.store.ts';
import type { MembersStore } from '../../projects/members.store.ts';

/** Makes the operator a member by an invitation that was used up in the same transaction. A member keeps the role. */
export async function joinProject(
  { members, recordActivity }: { members: MembersStore; recordActivity: RecordActivity },
  trx: Db,
  { id, projectId, email, role }: Invitation,
  operator: { readonly operatorId: string; readonly sourceAddress?: string | undefined },
): Promise<void> {
  const isAdded = await members.insert(trx, projectId, operator.operatorId, role);
  const who = { projectId, actor: { kind: 'operator', ...operator } } as const;
  const details = { email, role };
  await recordActivity(trx, { ...who, action: 'invitation.accepted', subjectId: id, details });
  if (!isAdded) return;
  await recordActivity(trx, { ...who, action: 'member.added', subjectId: operator.operatorId, details });
}
