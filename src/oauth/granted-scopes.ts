/**
 * Scopes that authorization servers honour without ever naming them in the token response: asking for them shows in
 * the refresh token or the ID token, not in `scope` (OpenID Connect Core 11, and many a provider's habit).
 */
const UNNAMED = new Set(['offline_access', 'openid', 'profile', 'email', 'refresh_token']);

/**
 * The required scopes that were not granted. `granted` null means that the answer named none, which stands for
 * "as requested" (RFC 6749 5.1).
 */
export function missingScopes(required: readonly string[], granted: readonly string[] | null): string[] {
  if (granted === null) return [];
  const have = new Set(granted);
  return required.filter((scope) => !have.has(scope) && !UNNAMED.has(scope));
}
