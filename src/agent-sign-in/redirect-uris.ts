import type { Configuration } from 'oidc-provider';
import { isLoopbackHost } from '../lib/loopback-hosts.ts';

/** A name that no client sends among its metadata: what is judged about it is judged of each client, wherever they come from. */
const EVERY_CLIENT = 'gateway_redirects';

/**
 * Refuses clients that would have codes sent in the clear to another computer. MCP allows https and the loopback alone; the library
 * lets a client that calls itself a web application have any.
 */
export function judgeRedirects(
  errors: typeof import('oidc-provider').errors,
): Configuration['extraClientMetadata'] {
  return {
    properties: [EVERY_CLIENT],
    validator(_context, _name, _value, { redirect_uris: uris }) {
      if (!Array.isArray(uris) || !uris.some(isPlain)) return;
      const error_description = 'redirect_uris with http must lead to a loopback address';
      throw Object.assign(new errors.InvalidRedirectUri(), { error_description });
    },
  };
}

function isPlain(uri: unknown): boolean {
  const url = typeof uri === 'string' ? URL.parse(uri) : null;
  return url?.protocol === 'http:' && !isLoopbackHost(url.hostname);
}
