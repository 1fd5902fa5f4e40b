import { createHash, randomBytes } from 'node:crypto';

/** The first characters of a credential that may be shown in lists, prefix included. */
const VISIBLE_LENGTH = 12;

/** A credential with 256 random bits, shown once, and what may be kept of it. */
export type NewCredential = {
  readonly credential: string;
  readonly visiblePrefix: string;
  readonly hash: Buffer;
};

/** `prefix` (such as `igk_`) followed by 43 base64url characters: 256 bits, no punctuation that a shell would touch. */
export function createCredential(prefix: string): NewCredential {
  const credential = `${prefix}${randomBytes(32).toString('base64url')}`;
  return { credential, visiblePrefix: credential.slice(0, VISIBLE_LENGTH), hash: sha256(credential) };
}

/** SHA-256 of a high-entropy credential; enough for look-up by hash, no slow hash needed. */
export function sha256(value: string): Buffer {
  return createHash('sha256').update(value, 'utf8').digest();
}
