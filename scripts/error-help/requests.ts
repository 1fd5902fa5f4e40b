import type { REQUEST_ERRORS } from '../../src/http/error-tables/request.ts';
import type { SERVICE_ERRORS } from '../../src/http/error-tables/service.ts';
import type { HelpOf } from './help.ts';

export const REQUEST_HELP: HelpOf<keyof typeof REQUEST_ERRORS> = {
  invalid_request: [
    'caller',
    'request',
    'a misspelled member, a value of the wrong form, a client of a newer release',
  ],
  invalid_json: ['caller', 'request', 'a body that was cut, or a form in the place of JSON'],
  invalid_path: ['caller', 'call', 'an object’s name put into the path without percent-encoding'],
  invalid_callback: [
    'user',
    'connect',
    'a bookmarked or shortened address, a provider that answers by fragment',
  ],
  invalid_return_url: [
    'operator',
    'project',
    'a new environment of the application whose address was not registered',
  ],
  not_found: ['caller', 'request', 'a misspelled address, or an id of another project'],
  events_expired: ['caller', 'events', 'a reader that stood still for longer than events are kept'],
  method_not_allowed: [
    'caller',
    'request',
    'a wrong method, or a proxy in front that turns POST into GET on redirect',
  ],
  precondition_failed: ['caller', 'request', 'two persons, or two programs, that change the same thing'],
  body_too_large: [
    'caller',
    'call',
    'an upload beyond PROXY_REQUEST_BODY_BYTES_MAX, a management body beyond its limit',
  ],
  body_too_large_to_sign: ['caller', 'call', 'a large upload to a provider whose signature covers the body'],
  signed_body_not_supported: ['caller', 'call', 'a client of AWS with chunked signing switched on'],
  request_timeout: ['caller', 'request', 'a slow link, or a client that forgets to end its body'],
  uri_too_long: ['caller', 'request', 'filters or tokens in the query that belong into a body'],
  unsupported_media_type: ['caller', 'request', 'a client without `Content-Type`, or one that sends a form'],
  expectation_failed: ['caller', 'request', 'a header that a library adds by itself'],
  headers_too_large: ['caller', 'request', 'large cookies of the same site, a token with a long mandate'],
  upgrade_not_supported: ['caller', 'call', 'a client that opens a WebSocket to the provider'],
};

export const SERVICE_HELP: HelpOf<keyof typeof SERVICE_ERRORS> = {
  signature_invalid: [
    'operator',
    'webhooks',
    'a rotated webhook secret, a proxy in front that changes the body, a wrong clock, a forger',
  ],
  webhook_malformed: ['provider', 'webhooks', 'a new version of the provider’s webhooks, or another sender'],
  webhook_address_not_found: [
    'operator',
    'webhooks',
    'an address of a deleted integration that is still registered at the provider',
  ],
  webhook_receipt_not_found: ['caller', 'webhooks', 'a receipt older than seven days'],
  webhook_not_replayable: ['none', 'webhooks', 'a webhook that was refused for its signature'],
  subscription_not_found: ['caller', 'webhooks', 'a subscription that ended with its connection'],
  upstream_unreachable: [
    'provider',
    'call',
    'an outage, a name that does not resolve, a firewall, a private address without ALLOW_PRIVATE_NETWORKS',
  ],
  upstream_paused: [
    'provider',
    'call',
    'an outage of the provider, or an address of this project at which nothing answers; metrics count the pauses',
  ],
  upstream_invalid_response: [
    'provider',
    'call',
    'a load balancer of the provider that fails, or something else at its address',
  ],
  integration_misconfigured: [
    'operator',
    'integration',
    'a client secret that ended or was rotated at the provider',
  ],
  client_certificate_refused: [
    'operator',
    'integration',
    'a certificate that ended, or one of another environment',
  ],
  upstream_timeout: [
    'provider',
    'call',
    'a slow provider, or a call that takes longer than PROXY_FIRST_BYTE_TIMEOUT_MS',
  ],
  loop_detected: ['operator', 'call', 'a provider of the project whose API address is the gateway’s own'],
  http_version_not_supported: ['caller', 'request', 'a probe, or a client of HTTP/2 without TLS'],
  internal_error: [
    'operator',
    'gateway',
    'a fault of the gateway: the log line of the request id has the stack',
  ],
  vault_error: [
    'operator',
    'gateway',
    'a key that ENCRYPTION_KEYS lacks, a backup restored beside the wrong keys',
  ],
  overloaded: [
    'operator',
    'gateway',
    'too few processes for the load, or one party that takes its whole share',
  ],
  shutting_down: [
    'none',
    'gateway',
    'a restart whose balancer still sends requests: SHUTDOWN_DELAY_MS is too short',
  ],
  not_ready: ['operator', 'gateway', 'a start that waits for the store or for migrations'],
  store_unavailable: [
    'operator',
    'gateway',
    'a Postgres that is down or fails over, a pool that is exhausted, `max_connections` reached',
  ],
  key_set_unavailable: ['operator', 'token', 'an identity provider that is away, or whose address changed'],
  refresh_unavailable: [
    'provider',
    'connection',
    'a token endpoint that is away or refuses by rate; a refresh whose answer was lost',
  ],
};
