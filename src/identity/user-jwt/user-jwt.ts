import { createPrivateKey } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { LRUCache } from 'lru-cache';
import { newId } from '../../lib/ids.ts';
import { isReservedUserId } from '../../projects/texts.schema.ts';
import { findSigner } from './token-signature.ts';
import { USER_TOKEN_ALGORITHMS, type UserTokenAlgorithm, type VerificationKey } from './verification-key.ts';

export type TokenRefusal = 'invalid' | 'expired' | 'unknown_key';

/** What a token says of itself, for revocations: its `jti`, and when it was issued (0 where it does not say). */
export type Issue = { readonly jti: string | null; readonly issuedAtMs: number };

export type TokenVerdict =
  | (Issue & {
      readonly verdict: 'valid';
      readonly subject: string;
      readonly expiresAtMs: number;
      readonly keyIdentity: string;
    })
  | { readonly verdict: TokenRefusal };

type Claims = Issue & { readonly subject: string; readonly expiresAt: number };

/** What can be said of a token before any signature is checked. */
export type Selection =
  | { readonly verdict: 'invalid' }
  | { readonly verdict: 'unknown_key' }
  /** One of these keys must have signed it; there may be none. */
  | { readonly verdict: 'undecided'; readonly claims: Claims; readonly keys: readonly VerificationKey[] };

type Context = { readonly projectId: string; readonly nowMs: number };

export const TOKEN_LENGTH_MAX = 8 * 1024;
export const CLOCK_SKEW_SECONDS = 30;
const LIFETIME_SECONDS_MAX = 24 * 60 * 60;
/** For a token without `kid`. */
const KEYS_TRIED_MAX = 5;

/** A token whose form is right. Nothing in it is proved yet. */
export type UnprovenToken = {
  readonly text: string;
  readonly alg: UserTokenAlgorithm;
  readonly kid: string | undefined;
  readonly payload: JsonObject;
};

type JsonObject = Readonly<Record<string, unknown>>;

const THREE_PARTS = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;
/** RFC 7515 section 4.1: a token that brings or points at its own key, or that has extensions which must be understood. */
const REFUSED_PARAMETERS = ['crit', 'b64', 'jku', 'jwk', 'x5u'];
const TYPES = /^(application\/)?(jwt|at\+jwt)$/i;
/** What key ids are made of in practice; `+`, `/` and `=` are for Amazon Cognito, whose ids are base64. */
export const KID = /^[A-Za-z0-9._+/=-]{1,128}$/;

type Header = { readonly alg: UserTokenAlgorithm; readonly kid: string | undefined };

const HEADERS_MAX = 1_000;
const HEADER_LENGTH_MAX = 400;
/** All tokens of one key have the same header, which is decoded once. */
const headers = new LRUCache<string, Header>({ max: HEADERS_MAX });

/**
 * Takes a compact JWS apart (RFC 7515 section 7.1) and checks its length and header; undefined when it cannot be a user
 * token. Costs no key work, so that garbage is cheap. Where a member stands twice, the last one counts, here as in
 * every later step.
 */
export function readUserToken(text: string): UnprovenToken | undefined {
  if (text.length > TOKEN_LENGTH_MAX || !THREE_PARTS.test(text)) return undefined;
  const headerEnd = text.indexOf('.');
  const header = knownHeader(text.slice(0, headerEnd));
  if (!header) return undefined;
  const payload = readJsonObject(text.slice(headerEnd + 1, text.lastIndexOf('.')));
  return payload && { text, alg: header.alg, kid: header.kid, payload };
}

function knownHeader(part: string): Header | undefined {
  const known = headers.get(part);
  if (known) return known;
  const header = readHeader(part);
  // A copy: a slice would keep the whole token in memory.
  if (header && part.length <= HEADER_LENGTH_MAX) headers.set(Buffer.from(part).toString(), header);
  return header;
}

function readHeader(part: string): Header | undefined {
  const header = readJsonObject(part);
  if (!header) return undefined;
  const { alg, kid, typ } = header;
  if (REFUSED_PARAMETERS.some((name) => Object.hasOwn(header, name))) return undefined;
  if (typ !== undefined && !(typeof typ === 'string' && TYPES.test(typ))) return undefined;
  if (kid !== undefined && !(typeof kid === 'string' && KID.test(kid))) return undefined;
  return isUserTokenAlgorithm(alg) ? { alg, kid } : undefined;
}

/**
 * Which of the given keys may have signed the token, by everything that needs no signature check: its claims, `kid`,
 * algorithm, audience and issuer (RFC 7519, RFC 8725). `kid` chooses the key; without it every key of the token's
 * algorithm is a candidate, at most 5. `unknown_key` means that no key has this `kid`.
 */
export function selectKeys(
  token: UnprovenToken,
  keys: readonly VerificationKey[],
  context: Context,
): Selection {
  const claims = readClaims(token.payload, context.nowMs / 1000);
  if (!claims) return INVALID;
  const named = token.kid === undefined ? keys : keys.filter((key) => key.kid === token.kid);
  if (token.kid !== undefined && named.length === 0) return { verdict: 'unknown_key' };
  // The algorithm is the key's; the token's own word only rules keys out.
  const candidates = named.filter((key) => key.alg === token.alg).slice(0, KEYS_TRIED_MAX);
  // An application that signs tokens itself must not be able to name an operator.
  const isReserved = isReservedUserId(claims.subject);
  const meant = candidates.filter(
    (key) => (key.isManaged || !isReserved) && isMeantFor(token.payload, key, context.projectId),
  );
  return { verdict: 'undecided', claims, keys: meant };
}

