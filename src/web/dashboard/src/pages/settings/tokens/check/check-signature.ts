import { type Algorithm, readPem } from '../guess-algorithm.ts';
import type { ReadToken } from './read-token.ts';

/** A public key of the project, with what a token of it must say. */
export type CheckKey = {
  readonly kid: string | null;
  readonly alg: Algorithm;
  readonly publicKey: string;
  readonly issuer: string | null;
  /** Null: the project id. */
  readonly audience: string | null;
  /** The gateway alone has the private half. */
  readonly isManaged: boolean;
};

const CURVES = { '256': 'P-256', '384': 'P-384', '512': 'P-521' } as const;

/** Browsers give no cryptography to pages that came without TLS. */
export function canCheckSignatures(): boolean {
  return globalThis.crypto?.subtle !== undefined;
}

/** The one of these keys that signed the token. */
export async function findSigner(
  { signed, signature }: ReadToken,
  keys: readonly CheckKey[],
): Promise<CheckKey | undefined> {
  for (const key of keys) if (await isSignedBy(signed, signature, key)) return key;
  return undefined;
}

async function isSignedBy(
  signed: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
  { alg, publicKey }: CheckKey,
): Promise<boolean> {
  const der = readPem(publicKey);
  if (der === undefined) return false;
  const { imported, verified } = readParameters(alg);
  try {
    const key = await crypto.subtle.importKey('spki', der, imported, false, ['verify']);
    return await crypto.subtle.verify(verified, key, signature, signed);
  } catch {
    return false;
  }
}

/** RFC 7518 section 3 in the words of the Web Cryptography API. */
function readParameters(alg: Algorithm) {
  const size = alg.endsWith('256') ? '256' : alg.endsWith('384') ? '384' : '512';
  const hash = `SHA-${size}`;
  if (alg.startsWith('ES')) {
    const imported = { name: 'ECDSA', namedCurve: CURVES[size] };
    return { imported, verified: { name: 'ECDSA', hash } };
  }
  const name = alg.startsWith('PS') ? 'RSA-PSS' : 'RSASSA-PKCS1-v1_5';
  return { imported: { name, hash }, verified: { name, saltLength: Number(size) / 8 } };
}
