import { createHash, randomBytes } from 'node:crypto';

/** The first characters of a token that may be shown in lists, prefix included. */
const VISIBLE_LENGTH = 12;

/** A random token of the gateway's own (an API key, a link, a completion code), shown once, and what may be stored of it. */
export type NewOpaqueToken = {
  readonly token: string;
  readonly visiblePrefix: string;
  readonly hash: Buffer;
};

/** `prefix` (such as `igk_`) followed by 43 base64url characters: 256 bits, no punctuation that a shell would touch. */
export function createOpaqueToken(prefix: string): NewOpaqueToken {
  const token = `${prefix}${randomBytes(32).toString('base64url')}`;
  return { token, visiblePrefix: token.slice(0, VISIBLE_LENGTH), hash: sha256(token) };
}

/** SHA-256 of a high-entropy token; enough for look-up by hash, no slow hash needed. */
export function sha256(value: string): Buffer {
  return createHash('sha256').update(value, 'utf8').digest();
}
