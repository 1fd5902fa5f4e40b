import { z } from 'zod';
import type { ProjectChange } from '../../activity/actions.ts';
import { eventSchema } from '../reading/events.schema.ts';
import { type EventHead, timeOfId } from '../stream/event.ts';
import { APPROVAL_EVENT_TYPES, approvalEvent, describeApproval } from './approval-events.ts';
import type { EventChange as Change, EventContent } from './event-content.ts';
import { findConnectionFacts } from './gateway-events.store.ts';

/** A connection as the gateway's own events tell of it: no credentials, no metadata. */
const connectionFacts = z.object({
  id: z.uuid(),
  projectId: z.uuid(),
  integrationId: z.uuid(),
  integrationUserId: z.uuid(),
  userId: z.string().nullable(),
  organization: z.string().nullable().meta({ description: 'Your own id of the organization that has it.' }),
  serviceProvider: z.string(),
  status: z.enum(['active', 'reauthorization_required']),
  statusReason: z.string().nullable(),
  grantedScopes: z.array(z.string()),
  accountId: z.string().nullable(),
  accountName: z.string().nullable(),
  tenantId: z.string().nullable(),
  tenantName: z.string().nullable(),
});

const ofGateway = eventSchema.omit({ object: true }).extend({ source: z.literal('gateway') });

const connectionEvent = ofGateway
  .extend({
    type: z.enum([
      'connection.created',
      'connection.reauthorized',
      'connection.updated',
      'connection.reauthorization_required',
    ]),
    integrationId: z.uuid(),
    connectionId: z.uuid(),
    integrationUserId: z.uuid(),
    data: connectionFacts,
  })
  .meta({ id: 'ConnectionEvent' });

const connectionDeletedEvent = ofGateway
  .extend({
    type: z.literal('connection.deleted'),
    integrationId: z.uuid(),
    connectionId: z.uuid(),
    integrationUserId: z.uuid(),
    data: connectionFacts
      .pick({ id: true, projectId: true, integrationId: true, integrationUserId: true })
      .extend({
        userId: z.string().nullable().meta({ description: 'Null where the user was deleted too.' }),
      }),
  })
  .meta({ id: 'ConnectionDeletedEvent' });

const integrationUpdatedEvent = ofGateway
  .extend({
    type: z.literal('integration.updated'),
    integrationId: z.uuid(),
    connectionId: z.null(),
    integrationUserId: z.null(),
    userId: z.null(),
    data: z.object({
      id: z.uuid(),
      projectId: z.uuid(),
      fields: z.array(z.string()).meta({ description: 'Names of the members that were changed.' }),
    }),
  })
  .meta({ id: 'IntegrationUpdatedEvent' });

/** Ids and times of the examples. Uuids of the version 7 sort by time, as those of events do. */
const EVENT_ID = '019ab5f2-6c00-7c3e-9d51-2f4b8a6e0d17';
const CREATED_AT = new Date(timeOfId(EVENT_ID)).toISOString();
const PROJECT_ID = '019ab1c4-1f60-7a02-8e43-6a5d0c9b7e21';
const INTEGRATION_ID = '019ab1c9-53d8-7b64-b0f7-1d8e2c4a9f30';
const CONNECTION_ID = '019ab5f2-6bb4-7e80-a3c6-5b7f1e9d2c04';
const USER_IDS = { integrationUserId: '019ab5f1-ff10-7d29-8c75-90b3e6f4a1d8', userId: 'user-1' };
const OF_INTEGRATION = { projectId: PROJECT_ID, integrationId: INTEGRATION_ID };
const OF_USER = { ...OF_INTEGRATION, connectionId: CONNECTION_ID, ...USER_IDS };

/** What an example of a provider's event has, besides its type, object and data. */
export const EXAMPLE_HEAD: Omit<EventHead, 'type' | 'source'> = {
  id: EVENT_ID,
  createdAt: new Date(CREATED_AT),
  ...OF_USER,
};

const connection: z.input<typeof connectionFacts> = {
  id: CONNECTION_ID,
  ...OF_INTEGRATION,
  ...USER_IDS,
  organization: null,
  serviceProvider: 'hubspot',
  status: 'active',
  statusReason: null,
  grantedScopes: ['oauth', 'crm.objects.contacts.read'],
  accountId: '62515',
  accountName: 'northwind.test',
  tenantId: null,
  tenantName: null,
};

const example = <Type extends string, Ids extends object, Data extends object>(
  type: Type,
  ids: Ids,
  data: Data,
) => ({
  ...{ id: EVENT_ID, type, createdAt: CREATED_AT, ...ids },
  owner: 'userId' in ids && ids.userId !== null ? { type: 'user' as const, id: USER_IDS.userId } : null,
  ...{ source: 'gateway' as const, data },
});

/** A type of the gateway's own: what brings it and what it says, when it comes, its schema, and an example. */
export type GatewayEvent = {
  readonly actions: readonly ProjectChange['action'][];
  /** Undefined where nothing is left to say it of. */
  describe(change: Change): Promise<EventContent | undefined> | EventContent | undefined;
  readonly when: string;
  readonly schema: z.ZodType;
  readonly example: unknown;
};

