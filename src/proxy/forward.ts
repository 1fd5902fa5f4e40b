import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { createProxyMiddleware, type Options } from 'http-proxy-middleware';
import type { ProxyAgents } from './contract.ts';
import type { FieldList } from './headers.ts';
import { NO_BODY, type RequestBody } from './request-body.ts';
import { isSafeMethod } from './retry.ts';

/**
 * The one module that knows http-proxy-middleware and, beneath it, httpxy. Everything around the forwarding that they
 * do is decided elsewhere: address, header section, body source, answer, failures and timeouts.
 */

export type AttemptEvents = {
  /** The provider answered; the body has not begun to flow. */
  onResponse(attempt: Attempt, response: IncomingMessage): void;
  /** No answer, or one that broke off. Can come more than once. */
  onFailure(attempt: Attempt, error: unknown): void;
};

export type AttemptOptions = {
  readonly request: IncomingMessage;
  readonly events: AttemptEvents;
  readonly protocol: 'http:' | 'https:';
  readonly hostname: string;
  readonly port: number;
  /** The whole request target for the provider, credential included where it belongs there. */
  readonly pathname: string;
  readonly host: string;
  readonly fields: FieldList;
  readonly body: RequestBody;
};

/**
 * One request to the provider. It is handed to httpxy as the target of the request, and httpxy hands it back with
 * every event: so events of an earlier attempt cannot be taken for those of the current one.
 */
export class Attempt {
  // What httpxy reads of a target
  readonly protocol: string;
  readonly hostname: string;
  readonly port: number;
  readonly pathname: string;

  readonly request: IncomingMessage;
  readonly events: AttemptEvents;
  readonly host: string;
  readonly fields: FieldList;
  readonly body: RequestBody;
  /** Undefined while the request waits for a connection of the pool. */
  outgoing: ClientRequest | undefined;
  /** What the connection had carried before this request. */
  bytesWrittenBefore = 0;
  /** Set when nobody waits for this attempt any more. */
  isAbandoned = false;

  constructor(options: AttemptOptions) {
    this.protocol = options.protocol;
    this.hostname = options.hostname;
    this.port = options.port;
    this.pathname = options.pathname;
    this.request = options.request;
    this.events = options.events;
    this.host = options.host;
    this.fields = options.fields;
    this.body = options.body;
  }

  /** Ends the exchange with the provider, whatever its state. */
  abandon(): void {
    this.isAbandoned = true;
    this.outgoing?.destroy();
  }
}

export type Forward = (attempt: Attempt, response: ServerResponse) => void;

/** Makes the forwarder: one middleware for all providers, with a pool of connections per origin in `agents`. */
export function createForward(agents: ProxyAgents): Forward {
  const options: Options = {
    pathFilter: () => true,
    // These three are set for each attempt: the middleware copies its options before anything asynchronous. Its
    // `router` would do the same over two more promises, and getters would take the copy off V8's fast path (5 us).
    // `beginSending` makes sure that request and attempt belong together.
    target: NOWHERE,
    agent: undefined,
    buffer: NO_BODY,
    // The target's path is complete: joining it here would normalise slashes.
    ignorePath: true,
    // httpxy's own answer would join duplicate fields and throw on status lines that Node cannot write.
    selfHandleResponse: true,
    // Off: redirects would carry the credential to other hosts, upgrades would bypass every check.
    followRedirects: false,
    ws: false,
    // The default plugins write error texts into half-sent answers and tell host and path.
    ejectPlugins: true,
    plugins: [
      (server) => {
        server.on('proxyReq', (outgoing, request, _response, { target }) => {
          if (target instanceof Attempt && target.request === request) {
            beginSending(target, outgoing);
          } else outgoing.destroy(new Error('forwarding began out of turn'));
        });
        server.on('error', (error, _request, _response, target) => {
          if (target instanceof Attempt) target.events.onFailure(target, error);
        });
      },
    ],
  };
  const middleware = createProxyMiddleware(options);

  return (attempt, response) => {
    const { request } = attempt;
    const requestTarget = request.url;
    const failed = (error: unknown): void => attempt.events.onFailure(attempt, error);
    // Nothing of the caller's header section is left for httpxy to copy: `beginSending` writes the prepared one.
    // Not even `Expect`, with which httpxy would skip that step. Host alone is needed, for TLS server names.
    request.headers = { host: attempt.host };
    // The middleware parses `url` for its path filter, and refuses targets such as `//a:b`; '' is not parsed.
    request.url = '';
    options.target = attempt;
    options.agent = attempt.protocol === 'https:' ? agents.https : agents.http;
    options.buffer = attempt.body;
    middleware(request, response, failed).catch(failed);
    options.target = NOWHERE;
    options.buffer = NO_BODY;
    request.url = requestTarget;
  };
}

/** What the options say while no attempt is starting: nothing can be reached there. */
const NOWHERE = 'http://nowhere.invalid';

/** Runs when the request has its connection and before its first byte is written. */
function beginSending(attempt: Attempt, outgoing: ClientRequest): void {
  attempt.outgoing = outgoing;
  // Safe methods need no proof that nothing was sent, and the count is not free.
  if (!isSafeMethod(outgoing.method)) attempt.bytesWrittenBefore = outgoing.socket?.bytesWritten ?? 0;
  if (attempt.isAbandoned) {
    outgoing.destroy();
    return;
  }
  // Without a listener Node ends the connection on 101 and tells nobody, so the caller would wait for ever.
  outgoing.on('upgrade', (_answer, socket) => {
    socket.destroy();
    attempt.events.onFailure(attempt, new UnaskedUpgrade());
  });
  // After httpxy's own listener, which ties the two connections' ends to each other.
  outgoing.on('response', (answer) => attempt.events.onResponse(attempt, answer));
  try {
    writeFields(outgoing, attempt);
  } catch (error) {
    attempt.events.onFailure(attempt, error);
    attempt.abandon();
  }
}

/** The provider switched protocols although nobody had asked it to. */
export class UnaskedUpgrade extends Error {
  readonly code = 'HPE_UNASKED_UPGRADE';
  constructor() {
    super('101 to a request without Upgrade');
    this.name = 'UnaskedUpgrade';
  }
}

type RawHeaderWriter = { _storeHeader(requestLine: string, fields: FieldList): void };

/** Node's own way of writing a header section, which ServerResponse offers as `writeHead` and ClientRequest does not. */
function canWriteRaw(outgoing: object): outgoing is RawHeaderWriter {
  return '_storeHeader' in outgoing && typeof outgoing._storeHeader === 'function';
}

/**
 * Writes the header section as it is: order, case and duplicates, in one pass. Should Node lose the internal function,
 * the public one does the same but brings duplicates together.
 */
function writeFields(outgoing: ClientRequest, { fields, pathname }: Attempt): void {
  if (canWriteRaw(outgoing)) {
    outgoing._storeHeader(`${outgoing.method} ${pathname} HTTP/1.1\r\n`, fields);
    return;
  }
  for (const name of outgoing.getHeaderNames()) outgoing.removeHeader(name);
  for (let index = 0; index + 1 < fields.length; index += 2) {
    outgoing.appendHeader(fields[index] ?? '', fields[index + 1] ?? '');
  }
}
