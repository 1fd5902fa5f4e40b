import { clientValues } from '../../catalog/facts/client-values.ts';
import { templateValues } from '../../catalog/facts/template-values.ts';
import type { Provider } from '../../catalog/schema/provider.schema.ts';
import type { Integration } from '../../integrations/integration.ts';
import { type CredentialProof, proveCredential } from '../../oauth/probe.ts';
import type { OAuthClient } from '../../oauth/token-message.ts';
import type { Outbound } from '../../platform/outbound.ts';
import type { CredentialState } from '../refreshing/credential-state.store.ts';

/** Asks the provider whether it takes the credential of a connection; undefined where it has nothing to ask. */
export async function proveConnection(
  deps: { readonly outbound: Outbound; clientOf(integration: Integration): Promise<OAuthClient> },
  { provider, integration }: { readonly provider: Provider; readonly integration: Integration },
  state: Pick<CredentialState, 'variables' | 'credentials'>,
): Promise<CredentialProof | undefined> {
  const client = await deps.clientOf(integration);
  const values = templateValues({
    integration: integration.variables,
    integrationSecrets: client.secretVariables,
    connection: state.variables,
    gateway: clientValues(provider, client.clientId, client.clientSecrets[0]),
    credentials: state.credentials.values,
  });
  return proveCredential(deps, provider, values);
}
