import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { HttpError, sendProblem } from '../http/errors.ts';
import { buildProblemContext, refuseBrokenRequest, writeProblem } from './broken-requests.ts';
import { watchHalfClosed } from './half-closed.ts';
import { methodNotAllowedError } from './intake.ts';
import { NewestResponses } from './newest-responses.ts';
import { beginCallProblem } from './problem.ts';
import { awaitContinue } from './proxy.router.ts';
import { readTarget } from './target.ts';

const HEADERS_TIMEOUT_MS = 10_000;
/** Longer than the idle time-out of the usual load balancers (60 s), so that they close first and never meet a dead one. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
/** Longer than any call may wait for its provider: those waits have limits of their own. */
const SILENT_SOCKET_TIMEOUT_MS = 3_900_000;

const serverOptions = {
  /** Header section of a request; beyond it 431. */
  maxHeaderSize: 16 * 1024,
  /** How often Node looks for header sections that take too long; its own default is 30 s. */
  connectionsCheckingInterval: 1_000,
  /** Checked by `assertMessage`, whose refusal says what is wrong. */
  requireHostHeader: false,
  /** The parser's leniency is for broken peers; a proxy must not share it (RFC 9112 section 11.2). */
  insecureHTTPParser: false,
} as const satisfies ServerOptions;

type OpenOptions = {
  readonly publicUrl: string;
  /** A connection on which nothing moves for so long is closed, whatever it waits for. Default 65 minutes. */
  readonly silentSocketTimeoutMs?: number;
  /** An answer that pauses for so long is cut off where its caller has ended its side. Default 5 seconds. */
  readonly halfClosedSilenceMs?: number;
};

/**
 * A server with limits of its own, which answers what never becomes a request: protocol errors, CONNECT, Upgrade and
 * unknown expectations, each with problem details and `Gateway-Error`. The requests of a connection are begun one
 * after the other, as their answers have to go out.
 */
export function openServer(listener: RequestListener, options: OpenOptions): Server {
  const server = createServer(serverOptions, inTurn(listener));
  hardenServer(server, options);
  return server;
}

/**
 * Begins a request once it is its turn to be answered. Behind an answer that closes the connection no request may be
 * processed (RFC 9112 section 9.6), and whether an answer does is known only when it is there. A response has a
 * socket from its turn on; where an answer closed the connection before, it never has.
 */
function inTurn(listener: RequestListener): RequestListener {
  return (request, response) => {
    if (response.socket !== null) {
      listener(request, response);
      return;
    }
    const begin = (): void => {
      // A request that turned out to be malformed while it waited has its answer.
      if (!response.writableEnded && !response.destroyed) listener(request, response);
    };
    // Node writes out what a waiting response holds after it has emitted the socket's end.
    response.once('socket', () => process.nextTick(begin));
  };
}

function hardenServer(
  server: Server,
  { publicUrl, silentSocketTimeoutMs, halfClosedSilenceMs }: OpenOptions,
): void {
  const answers = new NewestResponses();
  answers.watch(server);
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  // A whole-request limit would end long uploads; the calls' own idle limits and the API's body deadline bound them.
  server.requestTimeout = 0;
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
  server.timeout = silentSocketTimeoutMs ?? SILENT_SOCKET_TIMEOUT_MS;
  // An undocumented switch of Node. Without it, a request whose sender ends its side is never answered.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('connection', (socket) => watchHalfClosed(socket, answers, halfClosedSilenceMs));
  server.on('clientError', (error, socket) => refuseBrokenRequest(error, socket, answers, publicUrl));
  server.on('upgrade', (request, socket) => {
    const refusal = new HttpError('upgrade_not_supported');
    answers.whenOut(socket, () => writeProblem(socket, refusal, publicUrl, isCall(request)));
  });
  server.on('connect', (_request, socket) =>
    answers.whenOut(socket, () => writeProblem(socket, methodNotAllowedError(), publicUrl, false)),
  );
  server.on('checkContinue', (request, response) => {
    answerContinue(request, response);
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (request, response) => {
    const refusal = new HttpError('expectation_failed');
    if (isCall(request)) response.end(beginCallProblem(response, refusal, buildProblemContext(publicUrl)));
    else sendProblem(response, refusal, buildProblemContext(publicUrl));
  });
}

function isCall({ url }: IncomingMessage): boolean {
  return readTarget(url ?? '').kind !== 'other';
}

/** The proxy says `100 Continue` itself, once it wants the body; everything else gets it at once. */
function answerContinue(request: IncomingMessage, response: ServerResponse): void {
  if (isCall(request)) awaitContinue(request);
  else response.writeContinue();
}
