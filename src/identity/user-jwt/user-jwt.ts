import { createPrivateKey } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { LRUCache } from 'lru-cache';
import type { TokenFault } from '../../http/token-refusal.ts';
import { entriesUpTo } from '../../lib/entries-up-to.ts';
import { newId } from '../../lib/ids.ts';
import type { MandateEntry } from '../../mandates/mandate.schema.ts';
import { buildMembershipClaims, type Membership } from '../../mandates/membership.ts';
import {
  buildActClaim,
  type ExchangeClaim,
  readTokenRights,
  type TokenRights,
} from '../../mandates/token-rights.ts';
import type { Actor } from '../../mandates/user-mandate.ts';
import { isReservedUserId } from '../../projects/texts.schema.ts';
import {
  CLOCK_SKEW_SECONDS,
  type Claims,
  type Issue,
  isMeantFor,
  type JsonObject,
  LIFETIME_SECONDS_MAX,
  readClaims,
} from './claims.ts';
import { findSigner } from './token-signature.ts';
import { USER_TOKEN_ALGORITHMS, type UserTokenAlgorithm, type VerificationKey } from './verification-key.ts';

export type TokenRefusal = 'invalid' | 'expired' | 'unknown_key';

export type TokenVerdict =
  | (Issue & {
      readonly verdict: 'valid';
      readonly subject: string;
      readonly membership: Membership | undefined;
      readonly expiresAtMs: number;
      readonly keyIdentity: string;
      readonly rights: TokenRights | undefined;
    })
  | { readonly verdict: TokenRefusal };

/** What can be said of a token before any signature is checked. */
export type Selection =
  | { readonly verdict: 'invalid' }
  | { readonly verdict: 'unknown_key' }
  /** One of these keys must have signed it; there may be none. */
  | { readonly verdict: 'undecided'; readonly claims: Claims; readonly keys: readonly VerificationKey[] };

type Context = { readonly projectId: string; readonly nowMs: number };

export const TOKEN_LENGTH_MAX = 8 * 1024;
/** For a token without `kid`. */
const KEYS_TRIED_MAX = 5;

/** A token whose form is right. Nothing in it is proved yet. */
export type UnprovenToken = {
  readonly text: string;
  readonly alg: UserTokenAlgorithm;
  readonly kid: string | undefined;
  readonly payload: JsonObject;
};

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
const headers = new LRUCache<string, Header>(entriesUpTo(HEADERS_MAX));

/**
 * Takes a compact JWS apart (RFC 7515 section 7.1) and checks its length and header; undefined when it cannot be a user
 * token. Costs no key work, so that garbage is cheap. Where a member stands twice, the last one counts, here as in
 * every later step.
 */
export function readUserToken(text: string): UnprovenToken | undefined {
  const token = parseUserToken(text);
  return typeof token === 'string' ? undefined : token;
}

/** The same, with what is wrong in the place of a token that cannot be one. */
export function parseUserToken(text: string): UnprovenToken | TokenFault {
  if (text.length > TOKEN_LENGTH_MAX || !THREE_PARTS.test(text)) return 'not_a_jwt';
  if (!text.split('.').every(isCanonical)) return 'not_a_jwt';
  const headerEnd = text.indexOf('.');
  const header = knownHeader(text.slice(0, headerEnd));
  if (typeof header === 'string') return header;
  const payload = readJsonObject(text.slice(headerEnd + 1, text.lastIndexOf('.')));
  return payload ? { text, alg: header.alg, kid: header.kid, payload } : 'not_a_jwt';
}

/**
 * Base64url in its one spelling: bits of the last character that belong to no byte are zero (RFC 4648 section 3.5). Else one
 * token would have several texts, each of them unknown to whatever knows tokens by their text.
 */
function isCanonical(part: string): boolean {
  const last = part.at(-1) ?? '';
  const extra = part.length % 4;
  if (extra === 2) return 'AQgw'.includes(last);
  return extra === 3 ? 'AEIMQUYcgkosw048'.includes(last) : extra === 0;
}

