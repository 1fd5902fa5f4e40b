import { constants, createPrivateKey, type KeyObject, verify } from 'node:crypto';
import { promisify } from 'node:util';
import { joseToDer } from 'ecdsa-sig-formatter';
import jwt from 'jsonwebtoken';

/** The only algorithms; no HMAC, since a shared secret would let the gateway and its database forge users. */
export const USER_TOKEN_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
] as const;

export type UserTokenAlgorithm = (typeof USER_TOKEN_ALGORITHMS)[number];

/** A public key and everything that a token must say to be verified with it. */
export type VerificationKey = {
  /** The same text for the same key under the same conditions, whenever it was loaded. */
  readonly identity: string;
  readonly kid: string | null;
  readonly alg: UserTokenAlgorithm;
  readonly key: KeyObject;
  /** What `iss` must be; null: it is not looked at. */
  readonly issuer: string | null;
  /** What `aud` must be or contain; null: the project id. */
  readonly audience: string | null;
};

export type TokenRefusal = 'invalid' | 'expired' | 'unknown_key';

export type TokenVerdict =
  | {
      readonly verdict: 'valid';
      readonly subject: string;
      readonly expiresAtMs: number;
      readonly keyIdentity: string;
    }
  | { readonly verdict: TokenRefusal };

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

/**
 * Takes a compact JWS apart (RFC 7515 section 7.1) and checks its length and header; undefined when it cannot be a user
 * token. Costs no key work, so that garbage is cheap. Where a member stands twice, the last one counts, here as in
 * every later step.
 */
export function readUserToken(text: string): UnprovenToken | undefined {
  if (text.length > TOKEN_LENGTH_MAX || !THREE_PARTS.test(text)) return undefined;
  const [headerPart = '', payloadPart = ''] = text.split('.', 2);
  const header = readJsonObject(headerPart);
  if (!header) return undefined;
  const { alg, kid, typ } = header;
  if (REFUSED_PARAMETERS.some((name) => Object.hasOwn(header, name))) return undefined;
  if (typ !== undefined && !(typeof typ === 'string' && TYPES.test(typ))) return undefined;
  if (kid !== undefined && !(typeof kid === 'string' && KID.test(kid))) return undefined;
  if (!isUserTokenAlgorithm(alg)) return undefined;
  const payload = readJsonObject(payloadPart);
  return payload && { text, alg, kid, payload };
}

/**
 * Verifies a token for a project with the given keys (RFC 7519, RFC 8725). `kid` chooses the key; without it
 * every key of the token's algorithm is tried, at most 5. `expired` means that nothing but the time is wrong, signature
 * included; `unknown_key` that no key has this `kid`, which no signature work was spent on.
 */
export async function verifyUserToken(
  token: UnprovenToken,
  keys: readonly VerificationKey[],
  context: { readonly projectId: string; readonly nowMs: number },
): Promise<TokenVerdict> {
  const nowSeconds = context.nowMs / 1000;
  const claims = readClaims(token.payload, nowSeconds);
  if (!claims) return { verdict: 'invalid' };
  const named = token.kid === undefined ? keys : keys.filter((key) => key.kid === token.kid);
  if (token.kid !== undefined && named.length === 0) return { verdict: 'unknown_key' };
  // The algorithm is the key's; the token's own word only rules keys out.
  const candidates = named.filter((key) => key.alg === token.alg).slice(0, KEYS_TRIED_MAX);
  const meant = candidates.filter((key) => isMeantFor(token.payload, key, context.projectId));
  const key = await signerOf(token.text, meant);
  if (!key) return { verdict: 'invalid' };
  if (nowSeconds >= claims.expiresAt + CLOCK_SKEW_SECONDS) return { verdict: 'expired' };
  return {
    verdict: 'valid',
    subject: claims.subject,
    expiresAtMs: claims.expiresAt * 1000,
    keyIdentity: key.identity,
  };
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
}): { readonly token: string; readonly expiresAt: Date } {
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
  const claims = { sub: input.subject, aud: input.projectId, iat, exp };
  const options = { algorithm: 'ES256', keyid: input.kid } as const;
  const token = jwt.sign(claims, createPrivateKey(input.privateKeyPem), options);
  return { token, expiresAt: new Date(exp * 1000) };
}

