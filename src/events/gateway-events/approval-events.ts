import { z } from 'zod';
import { eventSchema } from '../reading/events.schema.ts';
import type { EventChange, EventContent } from './event-content.ts';
import { findConnectionFacts, findOwnerNames } from './gateway-events.store.ts';

export const APPROVAL_EVENT_TYPES = [
  'approval.requested',
  'approval.approved',
  'approval.rejected',
  'approval.expired',
] as const;

/** Nothing of the call itself: it is read with the id, by those who may, for as long as it waits. */
export const approvalEvent = eventSchema
  .omit({ object: true })
  .extend({
    source: z.literal('gateway'),
    type: z.enum(APPROVAL_EVENT_TYPES),
    integrationId: z.uuid(),
    connectionId: z.uuid(),
    integrationUserId: z.uuid(),
    data: z.object({
      id: z.uuid().meta({ description: 'Of the approval: `GET /v1/approvals/{id}`.' }),
      projectId: z.uuid(),
      serviceProvider: z.string(),
      method: z.string(),
      mode: z.enum(['once', 'each']),
    }),
  })
  .meta({ id: 'ApprovalEvent' });

/** What the change itself says, who asks, and the organization where the connection is its. */
export async function describeApproval({
  trx,
  change,
  subjectId,
}: EventChange): Promise<EventContent | undefined> {
  const { details, projectId } = change;
  if (!('mode' in details)) return undefined;
  const { integrationId, integrationUserId, connectionId, serviceProvider, method, mode } = details;
  const owners = await findOwnerNames(trx, projectId, [integrationUserId]);
  const connection = await findConnectionFacts(trx, projectId, connectionId);
  return {
    ...{ integrationId, connectionId, integrationUserId },
    organization: connection?.organization,
    userId: owners.get(integrationUserId)?.subject ?? null,
    data: { id: subjectId, projectId, serviceProvider, method, mode },
  };
}
