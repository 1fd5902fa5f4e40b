import type { TokenFault } from '../../http/token-refusal.ts';
import { isOwnId, type Membership, readMembership } from '../../mandates/membership.ts';
import type { VerificationKey } from './verification-key.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** What a token says of itself, for revocations: its `jti`, and when it was issued (0 where it does not say). */
export type Issue = {
  readonly jti: string | null;
  readonly issuedAtMs: number;
  /** Ids of the tokens that it was made of: revoked ones take it along. */
  readonly parentJtis?: readonly string[] | undefined;
};

export type Claims = Issue & {
  readonly subject: string;
  readonly expiresAt: number;
  /** Undefined: the token names no organization. */
  readonly membership: Membership | undefined;
};

export const CLOCK_SKEW_SECONDS = 30;
export const LIFETIME_SECONDS_MAX = 24 * 60 * 60;

/** The claims that do not depend on the key, or what is wrong with them: missing, malformed or not yet valid. */
export function readClaims(payload: JsonObject, nowSeconds: number): Claims | TokenFault {
  const { sub, exp, iat, nbf, jti } = payload;
  if (!isOwnId(sub)) return 'subject';
  if (!isNumericDate(exp)) return 'no_expiry';
  if (iat !== undefined && !(isNumericDate(iat) && iat <= nowSeconds + CLOCK_SKEW_SECONDS)) {
    return 'issued_in_future';
  }
  if (nbf !== undefined && !(isNumericDate(nbf) && nbf <= nowSeconds + CLOCK_SKEW_SECONDS)) {
    return 'not_yet_valid';
  }
  const latest = (iat ?? nowSeconds + CLOCK_SKEW_SECONDS) + LIFETIME_SECONDS_MAX;
  if (exp > latest) return 'lifetime';
  const membership = readMembership(payload);
  if (membership === null) return 'organization';
  return {
    subject: sub,
    expiresAt: exp,
    membership,
    jti: typeof jti === 'string' ? jti : null,
    issuedAtMs: (iat ?? 0) * 1000,
  };
}

/** RFC 7519 section 2 allows fractions of a second. */
function isNumericDate(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

type Conditions = Pick<VerificationKey, 'audience' | 'issuer'>;

/** Whether `aud` and `iss` are what the key, or the source of keys, asks for. */
export function isMeantFor(payload: JsonObject, key: Conditions, projectId: string): boolean {
  return isAudience(payload, key, projectId) && (key.issuer === null || payload.iss === key.issuer);
}

export function isAudience(
  payload: JsonObject,
  key: Pick<Conditions, 'audience'>,
  projectId: string,
): boolean {
  return listAudiences(payload).includes(key.audience ?? projectId);
}

/** `aud` as a list; empty when it is missing or holds anything but strings. */
export function listAudiences(payload: JsonObject): readonly string[] {
  const { aud } = payload;
  if (typeof aud === 'string') return [aud];
  return Array.isArray(aud) && aud.every((member) => typeof member === 'string') ? aud : [];
}
