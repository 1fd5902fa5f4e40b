import { templateValues } from '../catalog/facts/template-values.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import { fillTemplate } from '../lib/template.ts';

/** What of an integration an authorization request says. Scopes are as the provider spells them. */
export type AuthorizingIntegration = {
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Requested, but the authorization succeeds without them. */
  readonly optionalScopes: readonly string[];
  /** Parameters of this integration, added to the catalog's and winning over them. */
  readonly authorizationParams?: Readonly<Record<string, string>> | undefined;
};

export type AuthorizationRequest = {
  readonly provider: Provider;
  readonly integration: AuthorizingIntegration;
  /** Exactly as registered at the provider; from configuration, never from the Host of a request. */
  readonly redirectUri: string;
  readonly state: string;
  /** S256 challenge of RFC 7636; left out where the provider breaks on PKCE. */
  readonly codeChallenge?: string | undefined;
  /** For `{nonce}` (OpenID Connect Core 3.1.2.1), at providers that want one. Unguessable, never used again. */
  readonly nonce?: string | undefined;
  /** Variables known by now, for the catalog's parameters that name them. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
};

/**
 * Parameters of an authorization request (RFC 6749 section 4.1.1, RFC 7636 section 4.3). Pure. What the protocol owns
 * wins over the catalog's and the integration's extras; an empty scope is left out, since some providers refuse one.
 */
export function buildAuthorizationParameters(request: AuthorizationRequest): Record<string, string> {
  const { provider, integration, nonce } = request;
  const { clientId } = integration;
  const values = templateValues({ entered: request.variables, gateway: { clientId, nonce } });
  const extra = fillParameters(provider.authorizationParams, values);
  // The page on which an application is installed is no authorization endpoint.
  if (provider.installation !== undefined) return { ...extra, state: request.state };
  return {
    ...extra,
    ...integration.authorizationParams,
    ...scopeParameters(provider, integration),
    response_type: provider.responseType,
    ...(provider.responseMode !== undefined && { response_mode: provider.responseMode }),
    [provider.clientIdParameter]: integration.clientId,
    [provider.redirectUriParameter]: request.redirectUri,
    state: request.state,
    ...(request.codeChallenge !== undefined && {
      code_challenge: request.codeChallenge,
      code_challenge_method: 'S256',
    }),
  };
}

function scopeParameters(provider: Provider, integration: AuthorizingIntegration): Record<string, string> {
  const optionalParameter = provider.optionalScopeParameter;
  const required =
    optionalParameter === undefined
      ? [...integration.scopes, ...integration.optionalScopes]
      : integration.scopes;
  const scope = joinScopes(provider, required);
  const optional = optionalParameter === undefined ? '' : joinScopes(provider, integration.optionalScopes);
  return {
    ...(scope !== '' && { [provider.scopeParameter]: scope }),
    ...(optionalParameter !== undefined && optional !== '' && { [optionalParameter]: optional }),
  };
}

/** Scopes in the provider's spelling, each once. A `+` between scopes is what a blank looks like in a query. */
export function joinScopes(provider: Pick<Provider, 'scopeSeparator'>, scopes: readonly string[]): string {
  return [...new Set(scopes)].join(provider.scopeSeparator === '+' ? ' ' : provider.scopeSeparator);
}

/** Parameters whose values may name variables. One that names an unknown variable is left out. */
export function fillParameters(
  parameters: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>>,
): Record<string, string> {
  const filled = Object.entries(parameters).map(([name, template]) => [
    name,
    fillTemplate(template, variables),
  ]);
  return Object.fromEntries(filled.filter(([, value]) => value !== undefined));
}

/**
 * The redirect URI as this provider gets it: ours, or the name under which it was registered there. Undefined where
 * that name is not known.
 */
export function redirectUriFor(
  { redirectUriTemplate }: Pick<Provider, 'redirectUriTemplate'>,
  redirectUri: string,
  variables: Readonly<Record<string, string>>,
): string | undefined {
  return redirectUriTemplate === undefined ? redirectUri : fillTemplate(redirectUriTemplate, variables);
}

/**
 * The address that the browser is sent to. Parameters go to the very end, so that a page behind `#` gets them too;
 * blanks are `%20`, which every server reads, unlike `+`. `fragment` is one that the provider wants behind them.
 */
export function authorizationRequestUrl(
  authorizationUrl: string,
  parameters: Readonly<Record<string, string>>,
  fragment?: string,
): string {
  const query = new URLSearchParams(parameters).toString().replaceAll('+', '%20');
  const end = fragment === undefined ? '' : `#${fragment}`;
  return `${authorizationUrl}${authorizationUrl.includes('?') ? '&' : '?'}${query}${end}`;
}
