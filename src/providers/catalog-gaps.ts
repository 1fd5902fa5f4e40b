import type { ProviderFault } from '../catalog/loading/provider-from-file.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import { listAuthMethods } from '../catalog/schema/provider-auth-methods.ts';

const STEPS_MIN = 3;

/** What a file of the catalog has to say besides what loads: `test/catalog/builtin-entries` holds every file to the same. */
export function findCatalogGaps(provider: Provider): ProviderFault[] {
  return [...(listAuthMethods(provider).some(isUnexplained) ? [UNEXPLAINED] : []), ...findStepGaps(provider)];
}

const UNEXPLAINED: ProviderFault = {
  path: ['credentialHint'],
  reason: 'is needed: what the key looks like, and where users find it',
};

function isUnexplained({ auth, credentialHint, variables }: Provider): boolean {
  if (auth !== 'api-key' && auth !== 'basic') return false;
  const isDescribed = variables.some(({ from, description }) => from === 'user' && description !== undefined);
  return credentialHint === undefined && !isDescribed;
}

function findStepGaps({ auth, mcp, setupSteps }: Provider): ProviderFault[] {
  if (setupSteps.length === 0) return [];
  const path = ['setupSteps'];
  if (setupSteps.length < STEPS_MIN) return [{ path, reason: `must be ${STEPS_MIN} at least, or left out` }];
  const needsRedirect = auth === 'oauth2' && mcp?.registration !== 'automatic';
  return needsRedirect && !setupSteps.join(' ').includes('{redirectUrl}')
    ? [{ path, reason: 'must say where {redirectUrl} is registered' }]
    : [];
}
