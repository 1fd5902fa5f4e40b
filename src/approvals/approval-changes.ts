import type { Actor, ProjectChange } from '../activity/actions.ts';
import type { Approval } from './approval.ts';

type Changed = Pick<
  Approval,
  'id' | 'projectId' | 'endUserId' | 'integrationId' | 'connectionId' | 'provider' | 'method' | 'mode'
>;

type Action = Extract<ProjectChange['action'], `approval.${string}`>;

/** What the audit log has of it. What was asked stays in the row, for as long as that is kept. */
export function describeChange(approval: Changed, action: Action, actor: Actor): ProjectChange {
  const { id, projectId, endUserId, integrationId, connectionId, provider, method, mode } = approval;
  return {
    projectId,
    actor,
    action,
    subjectId: id,
    details: {
      integrationId,
      integrationUserId: endUserId,
      connectionId,
      serviceProvider: provider,
      method,
      mode,
    },
  };
}

/** The page about it: an address without a secret. */
export function formatAddress(id: string, publicUrl: string): string {
  return `${publicUrl}/approvals/${id}`;
}
