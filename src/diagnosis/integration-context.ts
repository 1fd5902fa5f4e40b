import type { Provider } from '../catalog/provider.schema.ts';
import { redirectUrlOf } from '../integrations/integration-wire.ts';
import type { Integration } from '../integrations/integrations.store.ts';
import { placeholdersOf } from '../lib/template.ts';
import type { Providers } from '../providers/custom-providers.ts';

/** What the texts of findings name of an integration. */
export type IntegrationContext = {
  /** As people know it. */
  readonly provider: string;
  readonly redirectUrl: string;
  readonly scopes: readonly string[];
};

export type ContextOf = (integration: Integration) => Promise<IntegrationContext>;

export function createContextOf(deps: { providers: Providers; publicUrl: string }): ContextOf {
  return async (integration) => {
    const { projectId, serviceProvider, grant } = integration;
    const provider = await deps.providers.find(projectId, serviceProvider, grant);
    return {
      provider: provider?.name ?? serviceProvider,
      redirectUrl: redirectUrlOf(deps.publicUrl, integration),
      scopes: [...integration.scopes, ...integration.optionalScopes],
    };
  };
}

/** Whether the provider's addresses hold a tenant, a subdomain or the like, which may be a wrong one. */
export function hasTenant({ variables, tokenUrl = '', authorizationUrl = '' }: Provider): boolean {
  const named = placeholdersOf(`${tokenUrl} ${authorizationUrl}`);
  return variables.some(
    ({ name, from, options }) =>
      named.includes(name) && options === undefined && (from === 'integration' || from === 'user'),
  );
}
