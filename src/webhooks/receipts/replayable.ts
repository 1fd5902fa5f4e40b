import { VERIFIED_REASONS } from '../message/verified-reasons.ts';

/** Whether a receipt may be processed again: it was verified, and its whole body is kept. */
export function isReplayable(receipt: {
  readonly state: string;
  readonly reason: string | null;
  readonly isBodyCut: boolean;
}): boolean {
  const { state, reason, isBodyCut } = receipt;
  return !isBodyCut && (state !== 'rejected' || VERIFIED_REASONS.some((one) => one === reason));
}
