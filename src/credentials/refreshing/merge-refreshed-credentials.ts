import { templateValues } from '../../catalog/facts/template-values.ts';
import type { StoredCredentials } from '../../connections/credentials.ts';
import type { IssuedTokens } from '../../oauth/token-response.ts';

/**
 * After a refresh: the new access token, secret variables that came with it, and the old refresh token where the
 * answer brought none (RFC 6749 6).
 */
export function mergeRefreshedCredentials(
  before: StoredCredentials,
  tokens: IssuedTokens,
  secretVariables: Readonly<Record<string, string>> = {},
): StoredCredentials {
  return {
    values: templateValues({
      before: before.values,
      reported: secretVariables,
      credentials: { accessToken: tokens.accessToken },
    }),
    refreshToken: tokens.refreshToken ?? before.refreshToken,
  };
}
