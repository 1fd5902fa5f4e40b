import { z } from 'zod';
import { activitySchema } from '../../projects/activity-wire.ts';
import { eventSchema } from '../reading/events.schema.ts';
import { EXAMPLE_HEAD } from './event-payloads.ts';

/** An event of the audit log. */
export const auditEvent = eventSchema
  .omit({ object: true })
  .extend({ type: z.string(), source: z.literal('gateway'), data: activitySchema })
  .meta({ id: 'ActivityEvent' });

const SIGNING_KEY_ID = '019ab5f2-6a80-7f42-b6d1-3c9e0a7d5b18';

export const AUDIT_EXAMPLE: z.input<typeof auditEvent> = {
  id: EXAMPLE_HEAD.id,
  type: 'activity.signing_key.revoked',
  createdAt: EXAMPLE_HEAD.createdAt.toISOString(),
  projectId: EXAMPLE_HEAD.projectId,
  integrationId: null,
  connectionId: null,
  integrationUserId: null,
  userId: null,
  owner: null,
  source: 'gateway',
  data: {
    id: '019ab5f2-6bf0-7c11-8a20-7e5d4b3f2a19',
    projectId: EXAMPLE_HEAD.projectId,
    actorKind: 'operator',
    actorId: '019ab1c4-0d11-7b90-9f3e-2c6a8d5e4f07',
    actorName: null,
    sourceAddress: '203.0.113.7',
    action: 'signing_key.revoked',
    subjectKind: 'signing_key',
    subjectId: SIGNING_KEY_ID,
    subjectName: null,
    details: { kid: 'main-2026', kind: 'public_key', alg: 'ES256', issuer: null, jwksUrl: null },
    requestId: '019ab5f2-6be8-7d02-9b44-1f0e6c8a7d35',
    createdAt: EXAMPLE_HEAD.createdAt.toISOString(),
  },
};
