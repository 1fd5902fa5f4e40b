import { clientValues } from '../../catalog/facts/client-values.ts';
import { templateValues } from '../../catalog/facts/template-values.ts';
import { HttpError } from '../../http/errors.ts';
import type { Outbound } from '../../platform/outbound.ts';
import type { Credential } from '../../proxy/contract.ts';
import type { Asking, ClientTokens } from '../client/client-tokens.ts';
import type { IntegrationClient } from '../client/integration-client.ts';
import { type ClientIdentity, createProviderClient, type ProviderClient } from './provider-client.ts';
import { readApplication } from './warm-connection.ts';

/** Opens an integration's own application at its provider, without any user. */
export type OpenApplication = (
  owner: { readonly integrationId: string; readonly projectId: string },
  scopes: readonly string[],
) => Promise<ProviderClient>;

/**
 * Opens integrations' applications for calls with tokens of their clients. Opening throws `integration_not_found`, and
 * `integration_misconfigured` where the API has another address for each connection.
 */
export function createOpenApplication(deps: {
  outbound: Outbound;
  client: Pick<IntegrationClient, 'findTarget' | 'clientOf'>;
  clientTokens: ClientTokens;
  now(): number;
}): OpenApplication {
  return async (owner, scopes) => {
    const target = await deps.client.findTarget(owner);
    if (target === undefined) throw new HttpError('integration_not_found');
    const { provider, integration } = target;
    const client = await deps.client.clientOf(integration);
    const { variables } = integration;
    const values = templateValues({
      integration: variables,
      integrationSecrets: client.secretVariables,
      gateway: clientValues(provider, client.clientId, client.clientSecrets[0]),
    });
    const asking = { integration, tokenTarget: () => ({ provider, client, variables }) };
    return createProviderClient(deps, {
      provider,
      api: readApplication(provider, values),
      ...clientCredential(deps.clientTokens, asking, { scopes, values }),
    });
  };
}

/** Tokens of an integration's client, with the values that its requests are filled with. */
export function clientCredential(
  clientTokens: ClientTokens,
  asking: Asking,
  {
    scopes,
    values,
  }: { readonly scopes: readonly string[]; readonly values: Readonly<Record<string, string>> },
): Pick<ClientIdentity, 'credential' | 'credentialAfter'> {
  async function credential(): Promise<Credential> {
    const accessToken = await clientTokens.get(asking, scopes);
    return {
      version: 0,
      values: templateValues({ connection: values, credentials: { accessToken } }),
    };
  }

  return {
    credential,
    credentialAfter({ values: { accessToken = '' } }) {
      clientTokens.forget(asking, scopes, accessToken);
      return credential();
    },
  };
}