/** Checks the signature. `expired` means that nothing but the time is wrong, signature included. */
export async function verifySelected(
  token: UnprovenToken,
  { claims, keys }: Extract<Selection, { verdict: 'undecided' }>,
  nowMs: number,
): Promise<TokenVerdict> {
  const key = await findSigner(token.text, keys);
  if (!key) return INVALID;
  if (nowMs / 1000 >= claims.expiresAt + CLOCK_SKEW_SECONDS) return { verdict: 'expired' };
  const { subject, jti, issuedAtMs } = claims;
  return {
    verdict: 'valid',
    subject,
    expiresAtMs: claims.expiresAt * 1000,
    keyIdentity: key.identity,
    jti,
    issuedAtMs,
  };
}

const INVALID = { verdict: 'invalid' } as const;

/** Verifies a token for a project with the given keys: `selectKeys`, then `verifySelected`. */
export async function verifyUserToken(
  token: UnprovenToken,
  keys: readonly VerificationKey[],
  context: Context,
): Promise<TokenVerdict> {
  const selection = selectKeys(token, keys, context);
  return selection.verdict === 'undecided'
    ? verifySelected(token, selection, context.nowMs)
    : { verdict: selection.verdict };
}

/**
 * A user token of the gateway's own making: ES256, with `sub`, `aud` = the project, `iat` and `exp`. `now` is in
 * milliseconds since the epoch. Throws a RangeError for a lifetime that no verifier would take (1 s to 24 h).
 */
export function signUserToken(input: {
  readonly privateKeyPem: string;
  readonly kid: string;
  readonly projectId: string;
  readonly subject: string;
  readonly expiresInSeconds: number;
  readonly now: number;
}): { readonly token: string; readonly jti: string; readonly expiresAt: Date } {
  const { expiresInSeconds } = input;
  if (
    !Number.isInteger(expiresInSeconds) ||
    expiresInSeconds < 1 ||
    expiresInSeconds > LIFETIME_SECONDS_MAX
  ) {
    throw new RangeError(`The lifetime of a user token is 1 to ${LIFETIME_SECONDS_MAX} s`);
  }
  const iat = Math.floor(input.now / 1000);
  const exp = iat + expiresInSeconds;
  const jti = newId();
  const claims = { sub: input.subject, aud: input.projectId, iat, exp, jti };
  const options = { algorithm: 'ES256', keyid: input.kid } as const;
  const token = jwt.sign(claims, createPrivateKey(input.privateKeyPem), options);
  return { token, jti, expiresAt: new Date(exp * 1000) };
}

export function isUserTokenAlgorithm(value: unknown): value is UserTokenAlgorithm {
  return USER_TOKEN_ALGORITHMS.some((alg) => alg === value);
}

/** The claims that do not depend on the key, or undefined when one is missing, malformed or not yet valid. */
function readClaims(payload: JsonObject, nowSeconds: number): Claims | undefined {
  const { sub, exp, iat, nbf, jti } = payload;
  if (!isNumericDate(exp) || !isSubject(sub)) return undefined;
  if (iat !== undefined && !(isNumericDate(iat) && iat <= nowSeconds + CLOCK_SKEW_SECONDS)) return undefined;
  if (nbf !== undefined && !(isNumericDate(nbf) && nbf <= nowSeconds + CLOCK_SKEW_SECONDS)) return undefined;
  const latest = (iat ?? nowSeconds + CLOCK_SKEW_SECONDS) + LIFETIME_SECONDS_MAX;
  if (exp > latest) return undefined;
  return {
    subject: sub,
    expiresAt: exp,
    jti: typeof jti === 'string' ? jti : null,
    issuedAtMs: (iat ?? 0) * 1000,
  };
}

/** RFC 7519 section 2 allows fractions of a second. */
function isNumericDate(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Characters are code points, as Postgres counts them. A lone surrogate would be stored as another user's U+FFFD. */
function isSubject(value: unknown): value is string {
  if (typeof value !== 'string' || value.length === 0 || value.length > 2 * 255) return false;
  if (!value.isWellFormed() || /\p{Cc}/u.test(value)) return false;
  return value.length <= 255 || [...value].length <= 255;
}

/** Whether `aud` and `iss` are what the key, or the source of keys, asks for. */
export function isMeantFor(
  payload: JsonObject,
  key: Pick<VerificationKey, 'audience' | 'issuer'>,
  projectId: string,
): boolean {
  const audience = key.audience ?? projectId;
  return listAudiences(payload).includes(audience) && (key.issuer === null || payload.iss === key.issuer);
}

/** `aud` as a list; empty when it is missing or holds anything but strings. */
export function listAudiences(payload: JsonObject): readonly string[] {
  const { aud } = payload;
  if (typeof aud === 'string') return [aud];
  return Array.isArray(aud) && aud.every((member) => typeof member === 'string') ? aud : [];
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function readJsonObject(part: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(UTF_8.decode(Buffer.from(part, 'base64url')));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
