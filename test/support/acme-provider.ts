import { providerFromFile } from '../../src/catalog/loading/provider-from-file.ts';
import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import type { Integration } from '../../src/integrations/integration.ts';

/** A provider with the least that OAuth needs, and what is given besides. Throws with the faults of the file. */
export function acmeProvider(extra: object = {}, allowPrivateNetworks = false): Provider {
  const facts = {
    id: 'acme',
    name: 'Acme',
    auth: 'oauth2',
    authorizationUrl: 'https://acme.example/authorize',
    tokenUrl: 'https://acme.example/token',
    apiBaseUrl: 'https://api.acme.example',
  };
  const loaded = providerFromFile({ ...facts, ...extra }, { allowPrivateNetworks });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  return loaded.provider;
}

/** The same provider with all of its addresses at a server of the test's own. */
export function acmeProviderAt(origin: string, extra: object = {}): Provider {
  const addresses = {
    authorizationUrl: `${origin}/authorize`,
    tokenUrl: `${origin}/token`,
    apiBaseUrl: origin,
  };
  return acmeProvider({ ...addresses, ...extra }, true);
}

/** An integration of it, as the store gives it. */
export function acmeIntegration(more: Partial<Integration> = {}): Integration {
  const at = new Date(Date.UTC(2026, 0, 1));
  return {
    id: 'integration-1',
    projectId: 'project-1',
    name: null,
    logoHash: null,
    serviceProvider: 'acme',
    grant: null,
    clientId: 'client-1',
    scopes: [],
    optionalScopes: [],
    variables: {},
    settings: {},
    hasOwnCallback: false,
    disabled: null,
    authorizationServer: null,
    organizationClient: null,
    version: 1,
    createdAt: at,
    createdBy: '',
    updatedAt: at,
    updatedBy: '',
    ...more,
  };
}
