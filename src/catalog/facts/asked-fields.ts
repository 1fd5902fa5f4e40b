import { listCallTemplateNames, listTexts } from '../../lib/call-template.ts';
import type { Provider } from '../schema/provider.schema.ts';
import { isSecretless } from '../schema/provider-fields.schema.ts';
import { needsClientSecret } from './client-values.ts';
import { isLoginKind } from './login-kinds.ts';

type ClientField = 'clientId' | 'clientSecret' | 'scopes';

/** What an integration must say beside variables before it can work. */
export function requiredClientFields(provider: Provider): readonly ClientField[] {
  if (provider.auth === 'oauth2-client-credentials') {
    const isByCertificate = provider.tokenEndpointAuth === 'tls_client_auth' && !needsSecret(provider);
    return [
      'clientId',
      ...(provider.defaultScopes.length > 0 ? (['scopes'] as const) : []),
      ...(isByCertificate ? [] : (['clientSecret'] as const)),
    ];
  }
  if (provider.auth === 'github-app') return ['clientId', 'clientSecret'];
  if (provider.auth === 'oauth1') return ['clientId', 'clientSecret'];
  if (isLoginKind(provider.auth)) return clientFieldsOfLogin(provider);
  if (provider.auth !== 'oauth2') return [];
  // Most MCP servers take a client that the gateway brings, and all of them name their scopes.
  if (provider.mcp !== undefined) return provider.mcp.registration === 'operator' ? ['clientId'] : [];
  const isPublic = isSecretless(provider.tokenEndpointAuth) && !needsSecret(provider);
  return [
    'clientId',
    ...(hasScopes(provider) ? (['scopes'] as const) : []),
    ...(isPublic ? [] : (['clientSecret'] as const)),
  ];
}

/** A key that signs assertions stands in the place of the secret. */
function needsSecret(provider: Provider): boolean {
  return provider.clientAssertion !== undefined || needsClientSecret(provider);
}

function clientFieldsOfLogin({ jwt, login }: Provider): readonly ClientField[] {
  const named = listTexts([jwt, login]).flatMap(listCallTemplateNames);
  return (['clientId', 'clientSecret'] as const).filter((field) => named.includes(field));
}

/** False where the catalog knows no scope of the provider: mostly it has none (Mailchimp). */
function hasScopes({ defaultScopes, scopeDescriptions }: Provider): boolean {
  return defaultScopes.length > 0 || Object.keys(scopeDescriptions).length > 0;
}

type CredentialField = {
  readonly name: 'apiKey' | 'username' | 'password';
  readonly isRequired: boolean;
  /** It is all that there is, whatever it is called in the request: a key, to be kept out of sight. */
  readonly isKey: boolean;
};

/**
 * What the user must type besides variables. With Basic authentication some providers take a key as the user name or
 * as the password and leave the other one empty.
 */
export function credentialFields(provider: Pick<Provider, 'auth' | 'basic'>): readonly CredentialField[] {
  if (provider.auth === 'api-key') return [{ name: 'apiKey', isRequired: true, isKey: true }];
  if (provider.auth !== 'basic') return [];
  const { username = '{username}', password = '{password}' } = provider.basic ?? {};
  const names = (['username', 'password'] as const).filter(
    (name) => username.includes(`{${name}}`) || password.includes(`{${name}}`),
  );
  const isKey = names.length === 1;
  return names.map((name) => ({ name, isRequired: isKey || name === 'username', isKey }));
}
