import type { Provider } from '../catalog/schema/provider.schema.ts';

/** How the provider writes the scopes that it grants, where that is not letter by letter as they were asked for. */
export type ScopeComparison = Provider['scopeComparison'];

/**
 * Scopes that authorization servers honour without ever naming them in the token response: asking for them shows in
 * the refresh token or the ID token, not in `scope` (OpenID Connect Core 11, and many a provider's habit).
 */
const UNNAMED = new Set(['offline_access', 'openid', 'profile', 'email', 'refresh_token']);

/**
 * The required scopes that were not granted. `granted` null means that the answer named none, which stands for
 * "as requested" (RFC 6749 5.1).
 */
export function missingScopes(
  required: readonly string[],
  granted: readonly string[] | null,
  comparison: ScopeComparison = {},
): string[] {
  if (granted === null) return [];
  const plain = (scope: string) => plainScope(scope, comparison);
  const have = new Set(granted.flatMap(splitUnlessAsked(required)).map(plain));
  const covers = coveringScopes(comparison);
  const isGranted = (scope: string) =>
    have.has(scope) || covers.some(({ wide, narrow }) => isCovered(scope, { wide, narrow, have }));
  return required.filter((scope) => !UNNAMED.has(scope) && !isGranted(plain(scope)));
}

/** A scope is one word (RFC 6749 3.3); a list in another separator than the file says is taken apart all the same. */
function splitUnlessAsked(required: readonly string[]): (scope: string) => readonly string[] {
  const asked = new Set(required);
  return (scope) => (asked.has(scope) ? [scope] : scope.split(/[,;\s]+/).filter((part) => part !== ''));
}

function plainScope(scope: string, { ignoreCase, prefixes = [], aliases = {} }: ScopeComparison): string {
  const folded = (text: string) => (ignoreCase ? text.toLowerCase() : text);
  const prefix = prefixes.find((start) => folded(scope).startsWith(folded(start)));
  const bare = prefix === undefined ? scope : scope.slice(prefix.length);
  return folded(Object.hasOwn(aliases, bare) ? (aliases[bare] ?? bare) : bare);
}

type Covering = { readonly wide: string; readonly narrow: string };

function coveringScopes(comparison: ScopeComparison): Covering[] {
  const plain = (scope: string) => plainScope(scope, comparison);
  return Object.entries(comparison.covers ?? {}).flatMap(([wide, narrow]) =>
    narrow.map((one) => ({ wide: plain(wide), narrow: plain(one) })),
  );
}

/** `write_*` covers `read_*` where what the asterisks stand for is the same. */
function isCovered(scope: string, { wide, narrow, have }: Covering & { have: ReadonlySet<string> }): boolean {
  const at = narrow.indexOf('*');
  if (at < 0) return scope === narrow && have.has(wide);
  const [start, end] = [narrow.slice(0, at), narrow.slice(at + 1)];
  const fits = scope.startsWith(start) && scope.endsWith(end) && scope.length >= narrow.length;
  return fits && have.has(wide.replace('*', scope.slice(at, scope.length - end.length)));
}
