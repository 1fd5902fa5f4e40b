import type { Provider } from '../../catalog/schema/provider.schema.ts';
import type { Grant } from '../../connections/connection.ts';

/** What a revocation ends at the provider: the token alone, a user's whole grant, or a workspace's access. */
export type RevocationScope = Provider['revocation']['ends'];

/** On whose consent a grant stands, as far as it is known; null: not known. */
export type Consent = Readonly<{
  ends: RevocationScope;
  clientId: string | null;
  accountId: string | null;
  accountName: string | null;
  endUserId: string | null;
}>;

/** What ends with one token of this provider. Where the tenant is the account, nothing distinguishes two consents. */
function findRevocationScope(
  provider: Pick<Provider, 'revocation' | 'tenants' | 'account'>,
): RevocationScope {
  const { ends } = provider.revocation;
  return ends === 'token' && isTenantTheAccount(provider) ? 'grant' : ends;
}

/** The consent behind a grant. */
export function readConsent(
  provider: Pick<Provider, 'revocation' | 'tenants' | 'account' | 'logout'>,
  grant: Pick<Grant, 'accountId' | 'accountName'>,
  owner: { readonly clientId: string | null; readonly endUserId: string | null },
): Consent {
  // A log-out ends the one session that it names.
  const ends = provider.logout === undefined ? findRevocationScope(provider) : 'token';
  // A user's consent may reach several organisations, none of which says whose it is.
  const isWhoseUnknown = ends === 'grant' && isTenantTheAccount(provider);
  const { accountId, accountName } = isWhoseUnknown ? { accountId: null, accountName: null } : grant;
  return { ends, accountId, accountName, ...owner };
}

function isTenantTheAccount({ tenants, account }: Pick<Provider, 'tenants' | 'account'>): boolean {
  return tenants !== undefined && account === undefined;
}
