import { resolveUrl } from '../catalog/facts/resolve-url.ts';
import { templateValues } from '../catalog/facts/template-values.ts';
import { buildRedirectUrl } from '../integrations/integration-wire.ts';
import { redirectUriFor } from '../oauth/authorization-request.ts';
import { createAuthorizationStrategy } from '../oauth/strategy.ts';
import type { Target } from './connect-flow.ts';
import type { GrantResult } from './grants.ts';

/** A passport strategy for one half of an authorization; undefined where an address lacks a variable. */
export function buildStrategy(
  publicUrl: string,
  { provider, integration, known }: Target,
  variables: Record<string, string>,
  half: Pick<Parameters<typeof createAuthorizationStrategy<GrantResult>>[0], 'store' | 'exchange'>,
): ReturnType<typeof createAuthorizationStrategy<GrantResult>> | undefined {
  const filled = templateValues({ before: known, entered: variables });
  const clientId = integration.clientId ?? '';
  const url = resolveUrl(
    provider.authorizationUrl ?? '',
    provider,
    templateValues({ entered: filled, gateway: { clientId } }),
  );
  const redirectUri = redirectUriFor(provider, buildRedirectUrl(publicUrl, integration), filled);
  if (!url.ok || redirectUri === undefined) return undefined;
  return createAuthorizationStrategy<GrantResult>({
    provider,
    integration: {
      clientId,
      scopes: integration.scopes,
      optionalScopes: integration.optionalScopes,
      authorizationParams: integration.settings.authorizationParams,
    },
    redirectUri,
    authorizationUrl: url.url,
    variables: filled,
    ...half,
  });
}
