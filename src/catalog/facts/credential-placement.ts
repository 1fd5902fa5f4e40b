import type { CredentialPlacement } from '../../lib/credential-placement.ts';
import type { Provider } from '../schema/provider.schema.ts';
import { isSignedByAws, isSignedKind } from './auth-kinds.ts';

/** Where the provider wants the credential of a connection on every call of its API. */
export function findCredentialPlacement(
  provider: Pick<Provider, 'auth' | 'apiKey' | 'basic' | 'accessTokenHeader' | 'apiQuery' | 'awsSigV4'>,
): CredentialPlacement {
  if (isSignedKind(provider.auth) || isSignedByAws(provider)) return { in: 'signature' };
  if (provider.auth === 'basic') {
    return { in: 'basic', ...(provider.basic ?? { username: '{username}', password: '{password}' }) };
  }
  if (provider.auth === 'api-key' && provider.apiKey !== undefined) return provider.apiKey;
  if (provider.basic !== undefined) return { in: 'basic', ...provider.basic };
  const parameter = findTokenParameter(provider);
  if (parameter !== undefined) return { in: 'query', ...parameter };
  return { in: 'header', ...provider.accessTokenHeader };
}

/**
 * The query parameter that carries the access token, where `apiQuery` has one: it takes the place of the header, since
 * a token is sent in one place only (RFC 6750 section 2).
 */
export function findTokenParameter({
  apiQuery,
}: Pick<Provider, 'apiQuery'>): { name: string; template: string } | undefined {
  const found = Object.entries(apiQuery).find(([, template]) => template.includes('{accessToken}'));
  return found && { name: found[0], template: found[1] };
}
