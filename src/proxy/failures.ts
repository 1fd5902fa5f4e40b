import { errors } from 'undici';
import { HttpError } from '../http/errors.ts';
import { readErrorCode } from '../lib/error-code.ts';
import { FORBIDDEN_ADDRESS } from '../platform/address-guard.ts';
import { CLIENT_CERTIFICATE_UNUSABLE, findCertificateAlert } from '../platform/client-certificate.ts';
import { ANSWER_HEAD_BYTES_MAX } from '../platform/dispatcher.ts';

/** What our own timers find; everything else arrives as an error of a socket or a parser. */
export type TimeoutKind = 'connect' | 'queue' | 'first_byte' | 'idle' | 'caller_idle';

/** The refusal for a call that waited too long. `504` is the provider's slowness, the others are not (RFC 9110 15.6.5). */
export function timeoutError(kind: TimeoutKind): HttpError {
  switch (kind) {
    case 'queue':
      return new HttpError('overloaded', {
        detail: 'All connections to this provider stayed busy.',
        headers: { 'Retry-After': '1' },
      });
    case 'caller_idle':
      return new HttpError('request_timeout', {
        detail: 'The request body stopped arriving before it was complete.',
        headers: { Connection: 'close' },
      });
    case 'connect':
      return new HttpError('upstream_timeout', {
        detail: 'The connection to the provider was not made in time.',
      });
    default:
      return new HttpError('upstream_timeout');
  }
}

/** Errors of the clients' own checks on what we asked them to send. */
const OUR_REQUEST_IS_AT_FAULT: ReadonlySet<string> = new Set([
  'ERR_INVALID_CHAR',
  'ERR_INVALID_HTTP_TOKEN',
  'ERR_HTTP_INVALID_HEADER_VALUE',
  'ERR_UNESCAPED_CHARACTERS',
  'ERR_INVALID_URL',
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
]);

/** What undici's parser calls by a name of its own. Its assertions fail on a 101 that names no protocol. */
const UNDICI_REFUSES_ANSWER: ReadonlySet<string> = new Set([
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'ERR_ASSERTION',
]);
const HEAD_OVERFLOWS: ReadonlySet<string> = new Set(['HPE_HEADER_OVERFLOW', 'UND_ERR_HEADERS_OVERFLOW']);

/**
 * Whose fault an upstream failure is. The details name no host, path or address: they may hold a tenant's name.
 * A connection that closes without an answer counts as unreachable, since nothing invalid was received.
 * `hasCertificate`: a client certificate was shown.
 */
export function upstreamError(cause: unknown, { hasCertificate = false } = {}): HttpError {
  const code = exchangeErrorCode(cause);
  // Sockets, TLS and parsers always give a code: anything else is a fault of this program.
  if (code === '') return new HttpError('internal_error', { cause });
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return timeoutError('connect');
  if (HEAD_OVERFLOWS.has(code)) {
    return new HttpError('upstream_invalid_response', {
      detail: `The head of the provider’s answer is longer than ${ANSWER_HEAD_BYTES_MAX / 1024} KiB.`,
      cause,
    });
  }
  if (code.startsWith('HPE_') || UNDICI_REFUSES_ANSWER.has(code))
    return new HttpError('upstream_invalid_response', { cause });
  const alert = findCertificateAlert(cause);
  if (alert !== undefined) {
    return new HttpError('client_certificate_refused', {
      detail: `The provider ended the TLS handshake with the alert ${alert}.`,
      cause,
    });
  }
  if (code === CLIENT_CERTIFICATE_UNUSABLE) {
    return new HttpError('integration_misconfigured', {
      detail: 'The client certificate of the connection and its private key cannot be used together.',
      cause,
    });
  }
  if (code === FORBIDDEN_ADDRESS) {
    return new HttpError('upstream_unreachable', {
      detail:
        'The address of the provider is in a private network, and this gateway does not call private networks.',
      cause,
    });
  }
  if (OUR_REQUEST_IS_AT_FAULT.has(code)) {
    return new HttpError('integration_misconfigured', {
      detail: 'The address or the credential of the connection holds characters that HTTP cannot carry.',
      cause,
    });
  }
  if (isClosedConnection(cause)) {
    return new HttpError('upstream_unreachable', {
      detail: `The provider closed the connection without an answer.${hasCertificate ? MAY_BE_CERTIFICATE : ''}`,
      cause,
    });
  }
  return new HttpError('upstream_unreachable', { cause });
}

/** Some servers end the connection of a client that they do not take, and send no alert. */
const MAY_BE_CERTIFICATE = ' It may not take the client certificate.';

/** True for the signs of a connection that the other side closed. */
export function isClosedConnection(cause: unknown): boolean {
  const code = exchangeErrorCode(cause);
  return code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET';
}

/** What undici says of an answer that may not come here, such as a protocol that it did not ask for. */
const BAD_ANSWER = /^bad (?:response|upgrade)$/;

/** The `code` of a failed exchange, `''` when it has none. undici's parser errors come without theirs. */
export function exchangeErrorCode(cause: unknown): string {
  if (cause instanceof errors.HTTPParserError) return 'HPE_INVALID_RESPONSE';
  if (cause instanceof errors.SocketError && BAD_ANSWER.test(cause.message)) return 'HPE_INVALID_RESPONSE';
  return readErrorCode(cause) ?? '';
}
