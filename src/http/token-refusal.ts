/** Why a user token was refused: for the operators of its project. Callers learn of expiry and revocation alone. */
export const TOKEN_FAULTS = [
  'not_a_jwt',
  'header_refused',
  'algorithm',
  'unknown_kid',
  'signature',
  'audience',
  'issuer',
  'subject',
  'subject_reserved',
  'organization',
  'no_expiry',
  'lifetime',
  'issued_in_future',
  'not_yet_valid',
  'expired',
  'unrelated',
] as const;

export type TokenFault = (typeof TOKEN_FAULTS)[number];

export type TokenRefusal = {
  readonly fault: TokenFault;
  /** Whether one of the project's keys signed the token: strangers cannot make such tokens. */
  readonly isSigned: boolean;
};
