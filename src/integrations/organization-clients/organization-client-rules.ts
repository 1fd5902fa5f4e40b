import { requiredClientFields } from '../../catalog/facts/asked-fields.ts';
import { splitSecretVariables } from '../../catalog/facts/resolve-url.ts';
import type { Provider } from '../../catalog/schema/provider.schema.ts';
import { HttpError } from '../../http/errors.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { NamedProviders } from '../../providers/custom-providers.ts';
import type { Integration } from '../integration.ts';
import {
  assertClientCertificate,
  assertCompatibleVariables,
  assertComplete,
  assertRequiredVariables,
  assertVariables,
  tidyFiles,
} from '../integration-rules.ts';
import type { IntegrationsStore } from '../integrations.store.ts';
import type { OrganizationClient } from './organization-client.ts';

type Given = {
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | null | undefined;
  readonly variables?: Record<string, string> | undefined;
  readonly scopes?: string[] | null | undefined;
};

/**
 * Refuses a client with which nothing could be authorized, alone or as a change of `current`; answers the variables that are
 * given, the secret ones apart. Throws `invalid_request` and `variable_invalid`.
 */
export async function judgeOrganizationClient(
  deps: { readonly db: Db; readonly providers: NamedProviders; readonly integrations: IntegrationsStore },
  integration: Integration,
  given: Given,
  current?: OrganizationClient,
): Promise<{ open: Record<string, string>; secret: Record<string, string> }> {
  const { projectId, serviceProvider, grant } = integration;
  const provider = await deps.providers.find(projectId, serviceProvider, grant);
  if (provider === undefined) throw deps.providers.refusalOf(projectId, serviceProvider);
  assertTakesClient(provider);
  assertOwnSecret(provider, given, current);
  const { clientId = current?.clientId ?? null, variables = {} } = given;
  assertVariables(provider, variables);
  const known = await readKnown(deps, integration, current);
  const open = { ...known.integration, ...(given.variables ?? current?.variables) };
  const values = { ...known.secret, ...open };
  assertRequiredVariables(provider, values);
  assertCompatibleVariables(provider, values, clientId);
  assertClientCertificate(provider, variables, values);
  return splitSecretVariables(provider, tidyFiles(provider, variables));
}

/** The gateway registers itself at MCP servers; where a provider knows no client, none can be an organization's. */
function assertTakesClient(provider: Provider): void {
  if (provider.mcp === undefined && requiredClientFields(provider).includes('clientId')) return;
  throw new HttpError('invalid_request', {
    detail: `${provider.name} has no OAuth client that could be an organization’s own.`,
    errors: [{ path: 'body.clientId', message: 'this provider takes none' }],
  });
}

/** Another client has another secret. */
function assertOwnSecret(provider: Provider, given: Given, current: OrganizationClient | undefined): void {
  const isSameClient = current !== undefined && (given.clientId ?? current.clientId) === current.clientId;
  const clientSecret = given.clientSecret ?? (isSameClient && current.hasSecret ? true : undefined);
  assertComplete(provider, { clientId: true, scopes: true, clientSecret });
}

async function readKnown(
  { db, integrations }: { readonly db: Db; readonly integrations: IntegrationsStore },
  integration: Integration,
  current: OrganizationClient | undefined,
) {
  const organizationClient = current === undefined ? null : { versionId: current.versionId };
  const { variables } = await integrations.openSecrets(db, { ...integration, organizationClient });
  return { integration: integration.variables, secret: variables };
}
