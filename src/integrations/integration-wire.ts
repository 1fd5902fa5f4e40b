import { sendsUsersToProvider } from '../catalog/facts/auth-kinds.ts';
import { integrationLogoPath } from '../catalog/loading/logos.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import type { Origins } from '../providers/catalog-wire.ts';
import type { Integration } from './integration.ts';
import type { IntegrationWire } from './integrations.schema.ts';

/** The addresses to set at the provider. */
export function buildRedirectUrl(
  publicUrl: string,
  integration: Pick<Integration, 'id' | 'serviceProvider' | 'hasOwnCallback'>,
): string {
  return hasOwnCallback(integration)
    ? `${publicUrl}/oauth/callback/${integration.id}`
    : `${publicUrl}/oauth/callback`;
}

/**
 * True for an integration whose authorization server no provider file of the operator vouches for: a project, or an MCP
 * server, names it. At a shared callback address it could collect another provider's codes (mix-up, RFC 9700 4.4).
 */
export function hasOwnCallback({
  serviceProvider,
  hasOwnCallback: isSet,
}: Pick<Integration, 'serviceProvider' | 'hasOwnCallback'>): boolean {
  return isSet || serviceProvider.startsWith('custom:');
}

/** As the API shows it: no secret, and the addresses to set at the provider. */
export function toIntegrationWire(
  integration: Integration,
  /** As it is for the integration's grant; undefined where it is gone. */
  provider: Provider | undefined,
  { publicUrl, webhookUrl = publicUrl }: Origins,
): IntegrationWire {
  const isRedirected = provider === undefined || sendsUsersToProvider(provider);
  return {
    id: integration.id,
    projectId: integration.projectId,
    serviceProvider: integration.serviceProvider,
    name: integration.name,
    logoUrl:
      integration.logoHash === null
        ? null
        : `${publicUrl}${integrationLogoPath(integration.id, integration.logoHash)}`,
    state: integration.disabled === null ? 'active' : 'disabled',
    disabled: integration.disabled && {
      reason: integration.disabled.reason,
      at: integration.disabled.at.toISOString(),
    },
    authMethod: integration.grant,
    grant: integration.grant,
    scopes: integration.scopes,
    optionalScopes: integration.optionalScopes,
    clientId: integration.clientId,
    authorizationServer: wireServer(integration.authorizationServer),
    variables: integration.variables,
    settings: integration.settings,
    redirectUrl: isRedirected ? buildRedirectUrl(publicUrl, integration) : null,
    webhookUrl: `${webhookUrl}/webhooks/${integration.id}`,
    createdAt: integration.createdAt.toISOString(),
    createdBy: integration.createdBy,
    updatedAt: integration.updatedAt.toISOString(),
    updatedBy: integration.updatedBy,
  };
}

function wireServer(server: Integration['authorizationServer']): IntegrationWire['authorizationServer'] {
  if (server === null) return null;
  const { issuer, resource, scopes, discoveredAt, client } = server;
  const { by, registeredAt, expiresAt } = client ?? { by: null, registeredAt: null, expiresAt: null };
  return { issuer, resource, scopes, discoveredAt, clientBy: by, registeredAt, expiresAt };
}
