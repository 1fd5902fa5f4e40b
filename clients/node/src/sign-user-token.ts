import { constants, createPrivateKey, KeyObject, sign } from 'node:crypto';

export type UserTokenAlgorithm =
  | 'ES256'
  | 'ES384'
  | 'ES512'
  | 'RS256'
  | 'RS384'
  | 'RS512'
  | 'PS256'
  | 'PS384'
  | 'PS512';

export type SignUserTokenInput = {
  /** PEM, or a key that was read before, which is faster. */
  readonly privateKey: string | KeyObject;
  /** The `kid` under which the public half is registered with the project. */
  readonly keyId: string;
  readonly projectId: string;
  /** Your own id of the user. */
  readonly userId: string;
  /** Lifetime in seconds: an hour by default, a day at most. */
  readonly expiresIn?: number;
  /** As registered. Elliptic keys have but one, which is the default; RS256 is the default of RSA keys. */
  readonly algorithm?: UserTokenAlgorithm;
};

const LIFETIME_SECONDS_MAX = 24 * 60 * 60;
const CURVES: Readonly<Record<string, UserTokenAlgorithm>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};

/**
 * A user token (RFC 7515, RFC 7519) for one of your users. Nothing goes over the network. Throws for a key or a lifetime
 * that the gateway would not take.
 */
export function signUserToken(input: SignUserTokenInput): string {
  const { privateKey, keyId, projectId, userId, expiresIn = 3600 } = input;
  if (!Number.isInteger(expiresIn) || expiresIn < 1 || expiresIn > LIFETIME_SECONDS_MAX) {
    throw new RangeError(`expiresIn must be 1 to ${LIFETIME_SECONDS_MAX} seconds`);
  }
  const key = privateKey instanceof KeyObject ? privateKey : createPrivateKey(privateKey);
  const algorithm = input.algorithm ?? defaultAlgorithm(key);
  const iat = Math.floor(Date.now() / 1000);
  const claims = { aud: projectId, sub: userId, iat, exp: iat + expiresIn };
  const text = `${part({ alg: algorithm, typ: 'JWT', kid: keyId })}.${part(claims)}`;
  return `${text}.${signature(text, key, algorithm)}`;
}

function defaultAlgorithm(key: KeyObject): UserTokenAlgorithm {
  if (key.asymmetricKeyType === 'rsa') return 'RS256';
  const algorithm = CURVES[key.asymmetricKeyDetails?.namedCurve ?? ''];
  if (algorithm === undefined) throw new TypeError('The key must be RSA, or EC on P-256, P-384 or P-521');
  return algorithm;
}

/** RFC 7518 sections 3.3 to 3.5. */
function signature(text: string, key: KeyObject, algorithm: UserTokenAlgorithm): string {
  const isPss = algorithm.startsWith('PS');
  const scheme = isPss
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    : { dsaEncoding: 'ieee-p1363' as const };
  return sign(`sha${algorithm.slice(2)}`, Buffer.from(text), { key, ...scheme }).toString('base64url');
}

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
