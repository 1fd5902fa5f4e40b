import type { z } from 'zod';
import type { ConnectionsStore } from '../../connections/connections.store.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import type { Principal } from '../../http/principal.ts';
import { integrationParams } from '../../integrations/integrations.schema.ts';
import type { Integration, IntegrationsStore } from '../../integrations/integrations.store.ts';
import { decodeCursor, page } from '../../lib/cursor.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Access, AccessMode } from '../../projects/access.ts';
import type { Providers } from '../../providers/custom-providers.ts';
import { describeWebhooks } from '../message/description.ts';
import type { WebhookDescription } from '../message/webhook.ts';
import {
  type ApiRegistration,
  createSecret,
  findApiRegistration,
  isRegisteredPerConnection,
} from './registration-calls.ts';
import {
  newSubscriptionSchema,
  subscribeBody,
  subscriptionList,
  subscriptionParams,
  subscriptionsQuery,
  subscriptionWire,
} from './subscriptions.schema.ts';
import type { Subscription, SubscriptionsStore } from './subscriptions.store.ts';

/** Where the gateway, or an operator by hand, registers webhook addresses at a provider. */
export function createSubscriptionsEndpoints(deps: {
  db: Db;
  access: Access;
  providers: Providers;
  integrations: IntegrationsStore;
  connections: ConnectionsStore;
  subscriptions: SubscriptionsStore;
  /** Adds the job that brings the provider in line with the row. */
  addJob(trx: Db, subscription: { id: string; projectId: string }): Promise<void>;
  announce(projectId: string): void;
  /** The origin of addresses that are registered from now on. */
  webhookUrl: string;
}): Endpoint[] {
  const { db, access, subscriptions } = deps;

  const find = (principal: Principal, id: string, mode: AccessMode) =>
    access.find(principal, mode, 'integration_not_found', (projectIds) =>
      deps.integrations.find(db, id, projectIds),
    );

  async function describe({ projectId, serviceProvider, grant }: Integration): Promise<WebhookDescription> {
    const provider = await deps.providers.find(projectId, serviceProvider, grant);
    const description = provider && describeWebhooks(provider);
    if (description) return description;
    throw new HttpError('invalid_request', {
      detail: 'The gateway does not receive webhooks of this provider.',
    });
  }

  /** Throws `invalid_request` with what the registration needs and the request lacks. */
  function judgeWishes(
    { parameters, events, perEvent }: ApiRegistration,
    body: z.output<typeof subscribeBody>,
  ): void {
    const missing = Object.entries(parameters)
      .filter(([name]) => !body.parameters[name])
      .map(([name, { title, description }]) => ({
        path: `body.parameters.${name}`,
        message: `required: ${description ?? title}`,
      }));
    const unknown = Object.keys(body.parameters)
      .filter((name) => !Object.hasOwn(parameters, name))
      .map((name) => ({ path: `body.parameters.${name}`, message: 'not a parameter of the registration' }));
    const isNameless = perEvent === true && events.length === 0 && body.events.length === 0;
    const nameless = { path: 'body.events', message: 'required: each event is registered by its name' };
    const errors = [...missing, ...unknown, ...(isNameless ? [nameless] : [])];
    if (errors.length > 0) throw new HttpError('invalid_request', { errors });
  }

  /** The id of the connection that the subscription is for, after its checks; null for the whole integration. */
  async function connectionFor(
    { id, projectId }: Integration,
    description: WebhookDescription,
    asked: string | undefined,
  ): Promise<string | null> {
    if (asked === undefined) {
      if (description.scope !== 'connection' && !isRegisteredPerConnection(description)) return null;
      throw new HttpError('invalid_request', {
        errors: [
          { path: 'body.connectionId', message: 'required: webhooks are registered for each account' },
        ],
      });
    }
    const connection = await deps.connections.find(db, asked, [projectId]);
    if (connection?.integrationId !== id) throw new HttpError('connection_not_found');
    return connection.id;
  }

  const list = endpoint({
    operationId: 'listWebhookSubscriptions',
    method: 'get',
    path: '/integrations/{id}/subscriptions',
    summary: 'List webhook subscriptions',
    description: 'What is registered at the provider, or to be registered by hand.',
    tag: 'Webhooks',
    principals: ['operator', 'api_key'],
    params: integrationParams,
    query: subscriptionsQuery,
    success: { status: 200, schema: subscriptionList, description: 'Subscriptions, newest first' },
    errors: ['integration_not_found'],
    async handler({ principal, params, query }) {
      const { id } = await find(principal, params.id, 'read');
      const rows = await subscriptions.list(db, id, decodeCursor(query.cursor), query.limit + 1);
      const { items, nextCursor } = page(rows, query.limit);
      return { body: { subscriptions: items.map(subscriptionWire), nextCursor } };
    },
  });

  const create = endpoint({
    operationId: 'createWebhookSubscription',
    method: 'post',
    path: '/integrations/{id}/subscriptions',
    summary: 'Subscribe to webhooks',
    description:
      'Gives the integration, or one of its connections, a webhook address of its own. Where the provider has a way to, the gateway registers it there, renews it and removes it; else you enter the address at the provider. Repeating it shows the same address and takes over the new wishes.',
    tag: 'Webhooks',
    principals: ['operator', 'api_key'],
    params: integrationParams,
    body: subscribeBody,
    requestExample: { connectionId: '0192f0c8-0000-7000-8000-000000000005', events: [] },
    success: { status: 201, schema: newSubscriptionSchema, description: 'The subscription with its address' },
    errors: ['integration_not_found', 'connection_not_found', 'insufficient_role'],
    async handler({ principal, params, body, commitReply }) {
      const integration = await find(principal, params.id, 'write');
      const description = await describe(integration);
      const connectionId = await connectionFor(integration, description, body.connectionId);
      const registration = findApiRegistration(description, connectionId !== null);
      const isByApi = registration !== undefined;
      if (isByApi) judgeWishes(registration, body);
      const { id: integrationId, projectId } = integration;
      const owner = { projectId, integrationId, connectionId };
      const reply = await commitReply(db, async (trx) => {
        const before = await subscriptions.findOfOwner(trx, owner);
        const made = before?.hasSecret ? undefined : createSecret(description);
        const { subscription, token } = await subscriptions.ensure(trx, owner, {
          state: isByApi ? 'pending' : 'manual',
          events: body.events,
          parameters: body.parameters,
          secret: body.secret ?? made,
        });
        if (isByApi) await deps.addJob(trx, subscription);
        const webhookUrl = `${deps.webhookUrl}/webhooks/${integrationId}/${token}`;
        return {
          body: {
            ...subscriptionWire(subscription),
            webhookUrl,
            secret: isByApi ? null : (made ?? null),
            steps: isByApi ? [] : fillSteps(description, webhookUrl),
          },
        };
      });
      deps.announce(projectId);
      return reply;
    },
  });

  const remove = endpoint({
    operationId: 'deleteWebhookSubscription',
    method: 'delete',
    path: '/integrations/{id}/subscriptions/{subscriptionId}',
    summary: 'Unsubscribe from webhooks',
    description:
      'The gateway removes at the provider what it has registered there; the address ends when that is done. An address that you registered by hand ends at once.',
    tag: 'Webhooks',
    principals: ['operator', 'api_key'],
    params: subscriptionParams,
    success: { status: 204, description: 'Removed, or about to be' },
    errors: ['subscription_not_found', 'integration_not_found', 'insufficient_role'],
    async handler({ principal, params }) {
      const integration = await find(principal, params.id, 'write');
      const found: Subscription | undefined = await subscriptions.find(db, params.subscriptionId);
      if (found?.integrationId !== integration.id) throw new HttpError('subscription_not_found');
      await db.transaction(async (trx) => {
        if (found.registrations.length === 0) await subscriptions.remove(trx, found);
        else {
          await subscriptions.update(trx, found, { state: 'removing' });
          await deps.addJob(trx, found);
        }
      });
      deps.announce(integration.projectId);
      return {};
    },
  });

  return [list, create, remove];
}

function fillSteps({ registration = [] }: WebhookDescription, webhookUrl: string): string[] {
  const steps = registration.flatMap((one) => (one.by === 'portal' ? one.steps : []));
  return steps.map((step) => step.replaceAll('{webhookUrl}', webhookUrl));
}
