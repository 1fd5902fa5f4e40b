/** Asymmetric signatures of JWTs (RFC 7518 section 3.1) that a private key can make here. */
export const JWT_ALGORITHMS = [
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
