import { clientValues } from '../catalog/client-values.ts';
import type { Provider } from '../catalog/provider.schema.ts';
import { resolveUrl } from '../catalog/resolve-url.ts';
import { HttpError } from '../http/errors.ts';
import { type CredentialProof, probeOf, proveCredential } from '../oauth/probe.ts';
import type { OAuthClient } from '../oauth/token-message.ts';
import type { Outbound } from '../platform/outbound.ts';
import type { Grant } from './connection.ts';
import type { ImportTarget } from './import-connection.ts';

/**
 * Has the provider prove what is imported, and answers the grant to store: that of the import, or for client credentials
 * the one that a token request of the gateway's own brought. Throws credentials_invalid where the provider refuses or its
 * answer proves nothing, variable_invalid where it cannot be asked, upstream_unreachable where asking again may help. Of
 * oauth2 nothing is asked: an old access token is refreshed.
 */
export type ProveImport = (provider: Provider, integration: ImportTarget, grant: Grant) => Promise<Grant>;

/** Tokens for the integration's own client (RFC 6749 section 4.4), or why there are none. */
export type GrantByClient = (
  provider: Provider,
  integration: ImportTarget,
  entered: { readonly variables: Record<string, string>; readonly secrets: Record<string, string> },
) => Promise<{ readonly ok: true; readonly grant: Grant } | Refused>;

type Refused = {
  readonly ok: false;
  readonly error: string;
  readonly reason?: string;
  readonly providerCode?: string;
  readonly readProviderWords?: string;
};

export function createProveImport(deps: {
  readonly outbound: Outbound;
  clientOf(integration: ImportTarget): Promise<OAuthClient>;
  grantByClient: GrantByClient;
}): ProveImport {
  async function proveKey(provider: Provider, integration: ImportTarget, grant: Grant): Promise<void> {
    const { clientId, clientSecrets, secretVariables } = await deps.clientOf(integration);
    const values = {
      ...integration.variables,
      ...grant.variables,
      ...secretVariables,
      ...clientValues(provider, clientId, clientSecrets[0]),
      ...grant.credentials.values,
    };
    assertAskable(provider, values);
    const proof = await proveCredential(deps, provider, values);
    if (proof !== undefined) assertProved(provider, proof);
  }

  async function issue(provider: Provider, integration: ImportTarget, grant: Grant): Promise<Grant> {
    const { accessToken: _imported, ...secrets } = grant.credentials.values;
    const made = await deps.grantByClient(provider, integration, { variables: grant.variables, secrets });
    if (!made.ok) throw errorOf(provider, made);
    const { accountId, accountName } = grant;
    return {
      ...made.grant,
      accountId: accountId ?? made.grant.accountId,
      accountName: accountName ?? made.grant.accountName,
    };
  }

  return async (provider, integration, grant) => {
    if (provider.auth === 'oauth2-client-credentials') return issue(provider, integration, grant);
    if (provider.auth === 'api-key' || provider.auth === 'basic')
      await proveKey(provider, integration, grant);
    return grant;
  };
}

function errorOf({ name }: Provider, { error, reason, providerCode, readProviderWords }: Refused): HttpError {
  const told = [providerCode ?? reason ?? error, readProviderWords].filter((part) => part).join(': ');
  const isLater = reason === 'provider_unreachable' || reason === 'server_error';
  return new HttpError(isLater ? 'upstream_unreachable' : 'credentials_invalid', {
    detail: `${name} issues no token for the credentials of this integration: ${told}`,
  });
}

/** The probe may need variables that no other call does. */
function assertAskable(provider: Provider, values: Readonly<Record<string, string>>): void {
  const url = resolveUrl(probeOf(provider)?.request.url ?? '', provider, values);
  if (url.ok) return;
  const path = `body.credentials.variables.${url.variable}`;
  throw new HttpError('variable_invalid', { errors: [{ path, message: url.message }] });
}

function assertProved({ name }: Provider, { verdict, code, words }: CredentialProof): void {
  const said = `${code.replace(/^http_/, 'status ')}${words === undefined ? '' : `: ${words}`}`;
  switch (verdict) {
    case 'accepted':
      return;
    case 'refused':
      throw new HttpError('credentials_invalid', { detail: `${name} refused the credentials with ${said}` });
    case 'unclear':
      throw new HttpError('credentials_invalid', {
        detail: `${name} gave an answer that does not prove the credentials: ${said}`,
      });
    case 'unreachable':
      throw new HttpError('upstream_unreachable', {
        detail: `${name} could not be asked whether it takes the credentials: ${said}`,
      });
  }
}
