import type { Request } from 'express';
import type { z } from 'zod';
import { splitSecretVariables } from '../catalog/facts/resolve-url.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import { assertIfMatch, formatEtag } from '../http/conditional.ts';
import type { EndpointReply } from '../http/endpoint.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import type { PrincipalOf } from '../http/principal.ts';
import type { Db } from '../platform/postgres/database.ts';
import { chooseGrant } from '../providers/choose-auth-method.ts';
import { readAuthMethod } from './auth-method.ts';
import { assertFitsGrant } from './change-auth-method.ts';
import type { Integration, IntegrationChange } from './integration.ts';
import {
  actorId,
  findIntegration,
  type IntegrationsDependencies,
  recordChange,
  replyWith,
} from './integration-endpoints.ts';
import type { StoredLogo } from './integration-logos.store.ts';
import {
  assertClientCertificate,
  assertCompatibleVariables,
  assertRequiredVariables,
  assertVariables,
  assertWebhookScheme,
  assertWebhookSecret,
  tidyFiles,
} from './integration-rules.ts';
import type { IntegrationWire } from './integrations.schema.ts';
import { integrationParams, integrationSchema, updateIntegrationBody } from './integrations.schema.ts';
import { readLogo } from './read-logo.ts';

/** Two hundred scopes of the usual length, variables that hold a key or a certificate, and a logo. */
const BODY_BYTES_MAX = 256 * 1024;

type Change = z.output<typeof updateIntegrationBody>;

/** The operation that changes an integration's face, client, scopes, variables, settings or way to authenticate. */
export function updateIntegration(deps: IntegrationsDependencies): Endpoint {
  return endpoint({
    operationId: 'updateIntegration',
    method: 'patch',
    path: '/integrations/{id}',
    summary: 'Change an integration',
    description:
      'A new client or webhook secret takes effect at once; the one before is still tried for seven days. `variables` takes the place of those that were there, less the secret ones, which stay until they are named.',
    tag: 'Integrations',
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'integrations:write',
    params: integrationParams,
    body: updateIntegrationBody,
    requestExample: { clientSecret: 'new-client-secret-of-your-app' },
    bodyBytesMax: BODY_BYTES_MAX,
    success: { status: 200, schema: integrationSchema, description: 'The integration as changed' },
    errors: [
      'integration_not_found',
      'precondition_failed',
      'variable_invalid',
      'grant_unknown',
      'grant_in_use',
      'logo_invalid',
    ],
    handler: (input) => applyUpdate(deps, input),
  });
}

async function applyUpdate(
  deps: IntegrationsDependencies,
  input: {
    readonly principal: PrincipalOf<['operator', 'api_key']>;
    readonly params: { readonly id: string };
    readonly body: Change;
    readonly request: Request;
  },
): Promise<EndpointReply<IntegrationWire>> {
  const { principal, params, body, request } = input;
  const current = await findIntegration(deps, principal, params.id, 'write');
  assertIfMatch(request, formatEtag(current.version));
  if (Object.keys(body).length === 0) return replyWith(deps, current);
  const authMethod = readAuthMethod(body);
  const provider = await findProviderAfter(deps, current, authMethod);
  const isOtherGrant = authMethod !== undefined && provider?.grant !== current.grant;
  if (provider !== undefined) await assertUsable(deps, provider, current, { body, isOtherGrant });
  const logo = body.logo == null ? body.logo : readLogo(body.logo);
  const columns = columnsFrom(provider, current, { body, isOtherGrant, logo });
  const changed = await deps.db.transaction(async (trx) => {
    if (isOtherGrant) await assertGrantUnused(deps, trx, current);
    return store(deps, trx, current, { principal, body, columns, logo });
  });
  if (changed === undefined) throw new HttpError('precondition_failed');
  return replyWith(deps, changed);
}

/** The integration's provider as it is for the grant that a change names, or for the present one. */
async function findProviderAfter(
  { providers }: IntegrationsDependencies,
  { projectId, serviceProvider, grant }: Integration,
  asked: string | null | undefined,
): Promise<Provider | undefined> {
  if (asked === undefined) return providers.find(projectId, serviceProvider, grant);
  const entry = await providers.find(projectId, serviceProvider, null);
  if (entry === undefined) throw providers.refusalOf(projectId, serviceProvider);
  return chooseGrant(entry, asked);
}

