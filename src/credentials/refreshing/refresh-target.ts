import type { Provider } from '../../catalog/schema/provider.schema.ts';
import { chooseRefreshMethod } from './refresh-method.ts';
import type { TokenReuse } from './refresh-state.ts';

/** Which credentials are to be followed by newer ones. */
export type RefreshTarget = Readonly<{
  connectionId: string;
  projectId: string;
  integrationId: string;
  /** The version of an organization's client that made it. Null, or left out where it is not known: the integration's own. */
  organizationClientId?: string | null;
  version: number;
  /** How often the refresh token may be sent. */
  reuse: TokenReuse;
}>;

type Refreshing = Pick<Provider, 'auth' | 'refreshWith' | 'refreshTokenUse' | 'refreshTokenReuseSeconds'>;

/** Credentials of a connection of this provider, to be refreshed. Pure. */
export function buildRefreshTarget(
  provider: Refreshing,
  {
    connectionId,
    projectId,
    integrationId,
    organizationClientId = null,
    version,
  }: Omit<RefreshTarget, 'reuse'>,
): RefreshTarget {
  const reuse = readTokenReuse(provider);
  return { connectionId, projectId, integrationId, organizationClientId, version, reuse };
}

/** How often what a connection is refreshed with may be sent, by what the provider's file says. Pure. */
export function readTokenReuse(provider: Refreshing): TokenReuse {
  if (chooseRefreshMethod(provider, true) !== 'refresh-token' || provider.refreshTokenUse === 'many') {
    return { kind: 'many' };
  }
  const seconds = provider.refreshTokenReuseSeconds;
  return seconds > 0 ? { kind: 'within', seconds } : { kind: 'once' };
}
