import { isLoginKind } from '../../catalog/facts/login-kinds.ts';
import type { Provider } from '../../catalog/schema/provider.schema.ts';
import { defaultRefreshMarginMs } from './refresh-timing.ts';

/**
 * What a connection of this provider gets its next access token with: a refresh token, the access token itself while
 * it is valid, or nothing of its own (the integration's client asks again); or the key or password that the gateway keeps
 * for it, with which it logs in again. Undefined: there is no next one.
 */
export function chooseRefreshMethod(
  provider: Pick<Provider, 'auth' | 'refreshWith'>,
  hasRefreshToken: boolean,
): 'refresh-token' | 'access-token' | 'client' | 'login' | undefined {
  if (isLoginKind(provider.auth)) return 'login';
  if (provider.auth === 'oauth2-client-credentials') return 'client';
  if (provider.auth !== 'oauth2') return undefined;
  if (provider.refreshWith === 'access_token') return 'access-token';
  return hasRefreshToken ? 'refresh-token' : undefined;
}

/** True where a credential that the provider refuses can be followed by another one. A token that renews itself cannot. */
export function isRenewable(method: ReturnType<typeof chooseRefreshMethod>): boolean {
  return method !== undefined && method !== 'access-token';
}

/**
 * How long before expiry the next access token is asked for, in milliseconds; `spread` as in `defaultRefreshMarginMs`. A
 * token that renews itself is lost once it has expired, so that begins at half of its life where the file says no
 * other time. Never more than four fifths of the life: the token that comes next would be due at once.
 */
export function refreshMarginMs(
  provider: Pick<Provider, 'refreshWith' | 'refreshBeforeExpirySeconds'>,
  lifetimeSeconds: number | null,
  spread: number,
): number {
  const { refreshWith, refreshBeforeExpirySeconds } = provider;
  const usualMs = defaultRefreshMarginMs(lifetimeSeconds, spread);
  const isHalved = refreshWith === 'access_token' && lifetimeSeconds !== null;
  const wantedMs = isHalved ? lifetimeSeconds * 500 * (0.75 + spread / 4) : usualMs;
  if (refreshBeforeExpirySeconds === undefined) return wantedMs;
  const mostMs = lifetimeSeconds === null ? Number.POSITIVE_INFINITY : lifetimeSeconds * 800;
  return Math.min(refreshBeforeExpirySeconds * 1000, mostMs);
}
