import type { JsonObject } from '../identity/user-jwt/claims.ts';
import { MEMBERSHIP_CLAIMS } from '../mandates/membership.ts';

/** Claims of a token that count for as long as the consent does. */
const RIGHTS = ['authorization_details', 'gateway_mandate', 'act', ...MEMBERSHIP_CLAIMS] as const;

export function pickRights(claims: JsonObject): Record<string, unknown> {
  return Object.fromEntries(
    RIGHTS.flatMap((name) => (claims[name] === undefined ? [] : [[name, claims[name]]])),
  );
}
