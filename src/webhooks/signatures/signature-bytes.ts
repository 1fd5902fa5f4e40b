import { createHash, timingSafeEqual } from 'node:crypto';
import type { SignatureEncoding } from '../../catalog/schema/webhook-signature.schema.ts';

/** The bytes of a signature as it is written; undefined where it is not written so. */
export function decodeSignature(text: string, encoding: SignatureEncoding): Buffer | undefined {
  switch (encoding) {
    case 'hex':
    case 'upper-hex':
      return decodeHex(text);
    case 'base64':
      return decodeBase64(text);
    case 'base64-of-hex': {
      const hex = decodeBase64(text);
      return hex === undefined ? undefined : decodeHex(hex.toString('latin1'));
    }
  }
}

/** A signature as a provider writes it. */
export function encodeSignature(bytes: Buffer, encoding: SignatureEncoding): string {
  const hex = bytes.toString('hex');
  if (encoding === 'hex') return hex;
  if (encoding === 'upper-hex') return hex.toUpperCase();
  return encoding === 'base64' ? bytes.toString('base64') : Buffer.from(hex).toString('base64');
}

/** Bytes of a hexadecimal text; undefined where it is none. */
export function decodeHex(text: string): Buffer | undefined {
  const isHex = text.length % 2 === 0 && /^[0-9A-Fa-f]+$/.test(text);
  return isHex ? Buffer.from(text, 'hex') : undefined;
}

/** Bytes of a Base64 text in its one canonical form; undefined for every other text. */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length > 0 && bytes.toString('base64') === text ? bytes : undefined;
}

/** Compares in a time that depends on the number of the expected bytes alone. */
export function equalBytes(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}

type KeyForm = {
  readonly keyEncoding?: 'text' | 'hex' | 'base64' | 'standard-webhooks' | undefined;
  readonly keyDigest?: 'sha1' | 'sha256' | undefined;
  readonly keyAfterColon?: true | undefined;
};

/** The key that a secret, as it is stored, stands for; undefined where the secret is not of the form. */
export function decodeSecretKey(secret: string, form: KeyForm): Buffer | undefined {
  const text = form.keyAfterColon ? secret.slice(secret.indexOf(':') + 1) : secret;
  const key = decodeKey(text, form.keyEncoding ?? 'text');
  if (key === undefined || key.length === 0) return undefined;
  return form.keyDigest === undefined ? key : createHash(form.keyDigest).update(key).digest();
}

function decodeKey(text: string, encoding: NonNullable<KeyForm['keyEncoding']>): Buffer | undefined {
  if (encoding === 'text') return Buffer.from(text);
  if (encoding === 'hex') return decodeHex(text);
  const base64 = encoding === 'standard-webhooks' ? text.replace(/^(?:v1,)?whsec_/, '') : text;
  return /^[A-Za-z0-9+/]+={0,2}$/.test(base64) ? Buffer.from(base64, 'base64') : undefined;
}
