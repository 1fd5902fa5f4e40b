import { assertScopes } from '../../http/assert-scopes.ts';
import { findMissingScopes, type KeyScope } from '../../http/key-scopes.ts';
import type { Principal } from '../../http/principal.ts';
import { type EventSource, isAuditType } from '../stream/event.ts';

const AUDIT_SCOPE = 'activity:read' satisfies KeyScope;

/**
 * Events of the audit log tell what `GET /v1/activity` does: an API key that asks for them, or has them sent, needs its
 * scope as well. Throws `scope_missing`.
 */
export function assertMayAudit(principal: Principal, types: readonly string[] | undefined): void {
  if (types?.some(isAuditType)) assertScopes(principal, AUDIT_SCOPE);
}

/** The same for one event: a provider may be called as the audit log is. */
export function assertMayAuditEvent(
  principal: Principal,
  { source, type }: { readonly source: EventSource; readonly type: string },
): void {
  if (source === 'gateway') assertMayAudit(principal, [type]);
}

/** Whether lists show the caller events of the audit log. */
export function mayAudit(principal: Principal): boolean {
  return principal.kind !== 'api_key' || findMissingScopes(principal.scopes, [AUDIT_SCOPE]).length === 0;
}
