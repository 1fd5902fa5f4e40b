import type { Provider } from '../../api/catalog.ts';

/** Scopes of OpenID Connect, and those that ask for a refresh token. */
const OPENS_NO_API = new Set(['openid', 'profile', 'email', 'offline_access', 'offline', 'refresh_token']);

/**
 * The name of the text above the scopes. Operators read where the catalog knows no scope that opens the API, since
 * some of those providers refuse who asks for none, or give tokens that open nothing.
 */
export function chooseScopesHint({ scopes: { defaults, descriptions } }: { scopes: Known }) {
  const known = [...defaults, ...Object.keys(descriptions)];
  if (known.length === 0) return 'noScopes';
  return known.every((scope) => OPENS_NO_API.has(scope)) ? 'scopesOfUserAlone' : 'scopesHint';
}

type Known = Pick<Provider['scopes'], 'defaults' | 'descriptions'>;