export function isUserTokenAlgorithm(value: unknown): value is UserTokenAlgorithm {
  return USER_TOKEN_ALGORITHMS.some((alg) => alg === value);
}

/** The claims that do not depend on the key, or undefined when one is missing, malformed or not yet valid. */
function readClaims(
  payload: JsonObject,
  nowSeconds: number,
): { subject: string; expiresAt: number } | undefined {
  const { sub, exp, iat, nbf } = payload;
  if (!isSubject(sub) || !isNumericDate(exp)) return undefined;
  if (iat !== undefined && !(isNumericDate(iat) && iat <= nowSeconds + CLOCK_SKEW_SECONDS)) return undefined;
  if (nbf !== undefined && !(isNumericDate(nbf) && nbf <= nowSeconds + CLOCK_SKEW_SECONDS)) return undefined;
  const latest = (iat ?? nowSeconds + CLOCK_SKEW_SECONDS) + LIFETIME_SECONDS_MAX;
  return exp <= latest ? { subject: sub, expiresAt: exp } : undefined;
}

/** RFC 7519 section 2 allows fractions of a second. */
function isNumericDate(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Characters are code points, as Postgres counts them. A lone surrogate would be stored as another user's U+FFFD. */
function isSubject(value: unknown): value is string {
  if (typeof value !== 'string' || value.length === 0 || value.length > 2 * 255) return false;
  return value.isWellFormed() && !/\p{Cc}/u.test(value) && [...value].length <= 255;
}

/** Whether `aud` and `iss` are what the key, or the source of keys, asks for. */
export function isMeantFor(
  payload: JsonObject,
  key: Pick<VerificationKey, 'audience' | 'issuer'>,
  projectId: string,
): boolean {
  const audience = key.audience ?? projectId;
  return audiencesOf(payload).includes(audience) && (key.issuer === null || payload.iss === key.issuer);
}

/** `aud` as a list; empty when it is missing or holds anything but strings. */
export function audiencesOf(payload: JsonObject): readonly string[] {
  const { aud } = payload;
  if (typeof aud === 'string') return [aud];
  return Array.isArray(aud) && aud.every((member) => typeof member === 'string') ? aud : [];
}

async function signerOf(
  text: string,
  keys: readonly VerificationKey[],
): Promise<VerificationKey | undefined> {
  for (const key of keys) {
    if ((await isSignatureGood(text, key)) && isSignedBy(text, key)) return key;
  }
  return undefined;
}

const verifyInThreadPool = promisify(verify);

/**
 * The signature (RFC 7518 section 3), checked off the event loop: a forged one costs about 0.1 ms, and a flood of them
 * would make everybody else wait. What passes is then verified by jsonwebtoken, once per token.
 */
async function isSignatureGood(text: string, { key, alg }: VerificationKey): Promise<boolean> {
  const end = text.lastIndexOf('.');
  const signed = Buffer.from(text.slice(0, end));
  const signature = Buffer.from(text.slice(end + 1), 'base64url');
  const hash = `sha${alg.slice(2)}`;
  try {
    // Node's own conversion from the form that JWTs have (`ieee-p1363`) costs 40 us on the event loop.
    if (alg.startsWith('ES')) return await verifyInThreadPool(hash, signed, key, joseToDer(signature, alg));
    return await verifyInThreadPool(hash, signed, alg.startsWith('PS') ? withPss(key) : key, signature);
  } catch {
    return false;
  }
}

function withPss(key: KeyObject) {
  return { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
}

/** The signature alone: jsonwebtoken lets pass a missing `exp`, any type of `sub`, unknown `crit` and more. */
function isSignedBy(text: string, { key, alg }: VerificationKey): boolean {
  try {
    jwt.verify(text, key, { algorithms: [alg], ignoreExpiration: true, ignoreNotBefore: true });
    return true;
  } catch {
    return false;
  }
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
