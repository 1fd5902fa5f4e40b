import { createHash, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { WebhookSignature } from '../../catalog/schema/webhook-signature.schema.ts';
import { isRecord } from '../../lib/is-record.ts';
import { isQuickToParse } from '../../lib/json-bounds.ts';
import { decodeUtf8, type WebhookMessage } from '../message/read-message.ts';
import type { Verification, VerifyTools } from '../message/webhook.ts';
import { buildKeyRequest, findKeyAddress, readKeyResponse, readPublicKey } from './public-keys.ts';
import { decodeSecretKey, decodeSignature, equalBytes } from './signature-bytes.ts';
import { refuse } from './signature-values.ts';
import { buildFullUrl } from './signed-parts.ts';

export type JwtScheme = Extract<WebhookSignature, { scheme: 'jwt' }>;

const TOKEN_LENGTH_MAX = 16 * 1024;
/** Of one that is the whole body, whose claims are the event. They are parsed before the signature can be judged. */
const BODY_TOKEN_LENGTH_MAX = 256 * 1024;
/** A provider's clock may be this far from ours. */
const CLOCK_TOLERANCE_SECONDS = 60;
const ISSUED_AHEAD_SECONDS_MAX = 300;

/** Verifies a JWT with the integration's secrets: a shared one, or the provider's public key. */
export function verifyJwtWithSecrets(
  scheme: JwtScheme,
  message: WebhookMessage,
  secrets: readonly string[],
  nowMs: number,
): Verification {
  const token = readToken(scheme, message);
  if (!token.ok) return token;
  let refusal: Verification = refuse('no_secret');
  for (const [secretIndex, secret] of secrets.entries()) {
    const isShared = scheme.algorithm === 'HS256';
    const key = isShared ? decodeSecretKey(secret, scheme) : readPublicKey(secret, nowMs);
    if (key === undefined) continue;
    const judged = judgeToken(scheme, message, token.text, { key, secret, nowMs });
    if (judged.ok) return { ...judged, secretIndex };
    refusal = judged;
  }
  return refusal;
}

/** Verifies a JWT with a key that the provider gives; a claim may have to be one of the integration's secrets. */
export async function verifyJwtWithFetchedKey(
  scheme: JwtScheme,
  message: WebhookMessage,
  secrets: readonly string[],
  { now, fetchKey }: VerifyTools,
): Promise<Verification> {
  const token = readToken(scheme, message);
  if (!token.ok) return token;
  const keyId = token.header.kid;
  const wanted = scheme.key ?? {};
  const url = findKeyAddress(wanted, keyId);
  const asking = buildKeyRequest(wanted, keyId);
  if (url === undefined || asking === undefined) return refuse('malformed');
  const needsSecret = Object.values(scheme.claims).includes('{secret}');
  if (needsSecret && secrets.length === 0) return refuse('no_secret');
  const key = readKeyResponse(await fetchKey(url, asking), { ...wanted, keyId, nowMs: now() });
  let judged: Verification = refuse('mismatch');
  if (key === undefined) return judged;
  for (const [secretIndex, secret] of (needsSecret ? secrets : ['']).entries()) {
    judged = judgeToken(scheme, message, token.text, { key, secret, nowMs: now() });
    if (judged.ok) return { ...judged, secretIndex };
  }
  return judged;
}

type Token = { readonly ok: true; readonly text: string; readonly header: jwt.JwtHeader };

function readToken(
  { at, prefix }: JwtScheme,
  message: WebhookMessage,
): Token | Extract<Verification, { ok: false }> {
  const given = at === 'body' ? readBodyText(message) : message.read(at);
  if (given.state !== 'found') return refuse(given.state === 'missing' ? 'missing' : 'malformed');
  const start = prefix === undefined ? '' : prefix.find((each) => given.text.startsWith(each));
  if (start === undefined) return refuse('malformed');
  const text = given.text.slice(start.length).trim();
  const isShort = text.length <= (at === 'body' ? BODY_TOKEN_LENGTH_MAX : TOKEN_LENGTH_MAX);
  const header = isShort && isQuickToDecode(text) ? readHeader(text) : undefined;
  return header === undefined ? refuse('malformed') : { ok: true, text, header };
}

/** Whether decoding the token holds up no other request: it may come from an attacker. */
function isQuickToDecode(token: string): boolean {
  const [header = '', claims = ''] = token.split('.', 2);
  return (
    header.length <= TOKEN_LENGTH_MAX && isQuickToParse(Buffer.from(claims, 'base64url').toString('utf8'))
  );
}

/** jsonwebtoken throws for a token whose claims are no JSON. */
function readHeader(token: string): jwt.JwtHeader | undefined {
  try {
    return jwt.decode(token, { complete: true })?.header;
  } catch {
    return undefined;
  }
}

function readBodyText({ request }: WebhookMessage): { state: 'found'; text: string } | { state: 'missing' } {
  const text = decodeUtf8(request.body)?.trim() ?? '';
  return text === '' ? { state: 'missing' } : { state: 'found', text };
}

function judgeToken(
  scheme: JwtScheme,
  message: WebhookMessage,
  token: string,
  { key, secret, nowMs }: { key: Buffer | KeyObject; secret: string; nowMs: number },
): Verification {
  const nowSeconds = Math.floor(nowMs / 1000);
  const audience = fill(scheme.audience, message);
  try {
    const claims = jwt.verify(token, key, {
      algorithms: [scheme.algorithm],
      clockTimestamp: nowSeconds,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      ...(scheme.issuer !== undefined && { issuer: scheme.issuer }),
      ...(audience !== undefined && { audience }),
      ...(scheme.maxAgeSeconds !== undefined && { maxAge: scheme.maxAgeSeconds }),
    });
    if (!isRecord(claims) || !areClaimsRight(scheme, message, secret, claims)) return refuse('mismatch');
    const issuedAt = typeof claims.iat === 'number' ? claims.iat : undefined;
    if (issuedAt !== undefined && issuedAt > nowSeconds + ISSUED_AHEAD_SECONDS_MAX) return refuse('expired');
    return { ok: true, secretIndex: 0, signedAt: issuedAt === undefined ? null : new Date(issuedAt * 1000) };
  } catch (error) {
    const isLate = error instanceof jwt.TokenExpiredError || error instanceof jwt.NotBeforeError;
    return refuse(isLate ? 'expired' : 'mismatch');
  }
}

function areClaimsRight(
  scheme: JwtScheme,
  message: WebhookMessage,
  secret: string,
  claims: Record<string, unknown>,
): boolean {
  const areEqual = Object.entries(scheme.claims).every(([name, expected]) => {
    const isSecret = expected === '{secret}';
    const wanted = isSecret ? secret : typeof expected === 'string' ? fill(expected, message) : expected;
    if (isSecret && secret === '') return false;
    return Object.hasOwn(claims, name) && claims[name] === wanted;
  });
  return areEqual && isBodyHashRight(scheme, message, claims);
}

function isBodyHashRight(
  { bodyHash }: JwtScheme,
  { request }: WebhookMessage,
  claims: Record<string, unknown>,
): boolean {
  if (bodyHash === undefined) return true;
  const given = claims[bodyHash.claim];
  const bytes = typeof given === 'string' ? decodeSignature(given, bodyHash.encoding) : undefined;
  return bytes !== undefined && equalBytes(bytes, createHash('sha256').update(request.body).digest());
}

function fill(template: string | undefined, { request }: WebhookMessage): string | undefined {
  return template?.replace('{url}', buildFullUrl(request)).replace('{endpoint}', request.url);
}
