import { HttpError } from '../http/errors.ts';
import type { VerifiedUser } from '../proxy/contract.ts';

type Place = { readonly provider: string; readonly connectionId?: string | undefined };

/** Whether the token's mandate allows anything there at all. What it does not name, its agent is shown nothing of. */
export function isWithinMandate({ mandate }: VerifiedUser, { provider, connectionId }: Place): boolean {
  if (mandate === undefined) return true;
  return mandate.parts.every(
    ({ entries, isOfAnyProvider = false }) =>
      isOfAnyProvider ||
      entries.some(
        (entry) =>
          entry.provider === provider &&
          (connectionId === undefined || (entry.connectionId ?? connectionId) === connectionId),
      ),
  );
}

/** Throws `mandate_denied`. `named` may have the name of a further host, as in the proxy's addresses. */
export function assertWithinMandate(user: VerifiedUser, named: string): void {
  const provider = named.split('~', 1)[0] ?? named;
  if (isWithinMandate(user, { provider })) return;
  throw new HttpError('mandate_denied', { detail: `The mandate of the token names nothing at ${provider}.` });
}