async function describeConnection({ trx, change, subjectId }: Change): Promise<EventContent | undefined> {
  const facts = await findConnectionFacts(trx, change.projectId, subjectId);
  if (facts === undefined) return undefined;
  const { integrationId, integrationUserId, userId, organization } = facts;
  return { integrationId, connectionId: subjectId, integrationUserId, userId, organization, data: facts };
}

/** The row is gone already: only who lost which connection is known. */
function describeDeletedConnection({ change, subjectId, owners }: Change): EventContent | undefined {
  if (change.action !== 'connection.deleted') return undefined;
  // The event would keep the id of a person for as long as events are kept.
  if (change.details.cause === 'user_erased') return undefined;
  const { integrationId, integrationUserId } = change.details;
  const { subject = null, organization = null } = owners.get(integrationUserId) ?? {};
  const ids = { integrationId, integrationUserId, userId: subject };
  const data = { id: subjectId, projectId: change.projectId, ...ids };
  return { ...ids, organization, connectionId: subjectId, data };
}

function describeIntegration({ change, subjectId }: Change): EventContent | undefined {
  if (change.action !== 'integration.updated') return undefined;
  const data = { id: subjectId, projectId: change.projectId, fields: change.details.fields };
  return { integrationId: subjectId, connectionId: null, integrationUserId: null, userId: null, data };
}

const APPROVALS_COME_WHEN = {
  'approval.requested': 'A call waits for a person to approve it: show them, or open its page for them.',
  'approval.approved': 'A person has approved a call, which its caller may send now, once.',
  'approval.rejected': 'A person has refused a call.',
  'approval.expired': 'A call was not decided about, or not sent, in time.',
} as const;

function listApprovalEvents(): [string, GatewayEvent][] {
  const data = {
    ...{ id: '019ab5f2-6b00-7a11-9c42-8d1e5f7a3b60', projectId: PROJECT_ID },
    ...{ serviceProvider: 'hubspot', method: 'PATCH', mode: 'each' },
  };
  return APPROVAL_EVENT_TYPES.map((type) => [
    type,
    {
      actions: [type],
      describe: describeApproval,
      when: APPROVALS_COME_WHEN[type],
      schema: approvalEvent,
      example: example(type, OF_USER, data),
    },
  ]);
}

/** Every type of the gateway's own. An import creates a connection, too. */
export const GATEWAY_EVENTS: Readonly<Record<string, GatewayEvent>> = {
  'connection.created': {
    actions: ['connection.created', 'connection.imported'],
    describe: describeConnection,
    when: 'A user has connected an account, or a connection was imported.',
    schema: connectionEvent,
    example: example('connection.created', OF_USER, connection),
  },
  'connection.reauthorized': {
    actions: ['connection.reauthorized'],
    describe: describeConnection,
    when: 'The user has authorized an existing connection again.',
    schema: connectionEvent,
    example: example('connection.reauthorized', OF_USER, connection),
  },
  'connection.updated': {
    actions: ['connection.updated'],
    describe: describeConnection,
    when: 'A connection was moved to another site, organization or account that its grant reaches.',
    schema: connectionEvent,
    example: example('connection.updated', OF_USER, {
      ...connection,
      serviceProvider: 'jira',
      grantedScopes: ['read:jira-work'],
      accountId: '1324a887-45db-1bf4-1e99-ef0ff456d421',
      accountName: 'northwind',
      tenantId: '1324a887-45db-1bf4-1e99-ef0ff456d421',
      tenantName: 'northwind',
    }),
  },
  'connection.reauthorization_required': {
    actions: ['connection.reauthorization_required'],
    describe: describeConnection,
    when: 'The provider no longer takes the credentials: calls fail until the user authorizes again.',
    schema: connectionEvent,
    example: example('connection.reauthorization_required', OF_USER, {
      ...connection,
      status: 'reauthorization_required',
      statusReason: 'invalid_grant',
    }),
  },
  'connection.deleted': {
    actions: ['connection.deleted'],
    describe: describeDeletedConnection,
    when: 'A connection was deleted, by the user, your backend or an operator. Not where its user was erased.',
    schema: connectionDeletedEvent,
    example: example('connection.deleted', OF_USER, { id: CONNECTION_ID, ...OF_INTEGRATION, ...USER_IDS }),
  },
  'integration.updated': {
    actions: ['integration.updated'],
    describe: describeIntegration,
    when: 'An integration was changed. No value is told, only the names of what changed.',
    schema: integrationUpdatedEvent,
    example: example(
      'integration.updated',
      { ...OF_INTEGRATION, connectionId: null, integrationUserId: null, userId: null },
      { id: INTEGRATION_ID, projectId: PROJECT_ID, fields: ['scopes'] },
    ),
  },
  ...Object.fromEntries(listApprovalEvents()),
};
