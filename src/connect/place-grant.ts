/** What is known of a connection that the user already has on the integration. */
export type ExistingConnection = { readonly id: string; readonly accountId: string | null };

export type Placement =
  | { readonly kind: 'insert' }
  | { readonly kind: 'replace'; readonly connectionId: string }
  | { readonly kind: 'mismatch' };

/**
 * Where a new grant goes. The same account keeps its connection's id; another account never takes the place of one
 * silently: it is a second connection where the application allows several, and a mismatch otherwise.
 */
export function placeGrant(
  existing: readonly ExistingConnection[],
  grant: { accountId: string | null },
  session: { connectionId: string | null; allowMultiple: boolean },
): Placement {
  if (session.connectionId !== null) {
    const target = existing.find(({ id }) => id === session.connectionId);
    if (target === undefined || !mayBeSame(target.accountId, grant.accountId)) return { kind: 'mismatch' };
    return { kind: 'replace', connectionId: target.id };
  }
  const sameAccount = existing.find(({ accountId }) => accountId !== null && accountId === grant.accountId);
  if (sameAccount !== undefined) return { kind: 'replace', connectionId: sameAccount.id };
  if (session.allowMultiple || existing.length === 0) return { kind: 'insert' };
  const candidate = existing.find(({ accountId }) => mayBeSame(accountId, grant.accountId));
  return candidate === undefined ? { kind: 'mismatch' } : { kind: 'replace', connectionId: candidate.id };
}

/**
 * A connection whose account was never known takes any. One that is known is not given to a grant that does not tell
 * (the account call failed): it might belong to another account, and the connection would lose its account.
 */
function mayBeSame(known: string | null, granted: string | null): boolean {
  return known === null || known === granted;
}
