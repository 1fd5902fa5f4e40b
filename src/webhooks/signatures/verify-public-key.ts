import { type KeyObject, verify } from 'node:crypto';
import type { WebhookSignature } from '../../catalog/schema/webhook-signature.schema.ts';
import { findValue, parsePath, toText } from '../../lib/json-path.ts';
import { decodeUtf8, type WebhookMessage } from '../message/read-message.ts';
import type { Verification, VerifyTools } from '../message/webhook.ts';
import { buildKeyRequest, findKeyAddress, readKeyResponse, readPublicKey } from './public-keys.ts';
import { decodeBase64, decodeSignature } from './signature-bytes.ts';
import { judgeAge, readSignatures, readTimestamp, refuse } from './signature-values.ts';
import { buildFullUrl, collectParts } from './signed-parts.ts';

type PublicKeyScheme = Extract<WebhookSignature, { scheme: 'public-key' }>;

const NODE_ALGORITHM = {
  ed25519: null,
  'ecdsa-sha256': 'sha256',
  'ecdsa-sha1': 'sha1',
  'rsa-sha256': 'sha256',
} as const;
const KEY_TYPE = {
  ed25519: 'ed25519',
  'ecdsa-sha256': 'ec',
  'ecdsa-sha1': 'ec',
  'rsa-sha256': 'rsa',
} as const;

/** A signature that is read and of the right age, whose key is still wanted. */
export type PendingSignature = {
  readonly ok: true;
  readonly signature: Buffer;
  readonly timestamp: string | undefined;
  readonly signedAt: Date | null;
  readonly elements: readonly string[];
  /** The id of the key, or its certificate's address. */
  readonly keyId: string | undefined;
};

/** Everything of a public-key signature that can be judged without the key. */
function readPublicKeySignature(
  scheme: PublicKeyScheme,
  message: WebhookMessage,
  nowMs: number,
): PendingSignature | Extract<Verification, { ok: false }> {
  const values = readSignatures(message, scheme);
  if (!values.ok) return values;
  const timestamp = readTimestamp(message, scheme.timestamp, values.elements);
  if (!timestamp.ok) return timestamp;
  const age = judgeAge(timestamp.text, scheme.timestamp, nowMs);
  if (!age.ok) return age;
  const [given = ''] = values.signatures;
  const held = scheme.signaturePath === undefined ? undefined : parseBase64Json(given);
  const text = scheme.signaturePath === undefined ? given : readMember(held, scheme.signaturePath);
  const signature = decodeSignature(text ?? '', scheme.encoding);
  if (signature === undefined) return refuse('malformed');
  const { signedAt } = age;
  const pending = {
    ok: true as const,
    signature,
    timestamp: timestamp.text,
    signedAt,
    elements: values.elements,
  };
  const { idInSignature, idAt } = scheme.key ?? {};
  if (idInSignature !== undefined) return { ...pending, keyId: readMember(held, idInSignature) };
  if (idAt === undefined) return { ...pending, keyId: undefined };
  const id = message.read(idAt);
  if (id.state !== 'found') return refuse(id.state === 'missing' ? 'missing' : 'malformed');
  return { ...pending, keyId: id.text };
}

function parseBase64Json(base64: string): unknown {
  try {
    return JSON.parse(decodeUtf8(decodeBase64(base64) ?? Buffer.alloc(0)) ?? '');
  } catch {
    return undefined;
  }
}

function readMember(json: unknown, path: string): string | undefined {
  return toText(findValue(json, parsePath(path))?.value);
}

/** Verifies with the integration's own copies of the key. */
export function verifyWithStoredKeys(
  scheme: PublicKeyScheme,
  message: WebhookMessage,
  secrets: readonly string[],
  nowMs: number,
): Verification {
  const pending = readPublicKeySignature(scheme, message, nowMs);
  if (!pending.ok) return pending;
  const keys = secrets.map((secret) => readPublicKey(secret, nowMs));
  if (keys.every((key) => key === undefined)) return refuse('no_secret');
  const secretIndex = keys.findIndex(
    (key) => key !== undefined && isSignedBy(scheme, message, pending, key, ''),
  );
  return secretIndex < 0 ? refuse('mismatch') : { ok: true, secretIndex, signedAt: pending.signedAt };
}

/** Verifies with a key that the provider publishes. The secrets may be parts of what is signed. */
export async function verifyWithFetchedKey(
  scheme: PublicKeyScheme,
  message: WebhookMessage,
  secrets: readonly string[],
  { now, fetchKey }: VerifyTools,
): Promise<Verification> {
  const nowMs = now();
  const pending = readPublicKeySignature(scheme, message, nowMs);
  if (!pending.ok) return pending;
  const wanted = scheme.key ?? {};
  const url = findKeyAddress(wanted, pending.keyId);
  if (url === undefined) return refuse('malformed');
  const needsSecret = scheme.signed.includes('{secret}');
  if (needsSecret && secrets.length === 0) return refuse('no_secret');
  const asking = buildKeyRequest(wanted, pending.keyId);
  if (asking === undefined) return refuse('malformed');
  const answer = await fetchKey(url, asking);
  const keyId = wanted.url === undefined ? undefined : pending.keyId;
  const key = readKeyResponse(answer, { ...wanted, keyId, nowMs });
  if (key === undefined) return refuse('mismatch');
  const tried = needsSecret ? secrets : [''];
  const secretIndex = tried.findIndex((secret) => isSignedBy(scheme, message, pending, key, secret));
  return secretIndex < 0 ? refuse('mismatch') : { ok: true, secretIndex, signedAt: pending.signedAt };
}

function isSignedBy(
  scheme: PublicKeyScheme,
  message: WebhookMessage,
  { signature, timestamp, elements }: PendingSignature,
  key: KeyObject,
  secret: string,
): boolean {
  if (key.asymmetricKeyType !== KEY_TYPE[scheme.algorithm]) return false;
  const url = buildFullUrl(message.request);
  const parts = collectParts(scheme.signed, { message, timestamp, secret, url, elements });
  if (parts === undefined) return false;
  const signed = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  return verify(NODE_ALGORITHM[scheme.algorithm], signed, key, signature);
}
