import { HttpError } from '../http/errors.ts';
import type { JsonObject } from '../identity/user-jwt/claims.ts';
import { MEMBERSHIP_CLAIMS } from '../mandates/membership.ts';
import type { UserMandate } from '../mandates/user-mandate.ts';

/** Claims of a token that count for as long as the consent does. */
const RIGHTS = ['authorization_details', 'gateway_mandate', 'act', ...MEMBERSHIP_CLAIMS] as const;

export function pickRights(claims: JsonObject): Record<string, unknown> {
  return Object.fromEntries(
    RIGHTS.flatMap((name) => (claims[name] === undefined ? [] : [[name, claims[name]]])),
  );
}

/** Throws `mandate_required`: reading alone, which the person may choose, is no mandate of the application's. */
export function assertMandateGiven({ mandate }: { readonly mandate?: UserMandate | undefined }): void {
  if (mandate?.refusal?.code === 'mandate_required')
    throw new HttpError('mandate_required', { detail: mandate.refusal.detail });
}
