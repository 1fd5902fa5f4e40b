import { type ErrorEntry, permanent, retryable } from './entry.ts';

/** Webhooks, providers, and the gateway itself. */
export const SERVICE_ERRORS = {
  // Webhooks
  signature_invalid: permanent(
    401,
    'Signature invalid',
    'The webhook is not signed by the provider with a secret of this integration, or it is too old.',
    'Compare the webhook secret of the integration (for some providers the client secret) with the one at the provider, and the clock of the sender.',
  ),
  webhook_malformed: permanent(
    400,
    'Webhook malformed',
    'The body is not what the provider sends.',
    'Send the body as the provider documents it.',
  ),
  webhook_address_not_found: permanent(
    404,
    'Webhook address not found',
    'No integration or connection receives webhooks at this address.',
    'Register the address that `webhookUrl` of the integration shows, or the one of a subscription where the provider registers one for each account.',
  ),
  webhook_receipt_not_found: permanent(
    404,
    'Webhook receipt not found',
    'No webhook with this id is kept.',
    'List the receipts of the integration; they are kept for some days.',
  ),
  webhook_not_replayable: permanent(
    409,
    'Webhook cannot be replayed',
    'The webhook was rejected: nothing shows that the provider sent it.',
    'Correct the reason of the rejection and let the provider send the webhook again.',
  ),
  subscription_not_found: permanent(
    404,
    'Subscription not found',
    'The integration has no such subscription.',
    'List the subscriptions of the integration and check the id.',
  ),

  // Upstream
  upstream_unreachable: retryable(
    502,
    'Provider unreachable',
    'No connection to the provider could be made.',
    'Try again later; if it persists, check the status page of the provider.',
  ),
  upstream_paused: retryable(
    503,
    'Provider paused',
    'No connection to the provider could be made several times in a row; for some seconds none is tried.',
    'Wait for the seconds in `Retry-After`: the gateway tries again by itself. If it persists, check the address of the connection and the status page of the provider.',
  ),
  upstream_invalid_response: retryable(
    502,
    'Invalid answer from the provider',
    'The provider sent something that is not a valid HTTP response.',
    'Try again later; if it persists, report it to the provider.',
  ),
  integration_misconfigured: permanent(
    502,
    'Integration misconfigured',
    'The provider refused the client credentials of the integration.',
    'An operator must compare client id, client secret, redirect URL, scopes and variables of the integration with the app at the provider.',
  ),
  client_certificate_refused: permanent(
    502,
    'Client certificate refused',
    'The provider refused the client certificate in the TLS handshake, or wants one and got none.',
    'Give the integration, or the connection by connecting again, a certificate that the provider has issued or registered, with its whole chain, and that has not expired.',
  ),
  upstream_timeout: retryable(
    504,
    'Provider timed out',
    'The provider did not answer in time. It may have processed the request.',
    'Repeat the request if it is safe to repeat; `Gateway-Timeout` asks for more time.',
  ),
  loop_detected: permanent(
    508,
    'Loop detected',
    'The call has been through this gateway before: the API address of a provider leads back to it.',
    'Correct the API address of the provider: it must not be an address of the gateway.',
  ),

  // The gateway itself
  http_version_not_supported: permanent(
    505,
    'HTTP version not supported',
    'The request is neither HTTP/1.1 nor HTTP/1.0.',
    'Send HTTP/1.1.',
  ),
  internal_error: retryable(
    500,
    'Internal error',
    'The gateway failed to handle this request.',
    'Try again; if it persists, give the operator the `requestId`.',
  ),
  vault_error: permanent(
    500,
    'Stored credentials unreadable',
    'Sealed credentials could not be opened.',
    'An operator must check ENCRYPTION_KEYS and the log for this `requestId`.',
  ),
  overloaded: retryable(
    503,
    'Overloaded',
    'The gateway has too much work at the moment.',
    'Wait for the seconds in `Retry-After` and try again.',
  ),
  shutting_down: retryable(
    503,
    'Shutting down',
    'This gateway process is about to stop.',
    'Try again; another process will answer.',
  ),
  not_ready: retryable(
    503,
    'Not ready',
    'This gateway process does not serve requests yet, or no longer.',
    'Wait; if it persists, `/readyz` names the check that fails.',
  ),
  store_unavailable: retryable(
    503,
    'Store unavailable',
    'The database of the gateway cannot be reached.',
    'Try again in a few seconds.',
  ),
  key_set_unavailable: retryable(
    503,
    'Key set unavailable',
    'The key set of the identity provider that issues these tokens cannot be fetched.',
    'Try again in some seconds; if it persists, see whether the JWKS address of the signing key answers.',
  ),
  refresh_unavailable: retryable(
    503,
    'Token refresh unavailable',
    'The access token has expired, and the provider does not give a new one at the moment.',
    'Wait for the seconds in `Retry-After` and try again; the connection itself is intact.',
  ),
} as const satisfies Record<string, ErrorEntry>;
