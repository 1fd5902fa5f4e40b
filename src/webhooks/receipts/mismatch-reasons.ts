/** Reasons of rejected receipts whose signature fits something else. The second is kept with an id behind a colon. */
export const OTHER_SCHEME = 'signature_other_scheme';
export const OTHER_INTEGRATION = 'signature_other_integration';

/** The reason as it is kept, apart from the integration that it names. */
export function splitReason(kept: string | null): {
  readonly reason: string | null;
  readonly signedForIntegrationId: string | null;
} {
  if (!kept?.startsWith(`${OTHER_INTEGRATION}:`)) return { reason: kept, signedForIntegrationId: null };
  return { reason: OTHER_INTEGRATION, signedForIntegrationId: kept.slice(OTHER_INTEGRATION.length + 1) };
}
