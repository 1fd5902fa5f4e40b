import { templateValues } from '../../catalog/facts/template-values.ts';
import type { Provider } from '../../catalog/schema/provider.schema.ts';
import type { StoredCredentials } from '../../connections/credentials.ts';
import type { Integration } from '../../integrations/integration.ts';
import { buildRedirectUrl } from '../../integrations/integration-wire.ts';
import type { IntegrationsStore } from '../../integrations/integrations.store.ts';
import { redirectUriFor } from '../../oauth/authorization-request.ts';
import { applyDiscovery } from '../../oauth/discovered-server.ts';
import type { OAuthClient, Target } from '../../oauth/token-message.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Providers } from '../../providers/custom-providers.ts';

/** Null or left out: with the client of the integration itself. */
type Owner = {
  readonly integrationId: string;
  readonly projectId: string;
  readonly organizationClientId?: string | null | undefined;
};

export type IntegrationTarget = { readonly provider: Provider; readonly integration: Integration };

export type IntegrationClient = ReturnType<typeof createIntegrationClient>;

/** An integration as its provider sees it: the client and the addresses of token requests. */
export function createIntegrationClient({
  db,
  providers,
  integrations,
  publicUrl,
  noteSecretVerdict,
  noteOrganizationVerdict,
}: {
  db: Db;
  providers: Providers;
  integrations: IntegrationsStore;
  publicUrl: string;
  /** Hears what the provider makes of a client secret. */
  noteSecretVerdict?(secretId: string, verdict: 'worked' | 'refused'): void;
  /** The same of the secret of an organization's client; `of` tells its secrets apart. */
  noteOrganizationVerdict?(versionId: string, verdict: 'worked' | 'refused', of: string): void;
}) {
  /** The integration as it is stored, with the provider as its file describes it. */
  async function readTarget(owner: Owner): Promise<IntegrationTarget | undefined> {
    const own = await integrations.find(db, owner.integrationId, [owner.projectId]);
    const integration = own && (await integrations.clients.withVersion(db, own, owner.organizationClientId));
    const provider =
      integration && (await providers.find(owner.projectId, integration.serviceProvider, integration.grant));
    return integration && provider && { provider, integration };
  }

  /** The same with the endpoints of the authorization server that was discovered for it. */
  async function findTarget(owner: Owner): Promise<IntegrationTarget | undefined> {
    const target = await readTarget(owner);
    return target && applyDiscovery(target.provider, target.integration);
  }

  /** The integration's client, secrets opened: for one request, never to be kept in memory. */
  async function clientOf(integration: Integration, on: Db = db): Promise<OAuthClient> {
    const { clientSecrets, clientSecretIds, variables } = await integrations.openSecrets(on, integration);
    return {
      clientId: integration.clientId ?? '',
      clientSecrets,
      secretVariables: variables,
      noteVerdict(secretIndex, verdict) {
        const { organizationClient, version } = integration;
        // While the secret is rotated, one that works is enough.
        const isSaid = verdict === 'worked' || secretIndex === 0;
        if (organizationClient !== null && isSaid)
          noteOrganizationVerdict?.(organizationClient.versionId, verdict, String(version));
        const secretId = clientSecretIds[secretIndex];
        if (secretId) noteSecretVerdict?.(secretId, verdict);
      },
    };
  }

  /** What a token request of a connection is addressed with: all its variables, and the redirect URI that fits them. */
  function addressOf(
    { provider, integration }: IntegrationTarget,
    ofConnection: Readonly<Record<string, string>>,
    credentials: StoredCredentials,
  ): Pick<Target, 'variables'> & { readonly redirectUrl: string } {
    const variables = templateValues({
      integration: integration.variables,
      connection: ofConnection,
      credentials: secretVariablesOf(credentials),
    });
    const registered = buildRedirectUrl(publicUrl, integration);
    return { variables, redirectUrl: redirectUriFor(provider, registered, variables) ?? registered };
  }

  return { readTarget, findTarget, clientOf, addressOf };
}

/** What is sealed with a connection beside its tokens. */
function secretVariablesOf({ values }: StoredCredentials): Record<string, string> {
  const { accessToken: _accessToken, ...secretVariables } = values;
  return secretVariables;
}
