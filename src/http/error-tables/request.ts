import { type ErrorEntry, permanent, retryable } from './entry.ts';

/** The request itself. */
export const REQUEST_ERRORS = {
  invalid_request: permanent(
    400,
    'Invalid request',
    'The request has a missing, unknown or malformed parameter or member.',
    'Correct what `errors` lists; the API reference shows every parameter.',
  ),
  invalid_json: permanent(
    400,
    'Invalid JSON',
    'The request body is not well-formed JSON in UTF-8.',
    'Send one JSON value, encoded in UTF-8, without comments or trailing commas.',
  ),
  invalid_path: permanent(
    400,
    'Path refused',
    'The path holds dot-segments, backslashes, control characters or bytes outside ASCII, which providers rewrite.',
    'Percent-encode the path and leave out dot-segments and backslashes.',
  ),
  invalid_callback: permanent(
    400,
    'Invalid callback',
    'The authorization response lacks a parameter, or has one twice.',
    'Start the authorization again from the application.',
  ),
  invalid_return_url: permanent(
    400,
    'Return URL not registered',
    'The return URL is not one of the return URLs of the project.',
    'Add exactly this URL to `returnUrls` of the project, or send one that is listed there.',
  ),
  not_found: permanent(
    404,
    'Not found',
    'There is nothing at this address, or it belongs to somebody else.',
    'Check the address, the id, and that the credentials belong to the same project.',
  ),
  events_expired: permanent(
    410,
    'Events no longer kept',
    'The events after this id are partly older than what is kept, so that some may have been missed.',
    'Read on without `after`, from the oldest event that is kept, and synchronize again what may be missing.',
  ),
  method_not_allowed: permanent(
    405,
    'Method not allowed',
    'This address exists, but does not take this method.',
    'Use one of the methods in the `Allow` header.',
  ),
  precondition_failed: permanent(
    412,
    'Changed in the meantime',
    'The resource is no longer the version that `If-Match` names.',
    'Read the resource again, apply the change to what you get, and send its new `ETag` in `If-Match`.',
  ),
  body_too_large: permanent(
    413,
    'Body too large',
    'The request body is larger than the limit.',
    'Send less at a time; for proxied calls an operator can raise PROXY_REQUEST_BODY_BYTES_MAX.',
  ),
  body_too_large_to_sign: permanent(
    413,
    'Body too large to sign',
    'The provider wants the body signed, which needs all of it at once.',
    'Send less at a time. A client of AWS that sends X-Amz-Content-Sha256 with the SHA-256 of the body may send bodies of any length.',
  ),
  signed_body_not_supported: permanent(
    400,
    'Signed chunks not supported',
    'The client signed each chunk of the body with its own keys, which the provider would refuse.',
    'Have the client send the body in one piece, or its chunks unsigned (S3: payload signing or chunked encoding switched off).',
  ),
  request_timeout: retryable(
    408,
    'Request incomplete',
    'The request body did not arrive in time.',
    'Send the whole body without long pauses.',
  ),
  uri_too_long: permanent(
    414,
    'URI too long',
    'The request target is longer than the limit.',
    'Shorten the URL.',
  ),
  unsupported_media_type: permanent(
    415,
    'Unsupported media type',
    'The request body is not declared as JSON in UTF-8.',
    'Send `Content-Type: application/json` and encode the body in UTF-8.',
  ),
  expectation_failed: permanent(
    417,
    'Expectation not supported',
    'Only `Expect: 100-continue` is understood.',
    'Leave out the `Expect` header.',
  ),
  headers_too_large: permanent(
    431,
    'Header fields too large',
    'The header fields of the request are larger than the limit.',
    'Send fewer or shorter header fields.',
  ),
  upgrade_not_supported: permanent(
    501,
    'Upgrade not supported',
    'The proxy forwards plain HTTP requests; it does not switch to WebSocket or any other protocol.',
    'Call the provider with plain HTTP requests.',
  ),
} as const satisfies Record<string, ErrorEntry>;
