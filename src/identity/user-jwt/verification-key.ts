import type { KeyObject } from 'node:crypto';

/** The only algorithms; no HMAC, since a shared secret would let the gateway and its database forge users. */
export const USER_TOKEN_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
] as const;

export type UserTokenAlgorithm = (typeof USER_TOKEN_ALGORITHMS)[number];

/** A public key and everything that a token must say to be verified with it. */
export type VerificationKey = {
  /** The same text for the same key under the same conditions, whenever it was loaded. */
  readonly identity: string;
  readonly kid: string | null;
  readonly alg: UserTokenAlgorithm;
  readonly key: KeyObject;
  /** What `iss` must be; null: it is not looked at. */
  readonly issuer: string | null;
  /** What `aud` must be or contain; null: the project id. */
  readonly audience: string | null;
  /** The gateway alone has its private half, and mints tokens of operators' test users with it. */
  readonly isManaged: boolean;
};