/** Null: the provider's logo again; undefined: as it was. */
type NewLogo = StoredLogo | null | undefined;

type Wanted = { readonly body: Change; readonly isOtherGrant: boolean };

/** Refuses a change after which the provider could not be used. Revokes pending grants where the way to authenticate changes. */
async function assertUsable(
  deps: IntegrationsDependencies,
  provider: Provider,
  current: Integration,
  { body, isOtherGrant }: Wanted,
): Promise<void> {
  const { db, integrations } = deps;
  if (isOtherGrant) {
    await assertFitsGrant({ integrations, db }, provider, current, body);
    await deps.revokePending(current);
  }
  if (body.settings !== undefined) assertWebhookScheme(provider, body.settings);
  assertWebhookSecret(provider, body.webhookSecret, body.settings ?? current.settings);
  if (body.variables === undefined && body.clientId === undefined) return;
  const kept = await integrations.remainingVariables(db, current);
  const variables = { ...kept, ...(body.variables ?? current.variables) };
  if (body.variables !== undefined) {
    assertVariables(provider, body.variables);
    assertRequiredVariables(provider, variables);
    assertClientCertificate(provider, body.variables, variables);
  }
  assertCompatibleVariables(provider, variables, body.clientId ?? current.clientId);
}

function columnsFrom(
  provider: Provider | undefined,
  current: Integration,
  { body, isOtherGrant, logo }: Wanted & { readonly logo: NewLogo },
): Omit<IntegrationChange, 'updatedBy'> {
  const { secretExpiresAt: _, logo: _picture, ...fields } = body;
  const variables =
    provider && body.variables && splitSecretVariables(provider, tidyFiles(provider, body.variables));
  return {
    ...fields,
    ...(logo !== undefined && { logoHash: logo?.hash ?? null }),
    ...(isOtherGrant && { grant: provider?.grant ?? null, hasOwnCallback: provider?.mcp !== undefined }),
    ...(isOtherGrant && fields.clientId === undefined && dropGatewaysClient(current)),
    ...(variables && { variables: variables.open, secretVariables: variables.secret }),
  };
}

/** Credentials of one grant are of no use with another. */
async function assertGrantUnused(
  { integrations, countConnections }: IntegrationsDependencies,
  trx: Db,
  integration: Integration,
): Promise<void> {
  // The row lock keeps a connection from being made between the count and the change.
  await integrations.lock(trx, integration);
  if ((await countConnections(trx, integration)) > 0) throw new HttpError('grant_in_use');
  const [client] = await integrations.clients.list(trx, integration, { limit: 1 });
  if (client === undefined) return;
  const detail =
    'Organizations have OAuth clients of their own, which are of the present way to authenticate.';
  throw new HttpError('grant_in_use', { detail });
}

/** Undefined where another request changed the integration first. */
async function store(
  deps: IntegrationsDependencies,
  trx: Db,
  current: Integration,
  change: {
    readonly principal: PrincipalOf<['operator', 'api_key']>;
    readonly body: Change;
    readonly columns: Omit<IntegrationChange, 'updatedBy'>;
    readonly logo: NewLogo;
  },
): Promise<Integration | undefined> {
  const { principal, body, columns, logo } = change;
  const isOtherClient = await deps.integrations.changesClient(trx, current, body);
  const row = await deps.integrations.update(trx, current, { ...columns, updatedBy: actorId(principal) });
  if (row === undefined) return undefined;
  if (isOtherClient) await deps.endWaiting(trx, { id: row.id, projectId: row.projectId });
  if (logo !== undefined) await deps.saveLogo(trx, row, logo);
  const { secretExpiresAt } = body;
  if (secretExpiresAt !== undefined) {
    await deps.setSecretExpiry(trx, row, secretExpiresAt === null ? null : new Date(secretExpiresAt));
  }
  const details = { fields: Object.keys(body) };
  await recordChange(deps, trx, row, { actor: principal, action: 'integration.updated', details });
  return row;
}

/** A client that the gateway has at one authorization server is of no use at another. */
function dropGatewaysClient({ authorizationServer }: Integration): { readonly clientId?: null } {
  const by = authorizationServer?.client?.by ?? 'operator';
  return by === 'operator' ? {} : { clientId: null };
}