function knownHeader(part: string): Header | TokenFault {
  const known = headers.get(part);
  if (known) return known;
  const header = readHeader(part);
  // A copy: a slice would keep the whole token in memory.
  if (typeof header !== 'string' && part.length <= HEADER_LENGTH_MAX) {
    headers.set(Buffer.from(part).toString(), header);
  }
  return header;
}

function readHeader(part: string): Header | TokenFault {
  const header = readJsonObject(part);
  if (!header) return 'not_a_jwt';
  const { alg, kid, typ } = header;
  if (REFUSED_PARAMETERS.some((name) => Object.hasOwn(header, name))) return 'header_refused';
  if (typ !== undefined && !(typeof typ === 'string' && TYPES.test(typ))) return 'header_refused';
  if (kid !== undefined && !(typeof kid === 'string' && KID.test(kid))) return 'header_refused';
  return isUserTokenAlgorithm(alg) ? { alg, kid } : 'algorithm';
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
  if (typeof claims === 'string') return INVALID;
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
  const { subject, membership, jti, issuedAtMs } = claims;
  const rights = readTokenRights(token.payload);
  const { exchange } = rights ?? {};
  return {
    verdict: 'valid',
    subject,
    membership,
    expiresAtMs: claims.expiresAt * 1000,
    keyIdentity: key.identity,
    jti,
    // A token that was made of another one is as old as that one, so that revocations find both.
    issuedAtMs: exchange === undefined ? issuedAtMs : Math.min(issuedAtMs, exchange.iat * 1000),
    parentJtis: exchange?.jtis,
    rights,
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

/** The token would be longer than any that `readUserToken` takes. */
export class TokenTooLongError extends Error {
  constructor() {
    super(
      `The token would be longer than ${TOKEN_LENGTH_MAX} characters: keep what it may do as a named mandate (mandateId).`,
    );
  }
}

/**
 * A user token of the gateway's own making: ES256, with `sub`, `aud` = the project, `iat` and `exp`. `now` is in
 * milliseconds since the epoch. Throws a RangeError for a lifetime that no verifier would take (1 s to 24 h), and a
 * `TokenTooLongError`.
 */
export function signUserToken(input: {
  readonly privateKeyPem: string;
  readonly kid: string;
  readonly projectId: string;
  readonly subject: string;
  readonly expiresInSeconds: number;
  /** The claim of RFC 9396; undefined: the token may do what its user may. */
  readonly authorizationDetails?: readonly MandateEntry[] | undefined;
  /** Of a named mandate. */
  readonly mandateId?: string | undefined;
  /** Who acts for the user, the current actor first. */
  readonly actors?: readonly Actor[] | undefined;
  readonly exchange?: ExchangeClaim | undefined;
  /** Of the sign-in that the token is for. */
  readonly nonce?: string | undefined;
  readonly membership?: Membership | undefined;
  /** What the project makes tags of; none takes the place of a claim that is written here. */
  readonly tagClaims?: Readonly<Record<string, unknown>> | undefined;
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
  const claims = {
    ...input.tagClaims,
    ...{ sub: input.subject, aud: input.projectId, iat, exp, jti },
    ...buildMembershipClaims(input.membership),
    ...(input.authorizationDetails && { authorization_details: input.authorizationDetails }),
    ...(input.mandateId !== undefined && { gateway_mandate: input.mandateId }),
    ...(input.actors && { act: buildActClaim(input.actors) }),
    ...(input.exchange && { gateway_exchange: input.exchange }),
    ...(input.nonce !== undefined && { nonce: input.nonce }),
  };
  const options = { algorithm: 'ES256', keyid: input.kid } as const;
  const token = jwt.sign(claims, createPrivateKey(input.privateKeyPem), options);
  if (token.length > TOKEN_LENGTH_MAX) throw new TokenTooLongError();
  return { token, jti, expiresAt: new Date(exp * 1000) };
}

export function isUserTokenAlgorithm(value: unknown): value is UserTokenAlgorithm {
  return USER_TOKEN_ALGORITHMS.some((alg) => alg === value);
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A part of a token as a JSON object (RFC 7515 section 2); undefined where it is none. */
export function readJsonObject(part: string): JsonObject | undefined {
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
