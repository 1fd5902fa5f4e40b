import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  type ErrorCode,
  HttpError,
  type ProblemContext,
  problem,
  problemHeaders,
  sendProblemEarly,
} from '../http/errors.ts';
import { newId } from '../lib/ids.ts';
import { isWritten } from './end-response.ts';
import { exchangeErrorCode } from './failures.ts';
import type { NewestResponses } from './newest-responses.ts';
import { beginCallProblem, callProblem, callProblemHeaders } from './problem.ts';
import { refuseCall } from './proxy.router.ts';
import { readTarget } from './target.ts';

/** Connections that had something that is no HTTP on them: whatever follows on them says nothing more. */
const broken = new WeakSet<Duplex>();

/**
 * Answers what Node's parser refuses. The answers to earlier requests on the connection go out first; a request whose
 * body is at fault is answered itself, unless it has its answer already: then a second one would be taken for the answer
 * to the next request (RFC 9112 section 9.3).
 */
export function refuseBrokenRequest(
  error: Error,
  socket: Duplex,
  answers: NewestResponses,
  publicUrl: string,
): void {
  if (broken.has(socket)) return;
  broken.add(socket);
  const code = exchangeErrorCode(error);
  if (!socket.writable || code === 'ECONNRESET' || code === 'EPIPE') {
    socket.destroy();
    return;
  }
  const refusal = refusalOf(error, code);
  const open = answers.open(socket);
  if (open === undefined || open.req.complete) {
    const isCall = packetMatches(error, PROXY_TARGET);
    answers.whenOut(socket, () => writeProblem(socket, refusal, publicUrl, isCall));
  } else if (isWritten(open)) open.end();
  else if (open.headersSent) socket.destroy();
  else if (!refuseCall(open, refusal)) {
    const context = buildProblemContext(publicUrl);
    if (readTarget(open.req.url ?? '').kind === 'other') sendProblemEarly(open, refusal, context);
    else open.end(beginCallProblem(open, refusal, context));
  }
}

function refusalOf(error: Error, code: string): HttpError {
  if (code === 'HPE_HEADER_OVERFLOW' && packetMatches(error, LONG_REQUEST_LINE))
    return closingError('uri_too_long');
  if (code === 'HPE_INVALID_VERSION' && packetMatches(error, BARE_LINE_FEED))
    return closingError('invalid_request', 'A line ends with a line feed alone; HTTP wants CRLF.');
  if (packetMatches(error, SPACED_TARGET))
    return closingError('invalid_path', parserDetail('HPE_INVALID_URL'));
  return closingError(parserErrorCode(code), parserDetail(code));
}

function closingError(code: ErrorCode, detail?: string): HttpError {
  return new HttpError(code, { ...(detail !== undefined && { detail }), headers: { Connection: 'close' } });
}

/** Half of what request line and fields may have together: with less than that the fields are at fault. */
const LONG_REQUEST_LINE = /^[A-Z]+ [^\n]{8192}/;
/** A space or a line feed within the target: the parser takes it for its end and complains of what follows. */
const SPACED_TARGET = /^[A-Z]+ \/[^\s]*[ \n][^\r]* HTTP\/1\.[01]\r\n/;
/** The parser blames the version, since the end of its line is what it misses (RFC 9112 section 2.2). */
const BARE_LINE_FEED = /^[A-Z]+ [^\s]+ HTTP\/1\.[01]\n/m;
const PROXY_TARGET = /^[A-Z]+ \/projects\/[^/\s]{1,100}\/proxy\//;

/** Node's error does not say which part of the message is at fault; what it read last does. */
function packetMatches(error: Error, pattern: RegExp): boolean {
  const packet = 'rawPacket' in error ? error.rawPacket : undefined;
  return Buffer.isBuffer(packet) && pattern.test(packet.toString('latin1', 0, 9_000));
}

function parserErrorCode(code: string): ErrorCode {
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large';
  if (code === 'HPE_INVALID_VERSION') return 'http_version_not_supported';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  return code === 'HPE_INVALID_URL' ? 'invalid_path' : 'invalid_request';
}

function parserDetail(code: string): string | undefined {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return 'The request has 1,000 header fields or more, or its target, field names and values are larger than 16 KiB together.';
  }
  if (code === 'HPE_INVALID_URL') return 'The request target holds characters that no URI has.';
  if (code === 'HPE_INVALID_VERSION') return undefined;
  if (code === 'HPE_INVALID_EOF_STATE') return 'The connection was closed before the request was complete.';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'The header fields did not arrive in time.';
  return 'The request is not well-formed HTTP/1.1.';
}

/** Writes an answer without a response object, and ends the connection. `isCall`: to an address of the proxy. */
export function writeProblem(
  socket: Duplex | Socket,
  error: HttpError,
  publicUrl: string,
  isCall: boolean,
): void {
  const context = buildProblemContext(publicUrl);
  const content = isCall ? callProblem(error, context) : problem(error, context);
  const headers = isCall ? callProblemHeaders(error, context, undefined) : problemHeaders(error, context);
  const body = JSON.stringify(content);
  const lines = [
    `HTTP/1.1 ${error.status} ${content.title}`,
    ...Object.entries({ ...headers, Connection: 'close' }).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.on('error', () => {});
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

export function buildProblemContext(publicUrl: string): ProblemContext {
  return { requestId: newId(), publicUrl };
}
