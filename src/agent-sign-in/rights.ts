import { HttpError } from '../http/errors.ts';
import type { JsonObject } from '../identity/user-jwt/claims.ts';
import { isStorableJson } from '../lib/storable-text.ts';
import { MEMBERSHIP_CLAIMS } from '../mandates/membership.ts';
import type { UserMandate } from '../mandates/user-mandate.ts';

/** Claims of a token that count for as long as the consent does. */
const RIGHTS = ['authorization_details', 'gateway_mandate', 'act', ...MEMBERSHIP_CLAIMS] as const;

/** Undefined where one of them holds a text that the store cannot keep. */
export function pickRights(claims: JsonObject): Record<string, unknown> | undefined {
  const rights = Object.fromEntries(
    RIGHTS.flatMap((name) => (claims[name] === undefined ? [] : [[name, claims[name]]])),
  );
  return isStorableJson(rights) ? rights : undefined;
}

/** Throws `mandate_required`: reading alone, which the person may choose, is no mandate of the application's. */
export function assertMandateGiven({ mandate }: { readonly mandate?: UserMandate | undefined }): void {
  if (mandate?.refusal?.code === 'mandate_required')
    throw new HttpError('mandate_required', { detail: mandate.refusal.detail });
}
