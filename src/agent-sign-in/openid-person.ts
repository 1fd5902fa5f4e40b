import type { JsonObject } from '../identity/user-jwt/claims.ts';
import type { OpenIdSetting } from '../projects/agent-sign-in.ts';
import { ownUserIdText } from '../projects/texts.schema.ts';
import { pickRights } from './rights.ts';
import type { SignedIn } from './sign-ins.ts';

const SHOWN_LENGTH_MAX = 100;

/** Whom a verified ID token names, with what agents of theirs may do at most; or why it names no user. */
export function readPerson(
  claims: JsonObject,
  { userIdClaim, mandateId }: Pick<OpenIdSetting, 'userIdClaim' | 'mandateId'>,
  nowMs: number,
): SignedIn | 'no_claim' | 'email_unverified' | 'malformed' {
  const value = Object.hasOwn(claims, userIdClaim) ? claims[userIdClaim] : undefined;
  if (value === undefined || value === null) return 'no_claim';
  // Some providers let a person claim any address, and say that it is not verified.
  if (userIdClaim === 'email' && !isEmailVerified(claims)) return 'email_unverified';
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  const subject = ownUserIdText.safeParse(text);
  const rights = pickRights(claims);
  if (!subject.success || rights === undefined) return 'malformed';
  const { iat } = claims;
  const issuedAtMs = typeof iat === 'number' ? Math.min(Math.floor(iat * 1000), nowMs) : nowMs;
  return {
    subject: subject.data,
    issuedAtMs,
    rights: { ...rights, ...(mandateId !== null && { gateway_mandate: mandateId }) },
    shownAs: chooseShownName(claims) ?? subject.data,
  };
}

export const hasShownName = (claims: JsonObject): boolean => chooseShownName(claims) !== undefined;

/** Some providers send the flag as a text. */
function isEmailVerified({ email_verified: flag }: JsonObject): boolean {
  return flag === true || flag === 'true';
}

/** By what the person knows themself: ids of providers are random. */
function chooseShownName(claims: JsonObject): string | undefined {
  const names = [isEmailVerified(claims) && claims.email, claims.preferred_username, claims.name];
  const name = names.find((one) => typeof one === 'string' && one.trim() !== '');
  if (typeof name !== 'string') return undefined;
  const text = name.toWellFormed().replaceAll(/\p{Cc}+/gu, ' ');
  return [...text].slice(0, SHOWN_LENGTH_MAX).join('');
}
