import type { ConnectionsStore } from '../../connections/connections.store.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import type { Principal } from '../../http/principal.ts';
import type { Integration } from '../../integrations/integration.ts';
import { integrationParams } from '../../integrations/integrations.schema.ts';
import type { IntegrationsStore } from '../../integrations/integrations.store.ts';
import { readPage } from '../../lib/cursor.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Vault } from '../../platform/vault.ts';
import type { Access, AccessMode } from '../../projects/access.ts';
import type { Providers } from '../../providers/custom-providers.ts';
import { describeWebhooks } from '../message/description.ts';
import type { WebhookDescription } from '../message/webhook.ts';
import { createSecret, findApiRegistration, isRegisteredPerConnection } from './registration-calls.ts';
import { listFaults } from './subscription-rules.ts';
import {
  newSubscriptionSchema,
  subscribeBody,
  subscriptionList,
  subscriptionParams,
  subscriptionsQuery,
  toSubscriptionWire,
} from './subscriptions.schema.ts';
import {
  ensureSubscription,
  findSubscription,
  hasSubscriptionSecret,
  listSubscriptions,
  removeSubscription,
  updateSubscription,
} from './subscriptions.store.ts';

export type SubscriptionsDependencies = {
  readonly db: Db;
  readonly vault: Vault;
  readonly access: Access;
  readonly providers: Providers;
  readonly integrations: Pick<IntegrationsStore, 'find'>;
  readonly connections: Pick<ConnectionsStore, 'find'>;
  /** Adds the job that brings the provider in line with the row. */
  addJob(trx: Db, subscription: { id: string; projectId: string }): Promise<void>;
  announce(projectId: string): void;
  /** The origin of addresses that are registered from now on. */
  readonly webhookUrl: string;
};

const TAG = 'Webhooks';

/** Where the gateway, or an operator by hand, registers webhook addresses at a provider. */
export function createSubscriptionsEndpoints(deps: SubscriptionsDependencies): Endpoint[] {
  return [listOfIntegration(deps), subscribe(deps), unsubscribe(deps)];
}

function findIntegration(
  { db, access, integrations }: SubscriptionsDependencies,
  principal: Principal,
  id: string,
  mode: AccessMode,
): Promise<Integration> {
  return access.find(principal, mode, 'integration_not_found', (projectIds) =>
    integrations.find(db, id, projectIds),
  );
}

function listOfIntegration(deps: SubscriptionsDependencies): Endpoint {
  return endpoint({
    operationId: 'listWebhookSubscriptions',
    method: 'get',
    path: '/integrations/{id}/subscriptions',
    summary: 'List webhook subscriptions',
    description: 'What is registered at the provider, or to be registered by hand.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'integrations:read',
    params: integrationParams,
    query: subscriptionsQuery,
    success: { status: 200, schema: subscriptionList, description: 'Subscriptions, newest first' },
    errors: ['integration_not_found'],
    async handler({ principal, params, query }) {
      const { id } = await findIntegration(deps, principal, params.id, 'read');
      const { items, nextCursor } = await readPage(query, ({ beforeId, limit }) =>
        listSubscriptions(deps.db, id, beforeId, limit),
      );
      return { body: { subscriptions: items.map(toSubscriptionWire), nextCursor } };
    },
  });
}

