import { readMessage, type WebhookMessage } from '../message/read-message.ts';
import type { Verification, VerifyTools, WebhookDescription, WebhookRequest } from '../message/webhook.ts';
import { equalBytes } from './signature-bytes.ts';
import { refuse } from './signature-values.ts';
import { verifyHash } from './verify-hash.ts';
import { verifyJwtWithFetchedKey, verifyJwtWithSecrets } from './verify-jwt.ts';
import { verifyWithFetchedKey, verifyWithStoredKeys } from './verify-public-key.ts';

type Described = Pick<WebhookDescription, 'signature' | 'payload'>;

/**
 * Whether the provider sent this webhook. `secrets`: newest first; every one that is valid at the time. Never throws for
 * what a sender can do; throws what `tools.fetchKey` throws.
 */
export async function verifyWebhook(
  description: Described,
  request: WebhookRequest,
  secrets: readonly string[],
  tools: VerifyTools,
): Promise<Verification> {
  const { signature } = description;
  const message = readMessage(request, description.payload);
  if (signature.scheme === 'public-key' && signature.key !== undefined) {
    return verifyWithFetchedKey(signature, message, secrets, tools);
  }
  if (signature.scheme === 'jwt' && signature.key !== undefined) {
    return verifyJwtWithFetchedKey(signature, message, secrets, tools);
  }
  return verifyMessage(description, message, secrets, tools.now());
}

/** Whether the key to verify with is at an address of the provider. */
export function needsFetchedKey({ signature }: Pick<Described, 'signature'>): boolean {
  return (signature.scheme === 'public-key' || signature.scheme === 'jwt') && signature.key !== undefined;
}

/** Verifies what needs no key from elsewhere; a scheme that does is refused. */
export function verifyMessage(
  { signature, payload }: Described,
  message: WebhookMessage,
  secrets: readonly string[],
  nowMs: number,
): Verification {
  switch (signature.scheme) {
    case 'hmac':
    case 'digest':
      return verifyHash(signature, message, secrets, nowMs, payload);
    case 'public-key':
      return verifyWithStoredKeys(signature, message, secrets, nowMs);
    case 'jwt':
      return verifyJwtWithSecrets(signature, message, secrets, nowMs);
    case 'token':
      return verifyToken(signature, message, secrets);
    case 'basic':
      return verifyBasic(message, secrets);
    case 'none':
      return { ok: true, secretIndex: 0, signedAt: null };
  }
}

function verifyToken(
  { at, prefix = '' }: { readonly at: string; readonly prefix?: string | undefined },
  message: WebhookMessage,
  secrets: readonly string[],
): Verification {
  const values = message.readAll(at);
  if (values === undefined) return refuse('malformed');
  if (values.length === 0) return refuse('missing');
  if (values.some((value) => !value.startsWith(prefix))) return refuse('malformed');
  const given = values.map((value) => Buffer.from(value.slice(prefix.length)));
  return findEqual(given, secrets);
}

/** RFC 7617: the scheme's name in any case, then Base64 of user and password. */
function verifyBasic(message: WebhookMessage, secrets: readonly string[]): Verification {
  const given = message.read('header:authorization');
  if (given.state !== 'found') return refuse(given.state === 'missing' ? 'missing' : 'malformed');
  const [, base64] = /^basic +([A-Za-z0-9+/]{1,8000}={0,2})$/i.exec(given.text) ?? [];
  return base64 === undefined ? refuse('malformed') : findEqual([Buffer.from(base64, 'base64')], secrets);
}

/** The secret that all the given values are. */
function findEqual(given: readonly Buffer[], secrets: readonly string[]): Verification {
  const known = secrets.map((secret) => Buffer.from(secret));
  if (known.every(({ length }) => length === 0)) return refuse('no_secret');
  const secretIndex = known.findIndex(
    (secret) => secret.length > 0 && given.every((value) => equalBytes(value, secret)),
  );
  return secretIndex < 0 ? refuse('mismatch') : { ok: true, secretIndex, signedAt: null };
}
