import pg from 'pg';
import { newId } from '../../src/lib/ids.ts';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import { giveConsent } from './agent-sign-in.ts';
import { askApproval } from './approval-stage.ts';
import { seedDelivery } from './deliveries.ts';
import { callApiOk } from './gateway.ts';
import type { Operation } from './openapi.ts';
import {
  authorize,
  connectAccount,
  PROVIDER,
  readOutcome,
  type Stage,
  startConnectSession,
} from './stage.ts';
import { seedReceipt } from './webhook-receipts.ts';

/** What every operation of the API can be called with, on a project that has one of each row. */
export type Walk = {
  readonly ids: Readonly<Record<string, string>>;
  readonly pathTo: (operation: Operation) => string;
  /** The operation's own sample, about this project. */
  readonly bodyOf: (operation: Operation) => Record<string, unknown> | undefined;
};

/** They take the project as a query parameter. */
const NAME_PROJECT = new Set([
  ...['getProvider', 'listDeliveryCauses', 'listEvents', 'listLatestEvents', 'listSeenEventTypes'],
]);
/** What they make is named, since the operator may have several projects. */
const NEED_PROJECT = new Set([
  'createEventDestination',
  'createIntegration',
  'createUserToken',
  'createProvider',
  'createProviderFiles',
  'explainMandate',
]);
const NO_ID = '01890000-0000-7000-8000-0000000000ff';

/** Makes one of each row that operations name; `given` are ids by segment of the path, for rows that are there already. */
export async function prepareWalk(stage: Stage, given: Readonly<Record<string, string>> = {}): Promise<Walk> {
  const ids = { ...(await makeRows(stage)), ...given };
  return {
    ids,
    pathTo: (operation) => pathTo(operation, ids),
    bodyOf: (operation) => bodyOf(operation, ids),
  };
}

async function makeRows(stage: Stage): Promise<Record<string, string>> {
  const { gateway, project, integration } = stage;
  const asOwner = { bearer: project.personalAccessToken };
  const asKey = { bearer: project.apiKey };
  const ofProject = `/v1/projects/${project.id}`;
  const make = (path: string, body: object) => callApiOk(gateway.url, 'POST', path, { ...asOwner, body });
  const makeByKey = (path: string, body: object) => callApiOk(gateway.url, 'POST', path, { ...asKey, body });
  const connection = await connectAccount(stage, { userId: 'u' });
  const session = await startConnectSession(stage, 'u');
  const { message } = readOutcome(await authorize(stage, session.url));
  const invitation = await make(`${ofProject}/invitations`, { email: 'i@example.test', role: 'viewer' });
  const { apiKeys } = await callApiOk(gateway.url, 'GET', `${ofProject}/api-keys`, asOwner);
  const { signingKeys } = await callApiOk(gateway.url, 'GET', `${ofProject}/signing-keys`, asOwner);
  const revocation = await make(`${ofProject}/revocations`, { jti: 'x' });
  await makeByKey('/v1/providers', CUSTOM_PROVIDER);
  const destination = await makeByKey('/v1/event-destinations', {
    url: 'http://127.0.0.1:9/',
    types: ['none.*'],
  });
  const poll = await makeByKey('/v1/polls', {
    integrationId: integration.id,
    intervalSeconds: 3600,
    custom: { object: 'role', record: { id: 'id' }, list: { request: { path: '/roles' } } },
  });
  const { events } = await callApiOk(gateway.url, 'GET', '/v1/events?limit=1&wait=30', asKey);
  const mandate = await make(`${ofProject}/mandates`, {
    name: 'Roles',
    entries: [{ type: 'gateway_access', provider: 'hubspot', access: 'read' }],
  });
  return {
    ...(await seedRows(stage, destination.id)),
    mandates: mandate.id,
    'agent-consents': await giveConsent(gateway, project, 'u'),
    approvals: await askApproval(gateway, project, { userId: 'u', provider: PROVIDER }),
    events: events[0].id,
    'event-destinations': destination.id,
    polls: poll.id,
    projects: project.id,
    integrations: integration.id,
    connections: connection.id,
    'connect-sessions': message.sessionId,
    'api-keys': apiKeys.at(-1).id,
    'signing-keys': signingKeys.at(-1).id,
    invitations: invitation.id,
    revocations: revocation.id,
    providers: 'custom:roles',
  };
}

const CUSTOM_PROVIDER = {
  id: 'custom:roles',
  name: 'Roles',
  auth: 'api-key',
  apiBaseUrl: 'https://api.roles.test',
  apiKey: { in: 'header', name: 'X-Key', template: '{apiKey}' },
};

/** Straight into the store: it is not about how they come. */
async function seedRows({ gateway, project, integration }: Stage, destinationId: string) {
  const database = new pg.Client(connectionSettings(gateway.databaseUrl ?? ''));
  await database.connect();
  const owner = { projectId: project.id, integrationId: integration.id };
  const rows = {
    'webhook-receipts': await seedReceipt(database, owner),
    deliveries: await seedDelivery(database, { projectId: project.id, destinationId }),
    'revocation-reports': newId(),
  };
  await database.query(
    "INSERT INTO project_revocations (id, project_id, state, requested_by, finished_at) VALUES ($1, $2, 'done', '{}', now())",
    [rows['revocation-reports'], project.id],
  );
  await database.end();
  return rows;
}

function pathTo({ path, operationId }: Operation, ids: Readonly<Record<string, string>>): string {
  const filled = path.replaceAll(/([^/]+)\/\{[^}]+\}/g, (_match, segment: string) => {
    return `${segment}/${ids[segment] ?? NO_ID}`;
  });
  if (NAME_PROJECT.has(operationId)) return `${filled}?projectId=${ids.projects}`;
  return operationId === 'search' ? `${filled}?q=x` : filled;
}

function bodyOf(
  { body, operationId }: Operation,
  ids: Readonly<Record<string, string>>,
): Record<string, unknown> | undefined {
  if (operationId === 'createConnectSession') return { integrationId: ids.integrations };
  // Nothing outside this machine is asked.
  if (operationId === 'probeClient')
    return { projectId: ids.projects, serviceProvider: PROVIDER, clientId: 'c', clientSecret: 's' };
  if (body === undefined) return undefined;
  const { projects: projectId, integrations: integrationId, connections: connectionId } = ids;
  return {
    ...body,
    ...(NEED_PROJECT.has(operationId) && { projectId }),
    ...(Object.hasOwn(body, 'integrationId') && { integrationId }),
    ...(operationId === 'createWebhookSubscription' && { connectionId }),
  };
}
