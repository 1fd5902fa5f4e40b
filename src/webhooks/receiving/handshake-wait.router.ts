import type { z } from 'zod';
import type { RecordActivity } from '../../activity/record.ts';
import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import type { Principal } from '../../http/principal.ts';
import type { Integration } from '../../integrations/integration.ts';
import { integrationParams } from '../../integrations/integrations.schema.ts';
import type { IntegrationsStore } from '../../integrations/integrations.store.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Access, AccessMode } from '../../projects/access.ts';
import type { Providers } from '../../providers/custom-providers.ts';
import { describeWebhooks } from '../message/description.ts';
import { takesSharedSecret } from './handshake.ts';
import { awaitHandshake, readHandshakeWait } from './handshake-secrets.store.ts';
import { handshakeWaitSchema } from './handshake-wait.schema.ts';

type Wait = z.output<typeof handshakeWaitSchema>;

export type HandshakeWaitDependencies = {
  readonly db: Db;
  readonly access: Access;
  readonly providers: Providers;
  readonly integrations: Pick<IntegrationsStore, 'find'>;
  readonly recordActivity: RecordActivity;
};

const TAG = 'Webhooks';

/** Where an operator says that the provider is about to bring the webhook secret of an integration's own address. */
export function createHandshakeWaitEndpoints(deps: HandshakeWaitDependencies): Endpoint[] {
  return [getWait(deps), awaitSecret(deps)];
}

function findIntegration(
  { db, access, integrations }: HandshakeWaitDependencies,
  principal: Principal,
  id: string,
  mode: AccessMode,
): Promise<Integration> {
  return access.find(principal, mode, 'integration_not_found', (projectIds) =>
    integrations.find(db, id, projectIds),
  );
}

async function isUsed(
  { providers }: HandshakeWaitDependencies,
  { projectId, serviceProvider, grant }: Integration,
): Promise<boolean> {
  const provider = await providers.find(projectId, serviceProvider, grant);
  const description = provider && describeWebhooks(provider);
  return description !== undefined && takesSharedSecret(description);
}

function getWait(deps: HandshakeWaitDependencies): Endpoint {
  return endpoint({
    operationId: 'getWebhookHandshake',
    method: 'get',
    path: '/integrations/{id}/webhook-handshake',
    summary: 'Read whether a handshake is awaited',
    description:
      'Whether the integration’s `webhookUrl` takes the secret that the provider’s handshake brings.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'integrations:read',
    params: integrationParams,
    success: { status: 200, schema: handshakeWaitSchema, description: 'What the address waits for' },
    errors: ['integration_not_found'],
    async handler({ principal, params }) {
      const integration = await findIntegration(deps, principal, params.id, 'read');
      if (!(await isUsed(deps, integration))) return { body: { state: 'unused' as const, expiresAt: null } };
      const wait = await readHandshakeWait(deps.db, integration);
      if (wait === undefined) throw new HttpError('integration_not_found');
      return { body: wire(wait) };
    },
  });
}

function awaitSecret(deps: HandshakeWaitDependencies): Endpoint {
  return endpoint({
    operationId: 'awaitWebhookHandshake',
    method: 'post',
    path: '/integrations/{id}/webhook-handshake',
    summary: 'Wait for the handshake',
    description:
      'For providers whose handshake brings the webhook secret: for 15 minutes, the first secret that comes to the integration’s `webhookUrl` is kept. Call it right before you register that address at the provider. Outside of these minutes such a handshake is refused, since anyone who knows the address could send one; a new integration does not wait. Addresses of `POST /v1/integrations/{id}/subscriptions` cannot be guessed and need none of this.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'integrations:write',
    params: integrationParams,
    success: { status: 200, schema: handshakeWaitSchema, description: 'Until when the handshake is awaited' },
    errors: ['integration_not_found', 'webhook_handshake_unused', 'webhook_secret_known'],
    async handler({ principal, params, commitReply }) {
      const integration = await findIntegration(deps, principal, params.id, 'write');
      if (!(await isUsed(deps, integration))) throw new HttpError('webhook_handshake_unused');
      return commitReply(deps.db, async (trx) => {
        const until = await awaitHandshake(trx, integration);
        if (until === undefined) throw new HttpError('webhook_secret_known');
        await deps.recordActivity(trx, {
          actor: principal,
          action: 'integration.webhook_handshake_awaited',
          projectId: integration.projectId,
          subjectId: integration.id,
          details: { expiresAt: until.toISOString() },
        });
        return { body: wire({ hasSecret: false, until }) };
      });
    },
  });
}

function wire({ hasSecret, until }: { readonly hasSecret: boolean; readonly until: Date | null }): Wait {
  if (hasSecret) return { state: 'known', expiresAt: null };
  return { state: until === null ? 'closed' : 'open', expiresAt: until?.toISOString() ?? null };
}
