import type { RequestHandler } from 'express';
import { HttpError } from './errors.ts';

/** What says which message this is and whom it is for. */
export type MessageHead = {
  readonly httpVersion: string;
  readonly hostCount: number;
  /** The first `Host`. */
  readonly host: string | undefined;
  /** Its values, joined by commas. */
  readonly transferEncoding: string | undefined;
};

/** RFC 9110 section 7.2: a name or an address as in a URI, and a port; no user, path or second colon. */
const HOST = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d{0,5})?$/i;

/** RFC 9112 section 6.1 and what Node lets pass: `HTTP/0.9` and `HTTP/2.0` are no versions of this syntax. */
const VERSIONS: ReadonlySet<string> = new Set(['1.0', '1.1']);

/**
 * Throws `http_version_not_supported` or `invalid_request`, both of which end the connection, unless the message is
 * HTTP/1.1 or 1.0 with one well-formed Host, which 1.0 may leave out (RFC 9112 section 3.2), and with a framing that its
 * version has. Node's own check lets two Hosts pass, and its refusal is no problem reply.
 */
export function assertMessage({ httpVersion, hostCount, host, transferEncoding }: MessageHead): void {
  const isOld = httpVersion === '1.0';
  if (!VERSIONS.has(httpVersion)) {
    throw new HttpError('http_version_not_supported', { headers: CLOSE });
  }
  if (hostCount !== 1 && !(hostCount === 0 && isOld)) refuse('The request must have exactly one Host field.');
  if (host !== undefined && !HOST.test(host))
    refuse('The Host field is not a host name or address with a port.');
  // RFC 9112 section 6.1: such framing is faulty, and an intermediary that ignores it would see another body.
  if (transferEncoding === undefined) return;
  if (isOld) refuse('HTTP/1.0 has no transfer codings.');
  // Node's parser has taken the chunks apart; any coding inside them would be lost.
  if (transferEncoding.trim().toLowerCase() !== 'chunked')
    refuse('The only transfer coding that is understood is chunked.');
}

const CLOSE = { Connection: 'close' };

function refuse(detail: string): never {
  throw new HttpError('invalid_request', { detail, headers: CLOSE });
}

/** The same as a middleware. */
export const requireMessage: RequestHandler = ({ httpVersion, headersDistinct }, _response, next) => {
  assertMessage({
    httpVersion,
    hostCount: headersDistinct.host?.length ?? 0,
    host: headersDistinct.host?.[0],
    transferEncoding: headersDistinct['transfer-encoding']?.join(', '),
  });
  next();
};
