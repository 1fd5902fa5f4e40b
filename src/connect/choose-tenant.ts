import type { Provider } from '../catalog/schema/provider.schema.ts';
import type { Connection } from '../connections/connection.ts';
import { findTenantId, isOnTenant, type Tenant } from '../oauth/tenants.ts';
import type { ConnectSession } from './connect-session.ts';
import type { Refusal } from './refusals.ts';

type KnownConnection = Pick<Connection, 'id' | 'accountId' | 'tenantId' | 'variables'>;
type KnownProvider = Pick<Provider, 'account' | 'tenants'>;

export type TenantChoice =
  /** The connection needs none. */
  | { readonly kind: 'none' }
  | { readonly kind: 'taken'; readonly tenant: Tenant }
  | { readonly kind: 'ask'; readonly tenants: readonly Tenant[] }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/**
 * Which of the tenants that a grant reaches its connection gets: the one that the session names, the one that the
 * connection has already, or the only one. Of several the user chooses; the first of them says nothing.
 */
export function chooseTenant(
  provider: KnownProvider,
  tenants: readonly Tenant[],
  session: Pick<ConnectSession, 'connectionId' | 'tenantId' | 'allowMultiple'>,
  existing: readonly KnownConnection[],
): TenantChoice {
  const asked = provider.tenants?.asked ?? false;
  if (session.tenantId !== null) {
    const wanted = tenants.find(({ id }) => id === session.tenantId);
    return wanted === undefined ? refused('tenant_unknown') : { kind: 'taken', tenant: wanted };
  }
  if (tenants.length === 0 && asked) return refused('tenant_missing');
  const kept = chooseConnected(provider, tenants, session, existing);
  if (kept !== undefined) return kept;
  const [only, second] = tenants;
  if (only !== undefined && second === undefined) return { kind: 'taken', tenant: only };
  return asked && tenants.length > 0 ? { kind: 'ask', tenants } : { kind: 'none' };
}

/** The choice that the user's connections decide; undefined where they decide nothing. */
function chooseConnected(
  provider: KnownProvider,
  tenants: readonly Tenant[],
  { connectionId, allowMultiple }: Pick<ConnectSession, 'connectionId' | 'allowMultiple'>,
  existing: readonly KnownConnection[],
): TenantChoice | undefined {
  const asked = provider.tenants?.asked ?? false;
  // Where the account distinguishes connections, it is the same connection on whatever tenant.
  const isRenewal = !allowMultiple || !asked;
  const renewed = existing.filter(({ id }) => (connectionId === null ? isRenewal : id === connectionId));
  if (renewed.length === 0) return undefined;
  const connected = tenants.filter((tenant) =>
    renewed.some((connection) => isOnTenant(connection, tenant, provider)),
  );
  const [only, second] = connected;
  if (only !== undefined && second === undefined) return { kind: 'taken', tenant: only };
  if (only !== undefined && asked) return { kind: 'ask', tenants: connected };
  const isElsewhere = renewed.every((connection) => findTenantId(connection, provider) !== null);
  if (!isElsewhere) return undefined;
  return asked ? refused('account_mismatch', 'tenant_lost') : { kind: 'none' };
}

function refused(error: string, reason?: Refusal['reason']): TenantChoice {
  return { kind: 'refused', refusal: { ok: false, error, ...(reason && { reason }) } };
}
