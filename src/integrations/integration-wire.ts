import { sendsUsersToProvider } from '../catalog/auth-kinds.ts';
import type { Provider } from '../catalog/provider.schema.ts';
import type { IntegrationWire } from './integrations.schema.ts';
import type { Integration } from './integrations.store.ts';

/** The addresses to set at the provider. */
export function redirectUrlOf(
  publicUrl: string,
  integration: { id: string; serviceProvider: string },
): string {
  // A project chooses a custom provider's endpoints: at a shared callback address its authorization server could
  // collect another provider's codes (mix-up, RFC 9700 4.4).
  const isCustom = integration.serviceProvider.startsWith('custom:');
  return isCustom ? `${publicUrl}/oauth/callback/${integration.id}` : `${publicUrl}/oauth/callback`;
}

/** As the API shows it: no secret, and the addresses to set at the provider. */
export function toIntegrationWire(
  integration: Integration,
  /** As it is for the integration's grant; undefined where it is gone. */
  provider: Provider | undefined,
  publicUrl: string,
): IntegrationWire {
  const isRedirected = provider === undefined || sendsUsersToProvider(provider);
  return {
    id: integration.id,
    projectId: integration.projectId,
    serviceProvider: integration.serviceProvider,
    grant: integration.grant,
    scopes: integration.scopes,
    optionalScopes: integration.optionalScopes,
    clientId: integration.clientId,
    variables: integration.variables,
    settings: integration.settings,
    redirectUrl: isRedirected ? redirectUrlOf(publicUrl, integration) : null,
    webhookUrl: `${publicUrl}/webhooks/${integration.id}`,
    createdAt: integration.createdAt.toISOString(),
    createdBy: integration.createdBy,
    updatedAt: integration.updatedAt.toISOString(),
    updatedBy: integration.updatedBy,
  };
}
