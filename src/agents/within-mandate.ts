import { HttpError } from '../http/errors.ts';
import { describePart, type MandatePart } from '../mandates/user-mandate.ts';
import type { VerifiedUser } from '../proxy/contract.ts';

type Place = { readonly provider: string; readonly connectionId?: string | undefined };

/** Whether the token's mandate allows anything there at all. What it does not name, its agent is shown nothing of. */
export function isWithinMandate({ mandate }: VerifiedUser, place: Place): boolean {
  return mandate === undefined || mandate.parts.every((part) => isNamed(part, place));
}

function isNamed({ entries, isOfAnyProvider }: MandatePart, place: Place): boolean {
  const { provider, connectionId } = place;
  return (
    isOfAnyProvider === true ||
    entries.some(
      (entry) =>
        entry.provider === provider &&
        (connectionId === undefined || (entry.connectionId?.toLowerCase() ?? connectionId) === connectionId),
    )
  );
}

/** Throws `mandate_denied`. `named` may have the name of a further host, as in the proxy's addresses. */
export function assertWithinMandate({ mandate }: VerifiedUser, named: string): void {
  const provider = named.split('~', 1)[0] ?? named;
  const part = mandate?.parts.find((one) => !isNamed(one, { provider }));
  if (part === undefined) return;
  const detail = `The mandate of the token names nothing at ${provider} (${describePart(part)}).`;
  throw new HttpError('mandate_denied', { detail });
}