function subscribe(deps: SubscriptionsDependencies): Endpoint {
  const { db, vault } = deps;
  return endpoint({
    operationId: 'createWebhookSubscription',
    method: 'post',
    path: '/integrations/{id}/subscriptions',
    summary: 'Subscribe to webhooks',
    description:
      'Gives the integration, or one of its connections, a webhook address of its own. Where the provider has a way to, the gateway registers it there, renews it and removes it; else you enter the address at the provider. Repeating it shows the same address and takes over the new wishes.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'integrations:write',
    params: integrationParams,
    body: subscribeBody,
    requestExample: { connectionId: '0192f0c8-0000-7000-8000-000000000005', events: [] },
    success: { status: 201, schema: newSubscriptionSchema, description: 'The subscription with its address' },
    errors: ['integration_not_found', 'connection_not_found'],
    async handler({ principal, params, body, commitReply }) {
      const integration = await findIntegration(deps, principal, params.id, 'write');
      const description = await describe(deps, integration);
      const connectionId = await chooseConnection(deps, integration, description, body.connectionId);
      const registration = findApiRegistration(description, connectionId !== null);
      const errors = registration === undefined ? [] : listFaults(registration, body);
      if (errors.length > 0) throw new HttpError('invalid_request', { errors });
      const isByApi = registration !== undefined;
      const owner = { projectId: integration.projectId, integrationId: integration.id, connectionId };
      const reply = await commitReply(db, async (trx) => {
        const hasSecret = await hasSubscriptionSecret(trx, owner);
        const created = hasSecret ? undefined : createSecret(description);
        const { subscription, token } = await ensureSubscription(trx, vault, owner, {
          state: isByApi ? 'pending' : 'manual',
          events: body.events,
          parameters: body.parameters,
          secret: body.secret ?? created,
        });
        if (isByApi) await deps.addJob(trx, subscription);
        const webhookUrl = `${deps.webhookUrl}/webhooks/${integration.id}/${token}`;
        const secret = isByApi ? null : (created ?? null);
        const steps = isByApi ? [] : fillSteps(description, webhookUrl);
        return { body: { ...toSubscriptionWire(subscription), webhookUrl, secret, steps } };
      });
      deps.announce(integration.projectId);
      return reply;
    },
  });
}

async function describe(
  { providers }: SubscriptionsDependencies,
  { projectId, serviceProvider, grant }: Integration,
): Promise<WebhookDescription> {
  const provider = await providers.find(projectId, serviceProvider, grant);
  const description = provider && describeWebhooks(provider);
  if (description) return description;
  throw new HttpError('invalid_request', {
    detail: 'The gateway does not receive webhooks of this provider.',
  });
}

/** The id of the connection that the subscription is for, after its checks; null for the whole integration. */
async function chooseConnection(
  { db, connections }: SubscriptionsDependencies,
  { id, projectId }: Integration,
  description: WebhookDescription,
  wanted: string | undefined,
): Promise<string | null> {
  if (wanted === undefined) {
    if (description.scope !== 'connection' && !isRegisteredPerConnection(description)) return null;
    throw new HttpError('invalid_request', {
      errors: [{ path: 'body.connectionId', message: 'required: webhooks are registered for each account' }],
    });
  }
  const connection = await connections.find(db, wanted, [projectId]);
  if (connection?.integrationId !== id) throw new HttpError('connection_not_found');
  return connection.id;
}

function fillSteps({ registration = [] }: WebhookDescription, webhookUrl: string): string[] {
  const steps = registration.flatMap((one) => (one.by === 'portal' ? one.steps : []));
  return steps.map((step) => step.replaceAll('{webhookUrl}', webhookUrl));
}

function unsubscribe(deps: SubscriptionsDependencies): Endpoint {
  const { db, vault } = deps;
  return endpoint({
    operationId: 'deleteWebhookSubscription',
    method: 'delete',
    path: '/integrations/{id}/subscriptions/{subscriptionId}',
    summary: 'Unsubscribe from webhooks',
    description:
      'The gateway removes at the provider what it has registered there; the address ends when that is done. An address that you registered by hand ends at once.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'integrations:write',
    params: subscriptionParams,
    success: { status: 204, description: 'Removed, or about to be' },
    errors: ['subscription_not_found', 'integration_not_found'],
    async handler({ principal, params }) {
      const integration = await findIntegration(deps, principal, params.id, 'write');
      const found = await findSubscription(db, params.subscriptionId);
      if (found?.integrationId !== integration.id) throw new HttpError('subscription_not_found');
      await db.transaction(async (trx) => {
        if (found.registrations.length === 0) return removeSubscription(trx, found);
        await updateSubscription(trx, vault, found, { state: 'removing' });
        await deps.addJob(trx, found);
      });
      deps.announce(integration.projectId);
      return {};
    },
  });
}
