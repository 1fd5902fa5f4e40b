import type { z } from 'zod';
import { splitSecretVariables } from '../catalog/facts/resolve-url.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import type { CommitReply, EndpointReply } from '../http/endpoint.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import type { PrincipalOf } from '../http/principal.ts';
import { isConstraintViolation } from '../platform/postgres/store-errors.ts';
import { assertRoom } from '../projects/room.store.ts';
import { chooseGrant } from '../providers/choose-auth-method.ts';
import { readAuthMethod } from './auth-method.ts';
import type { NewIntegration } from './integration.ts';
import { actorId, type IntegrationsDependencies, recordChange, replyWith } from './integration-endpoints.ts';
import {
  assertClientCertificate,
  assertCompatibleVariables,
  assertComplete,
  assertRequiredVariables,
  assertStillThere,
  assertVariables,
  assertWebhookScheme,
  assertWebhookSecret,
  tidyFiles,
} from './integration-rules.ts';
import type { IntegrationWire } from './integrations.schema.ts';
import { createIntegrationBody, integrationSchema } from './integrations.schema.ts';

type Creation = {
  readonly principal: PrincipalOf<['operator', 'api_key']>;
  readonly body: z.output<typeof createIntegrationBody>;
  readonly commitReply: CommitReply;
};

/** Two hundred scopes of the usual length, and variables that hold a key or a certificate. */
const BODY_BYTES_MAX = 128 * 1024;

/** The operation that configures a provider for a project. */
export function createIntegration(deps: IntegrationsDependencies): Endpoint {
  return endpoint({
    operationId: 'createIntegration',
    method: 'post',
    path: '/integrations',
    summary: 'Create an integration',
    description:
      'Configures a provider for a project with the client id, client secret and scopes of the app registered there.',
    tag: 'Integrations',
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'integrations:write',
    body: createIntegrationBody,
    requestExample: {
      serviceProvider: 'hubspot',
      clientId: 'client-id-of-your-app',
      clientSecret: 'client-secret-of-your-app',
      scopes: ['oauth', 'crm.objects.contacts.read'],
    },
    bodyBytesMax: BODY_BYTES_MAX,
    success: { status: 201, schema: integrationSchema, description: 'The integration' },
    errors: [
      'provider_unknown',
      'provider_ended',
      'project_not_found',
      'variable_invalid',
      'grant_unknown',
      'limit_reached',
    ],
    handler: (input) => insertIntegration(deps, input),
  });
}

async function insertIntegration(
  deps: IntegrationsDependencies,
  { principal, body, commitReply }: Creation,
): Promise<EndpointReply<IntegrationWire>> {
  const projectId = await deps.access.projectToChange(principal, body.projectId);
  const provider = await chooseProvider(deps, projectId, body);
  assertUsable(provider, body);
  return commitReply(deps.db, async (trx) => {
    const room = { table: 'integrations', most: deps.integrationsMax, noun: 'integrations' } as const;
    await assertRoom(trx, projectId, room);
    const row = { ...rowFrom(provider, body), projectId, createdBy: actorId(principal) };
    const created = await deps.integrations.insert(trx, row);
    if (body.secretExpiresAt) await deps.setSecretExpiry(trx, created, new Date(body.secretExpiresAt));
    const details = {
      serviceProvider: provider.id,
      ...(provider.grant !== null && { grant: provider.grant }),
    };
    await recordChange(deps, trx, created, { actor: principal, action: 'integration.created', details });
    const headers = { Location: `${deps.origins.publicUrl}/v1/integrations/${created.id}` };
    return { ...(await replyWith(deps, created)), headers };
  }).catch(refuseGoneProvider);
}

async function chooseProvider(
  { providers }: IntegrationsDependencies,
  projectId: string,
  body: Creation['body'],
): Promise<Provider> {
  const entry = await providers.find(projectId, body.serviceProvider, null);
  if (entry === undefined) throw providers.refusalOf(projectId, body.serviceProvider);
  assertStillThere(entry);
  return chooseGrant(entry, readAuthMethod(body));
}

function assertUsable(provider: Provider, body: Creation['body']): void {
  assertComplete(provider, body);
  assertWebhookScheme(provider, body.settings);
  assertWebhookSecret(provider, body.webhookSecret, body.settings);
  assertVariables(provider, body.variables);
  assertRequiredVariables(provider, body.variables);
  assertCompatibleVariables(provider, body.variables, body.clientId);
  assertClientCertificate(provider, body.variables, body.variables);
}

function rowFrom(
  provider: Provider,
  body: Creation['body'],
): Omit<NewIntegration, 'projectId' | 'createdBy'> {
  const variables = splitSecretVariables(provider, tidyFiles(provider, body.variables));
  return {
    serviceProvider: provider.id,
    name: body.name ?? null,
    grant: provider.grant,
    clientId: body.clientId ?? null,
    clientSecret: body.clientSecret ?? null,
    webhookSecret: body.webhookSecret ?? null,
    scopes: body.scopes ?? [],
    optionalScopes: body.optionalScopes,
    variables: variables.open,
    secretVariables: variables.secret,
    settings: body.settings,
    hasOwnCallback: provider.mcp !== undefined,
  };
}

/** The project's own provider was deleted since it was looked up. */
function refuseGoneProvider(error: unknown): never {
  if (isConstraintViolation(error, 'integrations_custom_provider_fkey'))
    throw new HttpError('provider_unknown');
  throw error;
}
