/** What is known of a connection that the user already has on the integration. */
export type ExistingConnection = Identity & { readonly id: string };

/** Whose account a connection or a grant is, and on which of its tenants; null: not known. */
type Identity = { readonly accountId: string | null; readonly tenantId: string | null };

export type Placement =
  | { readonly kind: 'insert' }
  | { readonly kind: 'replace'; readonly connectionId: string }
  | { readonly kind: 'mismatch' };

/**
 * Where a new grant goes. The same account keeps its connection's id; another account never takes the place of one
 * silently: it is a second connection where the application allows several, and a mismatch otherwise. Another tenant of
 * the same account counts as another account, except where the session names the tenant for the connection.
 */
export function placeGrant(
  existing: readonly ExistingConnection[],
  grant: Identity,
  session: { connectionId: string | null; tenantId: string | null; allowMultiple: boolean },
): Placement {
  if (session.connectionId !== null) {
    const target = existing.find(({ id }) => id === session.connectionId);
    const isMoved = session.tenantId !== null && session.tenantId === grant.tenantId;
    const fits = isMoved ? mayBeSameUser : mayBeSame;
    if (target === undefined || !fits(target, grant)) return { kind: 'mismatch' };
    return { kind: 'replace', connectionId: target.id };
  }
  const sameAccount = existing.find((one) => one.accountId !== null && mayBeSame(one, grant));
  if (sameAccount !== undefined) return { kind: 'replace', connectionId: sameAccount.id };
  if (session.allowMultiple || existing.length === 0) return { kind: 'insert' };
  const candidate = existing.find((one) => mayBeSame(one, grant));
  return candidate === undefined ? { kind: 'mismatch' } : { kind: 'replace', connectionId: candidate.id };
}

/**
 * A connection whose account was never known takes any. One that is known is not given to a grant that does not say
 * (the account call failed): it might belong to another account, and the connection would lose its account.
 */
function mayBeSame(known: Identity, granted: Identity): boolean {
  const isTenantSame =
    known.tenantId === null || granted.tenantId === null || known.tenantId === granted.tenantId;
  return isTenantSame && isAccountSame(known, granted);
}

/** The same, whatever the tenant. Where the tenant is the account, nothing else is known of the user. */
function mayBeSameUser(known: Identity, granted: Identity): boolean {
  return granted.accountId === granted.tenantId || isAccountSame(known, granted);
}

function isAccountSame(known: Identity, granted: Identity): boolean {
  return known.accountId === null || known.accountId === granted.accountId;
}
