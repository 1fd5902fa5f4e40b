import { assertScopes } from '../../http/assert-scopes.ts';
import type { Principal } from '../../http/principal.ts';
import { isAuditType } from '../stream/event.ts';

/**
 * Events of the audit log tell what `GET /v1/activity` does: an API key that asks for them needs its scope as well.
 * Throws `scope_missing`.
 */
export function assertMayAudit(principal: Principal, types: readonly string[] | undefined): void {
  if (types?.some(isAuditType)) assertScopes(principal, 'activity:read');
}
