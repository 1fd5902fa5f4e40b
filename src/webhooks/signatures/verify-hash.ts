import { createHash, createHmac } from 'node:crypto';
import type { WebhookPayload } from '../../catalog/schema/provider-webhooks.schema.ts';
import type { WebhookSignature } from '../../catalog/schema/webhook-signature.schema.ts';
import { findAll, findValue, parsePath, toText } from '../../lib/json-path.ts';
import type { WebhookMessage } from '../message/read-message.ts';
import type { Verification } from '../message/webhook.ts';
import { decodeSecretKey, decodeSignature, equalBytes } from './signature-bytes.ts';
import { judgeAge, readSignatures, readTimestamp, refuse } from './signature-values.ts';
import { buildFullUrl, collectParts, listUrlForms, type PartsContext } from './signed-parts.ts';

export type HashScheme = Extract<WebhookSignature, { scheme: 'hmac' | 'digest' }>;

/** Items of one webhook that are signed one by one. */
const ITEMS_MAX = 1_000;

/** Verifies an HMAC or a digest with a secret in it, with each of the secrets. */
export function verifyHash(
  scheme: HashScheme,
  message: WebhookMessage,
  secrets: readonly string[],
  nowMs: number,
  payload: Pick<WebhookPayload, 'items'>,
): Verification {
  if (scheme.scheme === 'hmac' && scheme.perItem) return verifyItems(scheme, message, secrets, payload);
  const values = readSignatures(message, scheme);
  if (!values.ok) return values;
  const given = decodeAll(values.signatures, scheme);
  if (given.length === 0) return refuse('malformed');
  // A timestamp in the body is read once the body is proven.
  const isInBody = scheme.timestamp?.at.startsWith('body:') ?? false;
  const isPart = scheme.signed.includes('{timestamp}');
  const before = isInBody && !isPart ? undefined : readTimestamp(message, scheme.timestamp, values.elements);
  if (before !== undefined && !before.ok) return before;
  const age = judgeAge(before?.text, scheme.timestamp, nowMs);
  if (!age.ok) return age;
  const context = { message, timestamp: before?.text, elements: values.elements };
  const secretIndex = findSecret(scheme, secrets, context, given);
  if (typeof secretIndex !== 'number') return secretIndex;
  if (before !== undefined) return { ok: true, secretIndex, signedAt: age.signedAt };
  const after = readTimestamp(message, scheme.timestamp, values.elements);
  if (!after.ok) return after;
  const judged = judgeAge(after.text, scheme.timestamp, nowMs);
  return judged.ok ? { ok: true, secretIndex, signedAt: judged.signedAt } : judged;
}

function decodeAll(texts: readonly string[], { encoding }: Pick<HashScheme, 'encoding'>): Buffer[] {
  return texts.map((text) => decodeSignature(text, encoding)).filter((bytes) => bytes !== undefined);
}

type Context = Omit<PartsContext, 'secret' | 'url'>;

/** The index of the secret with which one of the given signatures is right, or the refusal. */
function findSecret(
  scheme: HashScheme,
  secrets: readonly string[],
  context: Context,
  given: readonly Buffer[],
): number | { readonly ok: false; readonly reason: 'missing' | 'malformed' | 'mismatch' | 'no_secret' } {
  const urls = listUrlForms(buildFullUrl(context.message.request), scheme.urlDecoded);
  let reason: 'malformed' | 'mismatch' | 'no_secret' = 'no_secret';
  for (const [index, secret] of secrets.entries()) {
    for (const url of urls) {
      const expected = computeHash(scheme, { ...context, secret, url });
      if (expected === 'no_key') continue;
      if (expected === 'no_part') return { ok: false, reason: 'missing' };
      reason = 'mismatch';
      if (given.every(({ length }) => length !== expected.length)) return { ok: false, reason: 'malformed' };
      if (given.some((bytes) => equalBytes(bytes, expected))) return index;
    }
  }
  return { ok: false, reason };
}

type Computable = Pick<HashScheme, 'scheme' | 'hash' | 'signed'> & Parameters<typeof decodeSecretKey>[1];

/** The HMAC or digest of the parts; what is missing where it cannot be computed. */
export function computeHash(scheme: Computable, context: PartsContext): Buffer | 'no_key' | 'no_part' {
  const key = scheme.scheme === 'hmac' ? decodeSecretKey(context.secret, scheme) : undefined;
  if ((scheme.scheme === 'hmac' && key === undefined) || context.secret === '') return 'no_key';
  const parts = collectParts(scheme.signed, context);
  if (parts === undefined) return 'no_part';
  const hash = key === undefined ? createHash(scheme.hash) : createHmac(scheme.hash, key);
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** Every item carries its own signature; all have to be right, with one and the same secret. */
function verifyItems(
  scheme: HashScheme,
  message: WebhookMessage,
  secrets: readonly string[],
  payload: Pick<WebhookPayload, 'items'>,
): Verification {
  const [path = '.'] = [payload.items ?? []].flat();
  const items = findAll(message.json(), parsePath(path), ITEMS_MAX);
  if (items === undefined) return refuse('malformed');
  if (items.length === 0) return refuse('missing');
  const signatures = items.map((item) => readItemSignature(item, scheme));
  if (signatures.includes(undefined)) return refuse('missing');
  let first: number | undefined;
  for (const [index, item] of items.entries()) {
    const given = decodeAll([signatures[index] ?? ''], scheme);
    if (given.length === 0) return refuse('malformed');
    const usable = first === undefined ? secrets : secrets.slice(first, first + 1);
    const found = findSecret(scheme, usable, { message, timestamp: undefined, elements: [], item }, given);
    if (typeof found !== 'number') return found;
    first ??= found;
  }
  return { ok: true, secretIndex: first ?? 0, signedAt: null };
}

function readItemSignature(item: unknown, { at }: Pick<HashScheme, 'at'>): string | undefined {
  return toText(findValue(item, parsePath(at.slice('body:'.length)))?.value);
}
