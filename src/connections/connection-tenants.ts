import type { Provider } from '../catalog/schema/provider.schema.ts';
import { HttpError } from '../http/errors.ts';
import { createRateLimiter } from '../lib/rate-limit.ts';
import type { Tenant, TenantList } from '../oauth/tenants.ts';
import type { Connection } from './connection.ts';

/** A list may be a hundred requests at the provider, within the limit that the application's own calls share. */
const LISTS_PER_MINUTE = 20;

/**
 * The tenants that a connection's grant reaches, asked of the provider. Throws `tenants_unsupported`,
 * `tenants_unavailable`, `project_frozen`, `rate_limited`, and the refusals of a refresh.
 */
export type ReachTenants = (connection: Connection) => Promise<{
  readonly provider: Provider;
  readonly tenants: readonly Tenant[];
  readonly isComplete: boolean;
}>;

export function createReachTenants(deps: {
  /** Throws `project_frozen`. */
  assertNotFrozen?(projectId: string): void;
  findProvider(connection: Connection): Promise<Provider | undefined>;
  /** Lists them with the credential of the connection. */
  listTenants(connection: Connection): Promise<TenantList>;
}): ReachTenants {
  const limiter = createRateLimiter({ limit: LISTS_PER_MINUTE, windowSeconds: 60 });
  return async (connection) => {
    const provider = await deps.findProvider(connection);
    if (provider === undefined) throw new HttpError('provider_unknown');
    if (provider.tenants === undefined) throw new HttpError('tenants_unsupported');
    deps.assertNotFrozen?.(connection.projectId);
    const { allowed, retryAfterSeconds } = limiter.check(connection.id);
    if (!allowed) {
      throw new HttpError('rate_limited', { headers: { 'Retry-After': String(retryAfterSeconds) } });
    }
    const listed = await deps.listTenants(connection);
    if (listed.ok) return { provider, tenants: listed.tenants, isComplete: listed.isComplete };
    throw new HttpError('tenants_unavailable', { detail: detailOf(provider, listed) });
  };
}

function detailOf({ name }: Provider, { kind, words }: Extract<TenantList, { ok: false }>): string {
  const said = words === undefined ? '' : ` It says: ${words}`;
  if (kind === 'unavailable') return `${name} brought no usable list of what the grant reaches.${said}`;
  return `${name} refuses to list what the grant reaches. A scope may be missing.${said}`;
}
