import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto';
import { isRecord } from '../../lib/is-record.ts';
import { isUserTokenAlgorithm, KID } from '../user-jwt/user-jwt.ts';
import type { UserTokenAlgorithm } from '../user-jwt/verification-key.ts';

type ParsedPublicKey =
  | { readonly ok: true; readonly pem: string; readonly kid: string; readonly alg: UserTokenAlgorithm }
  | { readonly ok: false; readonly message: string };

const RSA_BITS_MIN = 2048;
/** Larger ones make every verification slow: with the usual exponent one takes 40 us at 2048 bits and 280 us at 8192. */
const RSA_BITS_MAX = 8192;
/** Usual is 65537. With 32 bits a verification takes twice as long, which only shorter keys may. */
const RSA_EXPONENT_MAX = 2n ** 32n;
const RSA_EXPONENT_OF_LONG_KEYS_MAX = 65_537n;
const RSA_BITS_LONG = 4096;
const CURVES: Readonly<Record<string, string>> = {
  ES256: 'prime256v1',
  ES384: 'secp384r1',
  ES512: 'secp521r1',
};
const ALGORITHM_OF_CURVE: Readonly<Record<string, UserTokenAlgorithm>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};
/** Members of RFC 7518 section 6 that only private and secret keys have. */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/**
 * Checks a public key that an operator pastes: PEM (SubjectPublicKeyInfo or PKCS#1), a JWK, or a JWK as text. A key
 * that passes can verify; `message` says what to change and never quotes the input. `pem` is normalised; `kid` is the
 * JWK's own, or else the RFC 7638 thumbprint.
 */
export function parsePublicKey(input: {
  readonly alg: string;
  readonly publicKey: unknown;
}): ParsedPublicKey {
  const { alg } = input;
  if (!isUserTokenAlgorithm(alg)) {
    return refuse('`alg` must be one of RS256, PS256, ES256 or their 384 and 512 forms.');
  }
  const publicKey = jwkText(input.publicKey);
  const kid = isRecord(publicKey) ? publicKey.kid : undefined;
  const fault = isRecord(publicKey) ? jwkFault(publicKey, alg) : pemFault(publicKey);
  if (fault) return refuse(fault);
  const key = isRecord(publicKey) ? keyOfJwk(publicKey) : keyOfPem(publicKey);
  if (!key) return refuse('The public key cannot be read; it may have lost characters when it was copied.');
  const weakness = keyFault(key, alg);
  if (weakness) return refuse(weakness);
  return {
    ok: true,
    alg,
    pem: key.export({ type: 'spki', format: 'pem' }).toString(),
    kid: typeof kid === 'string' ? kid : thumbprint(key),
  };
}

function refuse(message: string): ParsedPublicKey {
  return { ok: false, message };
}

/** A JWK that was pasted as text, as an object; everything else as it is. */
function jwkText(publicKey: unknown): unknown {
  if (typeof publicKey !== 'string' || !publicKey.trim().startsWith('{')) return publicKey;
  try {
    return JSON.parse(publicKey);
  } catch {
    return publicKey;
  }
}

function pemFault(publicKey: unknown): string | undefined {
  if (typeof publicKey !== 'string') return 'The public key must be PEM text or a JWK.';
  // Node would quietly take the public half out of a private key.
  if (/PRIVATE KEY/i.test(publicKey)) return PRIVATE;
  if (/BEGIN CERTIFICATE/.test(publicKey))
    return 'This is a certificate; paste the public key that is in it.';
  const isPem = /^\s*-----BEGIN (RSA )?PUBLIC KEY-----[\sA-Za-z0-9+/=]+-----END (RSA )?PUBLIC KEY-----\s*$/;
  return isPem.test(publicKey)
    ? undefined
    : 'The public key must be PEM (-----BEGIN PUBLIC KEY-----) or a JWK.';
}

const PRIVATE =
  'This is a private key. Paste the public key only, and replace this one if others could have seen it.';

