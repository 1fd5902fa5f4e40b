import type { KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';

export type UserTokenSigner = {
  /** The gateway's project: the token is good for this one only. */
  readonly projectId: string;
  /** EC P-256 private key whose public half is a signing key of the project. */
  readonly privateKey: KeyObject | string;
  /** Id that the gateway gave to that signing key. */
  readonly keyId: string;
};

/** Short, because a token cannot be taken back. The page simply asks for the next one. */
const LIFETIME_SECONDS = 10 * 60;

/**
 * The token by which the gateway knows your user: a JWT (RFC 7519) signed with ES256, whose subject is the user's id
 * in your own database. It is all that your backend has to do; provider credentials never come near it.
 */
export function signUserToken(userId: string, signer: UserTokenSigner): { token: string; expiresAt: string } {
  const issuedAtSeconds = Math.floor(Date.now() / 1000);
  const expiresAtSeconds = issuedAtSeconds + LIFETIME_SECONDS;
  const token = jwt.sign({ iat: issuedAtSeconds, exp: expiresAtSeconds }, signer.privateKey, {
    algorithm: 'ES256',
    keyid: signer.keyId,
    subject: userId,
    audience: signer.projectId,
  });
  return { token, expiresAt: new Date(expiresAtSeconds * 1000).toISOString() };
}
