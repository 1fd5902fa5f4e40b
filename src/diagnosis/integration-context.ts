import { isLoginKind } from '../catalog/facts/login-kinds.ts';
import { isSignedByClient } from '../catalog/facts/webhook-secret.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import type { Integration } from '../integrations/integration.ts';
import { buildRedirectUrl } from '../integrations/integration-wire.ts';
import { listCallTemplateNames, listTexts } from '../lib/call-template.ts';
import { listPlaceholders } from '../lib/template.ts';
import type { ScopeComparison } from '../oauth/granted-scopes.ts';
import { signingVariable } from '../oauth/login-response.ts';
import type { Providers } from '../providers/custom-providers.ts';

/** What the texts of findings name of an integration. */
export type IntegrationContext = {
  /** As people know it. */
  readonly provider: string;
  readonly redirectUrl: string;
  readonly scopes: readonly string[];
  /** False where no request of this way to authenticate can name scopes. */
  readonly asksScopes?: boolean;
  /** How the provider writes what it grants. */
  readonly scopeComparison?: ScopeComparison;
  /** The operator's variable whose key signs what is sent in the place of a client secret. */
  readonly keyVariable?: string;
  /** Where token requests go to. */
  readonly tokenOrigin?: string | undefined;
  /** The provider's addresses hold a tenant, a subdomain or the like. */
  readonly hasTenant?: boolean;
  /** Webhooks are signed with the client's own values. */
  readonly isSignedByClient?: boolean;
};

export type ContextOf = (integration: Integration) => Promise<IntegrationContext>;

export function createReadContext(deps: { providers: Providers; publicUrl: string }): ContextOf {
  return async (integration) => {
    const { projectId, serviceProvider, grant } = integration;
    const provider = await deps.providers.find(projectId, serviceProvider, grant);
    return contextFor(provider, integration, deps.publicUrl);
  };
}

export function contextFor(
  provider: Provider | undefined,
  integration: Integration,
  publicUrl: string,
): IntegrationContext {
  const keyVariable = provider && signingVariable(provider);
  return {
    provider: provider?.name ?? integration.serviceProvider,
    redirectUrl: buildRedirectUrl(publicUrl, integration),
    scopes: [...integration.scopes, ...integration.optionalScopes],
    ...(provider && { asksScopes: asksScopes(provider), scopeComparison: provider.scopeComparison }),
    ...(keyVariable !== undefined && { keyVariable }),
    tokenOrigin: /^https?:\/\/[^/?#]+/.exec(provider?.tokenUrl ?? '')?.[0],
    hasTenant: provider !== undefined && hasTenant(provider),
    isSignedByClient:
      provider !== undefined && isSignedByClient(provider, integration.settings.webhookScheme),
  };
}

/** A log-in names scopes where one of its templates does; every other way has a parameter for them. */
function asksScopes({ auth, jwt, login, tokenParams }: Provider): boolean {
  if (!isLoginKind(auth)) return true;
  return listTexts([jwt, login, tokenParams]).flatMap(listCallTemplateNames).includes('scopes');
}

/** Whether the provider's addresses hold a tenant, a subdomain or the like, which may be a wrong one. */
export function hasTenant({ variables, tokenUrl = '', authorizationUrl = '' }: Provider): boolean {
  const named = listPlaceholders(`${tokenUrl} ${authorizationUrl}`);
  return variables.some(
    ({ name, from, options }) =>
      named.includes(name) && options === undefined && (from === 'integration' || from === 'user'),
  );
}
