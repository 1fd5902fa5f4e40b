/** Reasons of rejected receipts whose signature fits something else. The second is kept with an id behind a colon. */
export const OTHER_SCHEME = 'signature_other_scheme';
export const OTHER_INTEGRATION = 'signature_other_integration';

/** Why a webhook without a fitting signature was refused where that says nothing of the secret: strangers send such. */
export const REASONS_OF_ANY_SENDER = [
  'signature_missing',
  'signature_malformed',
  'signature_expired',
] as const;

/** Whether a refusal may come of a wrong secret, of this side or of the provider's. */
export function concernsSecret(reason: string): boolean {
  return reason.startsWith('signature_') && !REASONS_OF_ANY_SENDER.some((known) => known === reason);
}

/** The reason as it is kept, apart from the integration that it names. */
export function splitReason(kept: string | null): {
  readonly reason: string | null;
  readonly signedForIntegrationId: string | null;
} {
  if (!kept?.startsWith(`${OTHER_INTEGRATION}:`)) return { reason: kept, signedForIntegrationId: null };
  return { reason: OTHER_INTEGRATION, signedForIntegrationId: kept.slice(OTHER_INTEGRATION.length + 1) };
}
