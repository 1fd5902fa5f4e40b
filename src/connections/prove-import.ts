import { isSignedKind } from '../catalog/facts/auth-kinds.ts';
import { clientValues } from '../catalog/facts/client-values.ts';
import { resolveUrl } from '../catalog/facts/resolve-url.ts';
import { templateValues } from '../catalog/facts/template-values.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import { HttpError } from '../http/errors.ts';
import { buildProbe, type CredentialProof, proveCredential } from '../oauth/probe.ts';
import type { OAuthClient } from '../oauth/token-message.ts';
import type { Outbound } from '../platform/outbound.ts';
import type { Grant } from './connection.ts';

export type ImportTarget = Readonly<{
  id: string;
  projectId: string;
  serviceProvider: string;
  grant: string | null;
  variables: Readonly<Record<string, string>>;
  organizationClient: { readonly versionId: string } | null;
}>;

/**
 * Asks the provider whether it takes what is imported. Throws credentials_invalid where it does not or where its answer
 * proves nothing, variable_invalid where it cannot be asked, upstream_unreachable where asking again may help. Access
 * tokens of oauth2 are not asked about: an old one is refreshed.
 */
export type ProveImport = (provider: Provider, integration: ImportTarget, grant: Grant) => Promise<void>;

export function createProveImport(deps: {
  readonly outbound: Outbound;
  clientOf(integration: ImportTarget): Promise<OAuthClient>;
}): ProveImport {
  return async (provider, integration, { variables, credentials }) => {
    if (provider.auth !== 'api-key' && provider.auth !== 'basic' && !isSignedKind(provider.auth)) return;
    const { clientId, clientSecrets, secretVariables } = await deps.clientOf(integration);
    const values = templateValues({
      integration: integration.variables,
      integrationSecrets: secretVariables,
      connection: variables,
      gateway: clientValues(provider, clientId, clientSecrets[0]),
      credentials: credentials.values,
    });
    assertAskable(provider, values);
    const proof = await proveCredential(deps, provider, values);
    if (proof !== undefined) assertProved(provider, proof);
  };
}

/** The probe may need variables that no other call does. */
function assertAskable(provider: Provider, values: Readonly<Record<string, string>>): void {
  const url = resolveUrl(buildProbe(provider)?.request.url ?? '', provider, values);
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
