import { HttpError } from './errors.ts';
import { findMissingScopes, type KeyScopeDecision, listNeededScopes } from './key-scopes.ts';
import type { Principal } from './principal.ts';

/** Throws `scope_missing`, which names what an API key lacks for the operation. Other principals have no scopes. */
export function assertScopes(principal: Principal, decision: KeyScopeDecision | undefined): void {
  if (principal.kind !== 'api_key') return;
  const needed = listNeededScopes(decision);
  const missing = findMissingScopes(principal.scopes, needed);
  if (missing.length === 0) return;
  const names = missing.map((scope) => `\`${scope}\``).join(' and ');
  throw new HttpError('scope_missing', {
    detail: `The API key lacks the ${missing.length === 1 ? 'scope' : 'scopes'} ${names}, which this operation takes.`,
    // RFC 6750 section 3.1: all that the operation takes, not only what is missing.
    headers: {
      'WWW-Authenticate': `Bearer realm="gateway", error="insufficient_scope", scope="${needed.join(' ')}"`,
    },
  });
}
