import { HttpError } from '../http/errors.ts';
import { assertHost } from '../http/host-field.ts';
import type { RequestFields } from './headers.ts';
import { readRetryCount } from './retry.ts';

/** What the request line and the header section say about the message itself, checked. */
export type Intake = {
  readonly retries: number;
  readonly hasBody: boolean;
  /** `Content-Length` in bytes; undefined for a chunked body and for none. */
  readonly announcedBytes: number | undefined;
};

/** Checks all that needs no look-up. Throws the refusal. */
export function checkRequest(
  request: { readonly method: string; readonly httpVersion: string },
  fields: RequestFields,
  bodyBytesMax: number,
): Intake {
  if (request.method === 'TRACE' || request.method === 'CONNECT') throw methodRefused();
  if (fields.upgrade !== undefined && /(?:^|[\s,])upgrade\s*(?:,|$)/i.test(fields.connection ?? '')) {
    throw new HttpError('upgrade_not_supported');
  }
  assertHost(request.httpVersion, fields.hostCount);
  // Node's parser has taken the chunks apart; any coding inside them would be lost (RFC 9112 section 6.1).
  if (fields.transferEncoding !== undefined && fields.transferEncoding.trim().toLowerCase() !== 'chunked') {
    throw new HttpError('invalid_request', {
      detail: 'The only transfer coding that is understood is chunked.',
    });
  }
  const retries = readRetryCount(fields.gatewayRetry);
  if (retries === undefined) {
    throw new HttpError('invalid_request', {
      errors: [{ path: 'headers.gateway-retry', message: 'must be a number from 0 to 5' }],
    });
  }
  const announcedBytes = fields.contentLength === undefined ? undefined : Number(fields.contentLength);
  if (announcedBytes !== undefined && announcedBytes > bodyBytesMax) throw bodyTooLarge(bodyBytesMax);
  const hasBody =
    fields.transferEncoding !== undefined || (announcedBytes !== undefined && announcedBytes > 0);
  return { retries, hasBody, announcedBytes };
}

/** RFC 9110 section 9.3.8: a final recipient of TRACE would reflect the credential. */
export function methodRefused(): HttpError {
  return new HttpError('method_not_allowed', {
    headers: { Allow: 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS' },
  });
}

export function bodyTooLarge(bodyBytesMax: number): HttpError {
  return new HttpError('body_too_large', {
    detail: `The request body is larger than ${bodyBytesMax} bytes.`,
  });
}
