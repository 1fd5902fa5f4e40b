import type { KeyObject } from 'node:crypto';
import jwt, { type Algorithm, type JwtHeader } from 'jsonwebtoken';

type SigningRules = {
  readonly alg: Algorithm;
  readonly lifetimeSeconds: number;
  /** How far before `nowMs` the JWT says it was issued, for providers whose clocks are behind. */
  readonly issuedSecondsAgo: number;
};
type Content = {
  /** Claims beside `iat` and `exp`; one of these names replaces the one that is computed. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** Header parameters beside `alg`, which is always that of the rules. */
  readonly header: Readonly<Record<string, unknown>>;
};

/**
 * A signed JWT (RFC 7519) that lives from `nowMs` for the seconds of the rules. Undefined where the key is of another
 * kind than the algorithm, on another curve, or too short.
 */
export function signJwt(
  { alg, lifetimeSeconds, issuedSecondsAgo }: SigningRules,
  { claims, header }: Content,
  key: KeyObject | Buffer,
  nowMs: number,
): string | undefined {
  const now = Math.floor(nowMs / 1000);
  const payload = { iat: now - issuedSecondsAgo, exp: now + lifetimeSeconds, ...claims };
  const fullHeader: JwtHeader = { typ: 'JWT', ...header, alg };
  try {
    return jwt.sign(payload, key, { algorithm: alg, header: fullHeader });
  } catch {
    // The library throws for a key that does not fit the algorithm.
    return undefined;
  }
}