function jwkFault(jwk: Record<string, unknown>, alg: UserTokenAlgorithm): string | undefined {
  if (jwk.kty === 'oct') return 'This is a shared secret; user tokens are verified with public keys only.';
  if (PRIVATE_MEMBERS.some((name) => Object.hasOwn(jwk, name))) return PRIVATE;
  if (jwk.alg !== undefined && jwk.alg !== alg) return '`alg` is not the algorithm that the JWK names.';
  if (jwk.use !== undefined && jwk.use !== 'sig') return 'The JWK is not meant for signatures (`use`).';
  if (jwk.kid !== undefined && !(typeof jwk.kid === 'string' && KID.test(jwk.kid))) {
    return 'The `kid` of the JWK must be 1 to 128 letters, digits or any of . _ - + / =';
  }
  return undefined;
}

/** Why a key must not verify tokens of this algorithm (RFC 7518 sections 3.3 to 3.5), or undefined. */
export function keyFault(key: KeyObject, alg: UserTokenAlgorithm): string | undefined {
  const { modulusLength = 0, publicExponent = 0n, namedCurve } = key.asymmetricKeyDetails ?? {};
  const curve = CURVES[alg];
  if (curve !== undefined) {
    return key.asymmetricKeyType === 'ec' && namedCurve === curve
      ? undefined
      : `${alg} needs an EC key on ${curve}.`;
  }
  if (key.asymmetricKeyType !== 'rsa') return `${alg} needs an RSA key.`;
  if (modulusLength < RSA_BITS_MIN) return `The RSA key has ${modulusLength} bits; at least 2048 are needed.`;
  if (modulusLength > RSA_BITS_MAX) return `The RSA key has ${modulusLength} bits; at most 8192 are taken.`;
  const exponentMax = modulusLength > RSA_BITS_LONG ? RSA_EXPONENT_OF_LONG_KEYS_MAX : RSA_EXPONENT_MAX;
  if (publicExponent > exponentMax) return 'The public exponent of the RSA key is too large; 65537 is usual.';
  return publicExponent < 3n ? 'The public exponent of the RSA key is too small.' : undefined;
}

/** The public key in a JWK, or undefined when it holds none. Never takes the public half out of a private key. */
export function keyOfJwk(jwk: Record<string, unknown>): KeyObject | undefined {
  if (jwk.kty !== 'RSA' && jwk.kty !== 'EC') return undefined;
  if (PRIVATE_MEMBERS.some((name) => Object.hasOwn(jwk, name))) return undefined;
  try {
    const names = jwk.kty === 'EC' ? ['kty', 'crv', 'x', 'y'] : ['kty', 'n', 'e'];
    const key: JsonWebKey = Object.fromEntries(names.map((name) => [name, jwk[name]]));
    return createPublicKey({ key, format: 'jwk' });
  } catch {
    return undefined;
  }
}

/** The key in a PEM text that `parsePublicKey` wrote, or undefined. */
export function keyOfPem(pem: unknown): KeyObject | undefined {
  if (typeof pem !== 'string') return undefined;
  try {
    return createPublicKey(pem.trim());
  } catch {
    return undefined;
  }
}

/** The algorithm to use where a JWK names none: RS256 for RSA, and the curve's own for EC. */
export function defaultAlgorithm(key: KeyObject): UserTokenAlgorithm | undefined {
  if (key.asymmetricKeyType === 'rsa') return 'RS256';
  return ALGORITHM_OF_CURVE[key.asymmetricKeyDetails?.namedCurve ?? ''];
}

/** SHA-256 thumbprint of a public key, base64url (RFC 7638 section 3). */
export function thumbprint(key: KeyObject): string {
  const { kty, crv, x, y, n, e } = key.export({ format: 'jwk' });
  // The required members in lexicographic order, without white space.
  const members = kty === 'EC' ? { crv, kty, x, y } : { e, kty, n };
  return createHash('sha256').update(JSON.stringify(members)).digest('base64url');
}

/** A new ES256 key pair with its thumbprint as `kid`. The private key is PKCS#8, for the vault only. */
export function generateManagedKey(): { kid: string; publicKeyPem: string; privateKeyPem: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    kid: thumbprint(publicKey),
    publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
