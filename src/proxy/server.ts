import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  type ErrorCode,
  HttpError,
  type ProblemContext,
  problem,
  problemHeaders,
  sendProblem,
} from '../http/errors.ts';
import { newId } from '../lib/ids.ts';
import { errorCode } from './failures.ts';
import { methodRefused } from './intake.ts';
import { awaitContinue } from './proxy.router.ts';
import { readTarget } from './target.ts';

const HEADERS_TIMEOUT_MS = 10_000;
/** Longer than the idle time-out of the usual load balancers (60 s), so that they close first and never meet a dead one. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

/** For `http.createServer`. */
export const serverOptions = {
  /** Header section of a request; beyond it 431. */
  maxHeaderSize: 16 * 1024,
  /** How often Node looks for header sections that take too long; its own default is 30 s. */
  connectionsCheckingInterval: 1_000,
  /** Checked by the proxy, which can say what is wrong. */
  requireHostHeader: false,
  /** The parser's leniency is for broken peers; a proxy must not share it (RFC 9112 section 11.2). */
  insecureHTTPParser: false,
} as const satisfies ServerOptions;

export type HardenOptions = {
  readonly publicUrl: string;
  /** A connection on which nothing moves for so long is closed, whatever it waits for. Default 10 minutes. */
  readonly silentSocketTimeoutMs?: number;
};

/**
 * Sets the server's own limits and answers what never becomes a request: protocol errors, CONNECT, Upgrade and
 * unknown expectations, each with problem details and `Gateway-Error`.
 */
export function hardenServer(server: Server, options: HardenOptions): void {
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  // A whole-request limit would end long uploads; the calls' own idle limits and the one below bound them.
  server.requestTimeout = 0;
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
  server.timeout = options.silentSocketTimeoutMs ?? 600_000;
  server.on('clientError', (error, socket) => refuseBrokenRequest(error, socket, options.publicUrl));
  server.on('upgrade', (_request, socket) => handleUpgrade(socket, options.publicUrl));
  server.on('connect', (_request, socket) => writeProblem(socket, methodRefused(), options.publicUrl));
  server.on('checkContinue', (request, response) => {
    answerContinue(request, response);
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (_request, response) => {
    sendProblem(response, new HttpError('expectation_failed'), contextOf(options.publicUrl));
  });
}

/** `501 upgrade_not_supported` on a connection that Node has already handed over. */
function handleUpgrade(socket: Duplex, publicUrl: string): void {
  writeProblem(socket, new HttpError('upgrade_not_supported'), publicUrl);
}

/** The proxy says `100 Continue` itself, once it wants the body; everything else gets it at once. */
function answerContinue(request: IncomingMessage, response: ServerResponse): void {
  if (readTarget(request.url ?? '').kind === 'other') response.writeContinue();
  else awaitContinue(request);
}

function refuseBrokenRequest(error: Error, socket: Duplex, publicUrl: string): void {
  if (!socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  const code = errorCode(error);
  const isReset = code === 'ECONNRESET' || code === 'EPIPE';
  if (isReset) socket.destroy();
  else if (code === 'HPE_HEADER_OVERFLOW' && packetMatches(error, LONG_REQUEST_LINE)) {
    writeProblem(socket, new HttpError('uri_too_long'), publicUrl);
  } else if (packetMatches(error, SPACED_TARGET)) {
    writeProblem(
      socket,
      new HttpError('invalid_path', { detail: parserDetail('HPE_INVALID_URL') }),
      publicUrl,
    );
  } else
    writeProblem(socket, new HttpError(parserErrorCode(code), { detail: parserDetail(code) }), publicUrl);
}

/** Half of what request line and fields may have together: with less than that the fields are at fault. */
const LONG_REQUEST_LINE = /^[A-Z]+ [^\n]{8192}/;
/** A space or a line feed within the target: the parser takes it for its end and complains of what follows. */
const SPACED_TARGET = /^[A-Z]+ \/[^\s]*[ \n][^\r]* HTTP\/1\.[01]\r\n/;

/** Node's error does not say which part of the message is at fault; what it read last does. */
function packetMatches(error: Error, pattern: RegExp): boolean {
  const packet = 'rawPacket' in error ? error.rawPacket : undefined;
  return Buffer.isBuffer(packet) && pattern.test(packet.toString('latin1', 0, 9_000));
}

function parserErrorCode(code: string): ErrorCode {
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large';
  return code === 'HPE_INVALID_URL' ? 'invalid_path' : 'invalid_request';
}

function parserDetail(code: string): string {
  if (code === 'HPE_HEADER_OVERFLOW') return 'Request line and header fields are larger than 16 KiB.';
  if (code === 'HPE_INVALID_URL') return 'The request target holds characters that no URI has.';
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'The header fields did not arrive in time.';
  return 'The request is not well-formed HTTP/1.1.';
}

/** True when the head of an answer is out on this connection: more text would be read as its body. */
function isAnswering(socket: Duplex): boolean {
  if (!('_httpMessage' in socket)) return false;
  const message: unknown = socket._httpMessage;
  return (
    typeof message === 'object' &&
    message !== null &&
    'headersSent' in message &&
    message.headersSent === true
  );
}

function writeProblem(socket: Duplex, error: HttpError, publicUrl: string): void {
  const context = contextOf(publicUrl);
  const body = JSON.stringify(problem(error, context));
  const lines = [
    `HTTP/1.1 ${error.status} ${problem(error, context).title}`,
    ...Object.entries(problemHeaders(error, context)).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.on('error', () => {});
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

function contextOf(publicUrl: string): ProblemContext {
  return { requestId: newId(), publicUrl };
}
