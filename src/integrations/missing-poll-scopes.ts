import type { Provider } from '../catalog/schema/provider.schema.ts';
import { missingScopes } from '../oauth/granted-scopes.ts';
import type { Integration } from './integration.ts';

/**
 * Scopes that a described resource needs and the integration does not ask for. None where the integration names no scopes
 * at all: the app at the provider has permissions of its own then. Pure.
 */
export function missingPollScopes(
  provider: Pick<Provider, 'polls' | 'scopeComparison'>,
  { scopes, optionalScopes }: Pick<Integration, 'scopes' | 'optionalScopes'>,
  resource: string | null | undefined,
): string[] {
  const asked = [...scopes, ...optionalScopes];
  if (resource == null || asked.length === 0 || !Object.hasOwn(provider.polls, resource)) return [];
  return missingScopes(provider.polls[resource]?.scopes ?? [], asked, provider.scopeComparison);
}
