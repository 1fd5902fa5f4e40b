import { HttpError } from '../http/errors.ts';
import { assertMessage } from '../http/message-rules.ts';
import type { ProxyLimits } from './contract.ts';
import type { RequestFields } from './request-fields.ts';
import { readRetryCount } from './retry.ts';

/** What the request line and the header section say about the message itself, checked. */
export type Intake = {
  readonly retries: number;
  /** What `Gateway-Timeout` asks for. */
  readonly timeoutSeconds: number | undefined;
  readonly isRewritingLinks: boolean;
  /** The caller asks for `Gateway-Timing` in the answer. */
  readonly isTimingWanted: boolean;
  readonly hasBody: boolean;
  /** `Content-Length` in bytes; undefined for a chunked body and for none. */
  readonly announcedBytes: number | undefined;
};

type Limits = Pick<ProxyLimits, 'requestBodyBytesMax' | 'timeoutSecondsMax'>;

/** Checks all that needs no look-up. Throws the refusal. */
export function checkRequest(
  request: { readonly method: string; readonly httpVersion: string },
  fields: RequestFields,
  { requestBodyBytesMax, timeoutSecondsMax }: Limits,
): Intake {
  if (request.method === 'TRACE' || request.method === 'CONNECT') throw methodNotAllowedError();
  if (fields.upgrade !== undefined && /(?:^|[\s,])upgrade\s*(?:,|$)/i.test(fields.connection ?? '')) {
    throw new HttpError('upgrade_not_supported');
  }
  const { hostCount, host, transferEncoding, contentLength } = fields;
  assertMessage({ httpVersion: request.httpVersion, hostCount, host, transferEncoding });
  const announcedBytes = contentLength === undefined ? undefined : Number(contentLength);
  if (announcedBytes !== undefined && announcedBytes > requestBodyBytesMax)
    throw bodyTooLargeError(requestBodyBytesMax);
  const hasBody = transferEncoding !== undefined || (announcedBytes !== undefined && announcedBytes > 0);
  return {
    retries:
      readRetryCount(fields.gatewayRetry) ?? refuseField('gateway-retry', 'must be a number from 0 to 5'),
    timeoutSeconds: readTimeout(fields.gatewayTimeout, timeoutSecondsMax),
    isRewritingLinks: readSwitch('gateway-rewrite-links', fields.gatewayRewriteLinks),
    isTimingWanted: readSwitch('gateway-timing', fields.gatewayTiming),
    hasBody,
    announcedBytes,
  };
}

function readTimeout(field: string | undefined, secondsMax: number): number | undefined {
  if (field === undefined) return undefined;
  const seconds = /^\d{1,6}$/.test(field) ? Number(field) : 0;
  if (seconds >= 1 && seconds <= secondsMax) return seconds;
  return refuseField('gateway-timeout', `must be a whole number of seconds from 1 to ${secondsMax}`);
}

function readSwitch(name: string, field: string | undefined): boolean {
  if (field === undefined || field === 'false') return false;
  return field === 'true' || refuseField(name, 'must be true or false');
}

function refuseField(name: string, message: string): never {
  throw new HttpError('invalid_request', { errors: [{ path: `headers.${name}`, message }] });
}

/** RFC 9110 section 9.3.8: a final recipient of TRACE would reflect the credential. */
export function methodNotAllowedError(): HttpError {
  return new HttpError('method_not_allowed', {
    headers: { Allow: 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS' },
  });
}

export function bodyTooLargeError(bodyBytesMax: number): HttpError {
  return new HttpError('body_too_large', {
    detail: `The request body is larger than ${bodyBytesMax} bytes.`,
  });
}
