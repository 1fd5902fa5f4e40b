/**
 * Why a webhook was rejected after its signature had been verified. All other reasons are of requests that a stranger may
 * have sent, so that one which stands not here is never replayed. The dashboard reads this table too.
 */
export const VERIFIED_REASONS = [
  'not_received_any_more',
  'key_gone',
  'not_split',
  'the body is not text in UTF-8',
  'the body is not text in UTF-8, or not the form that is expected',
  'the body is not JSON, or is nested too deep, or has too many values',
  'the body has more than 10000 events',
] as const;

export type VerifiedReason = (typeof VERIFIED_REASONS)[number];
