import http, { type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { createProxyMiddleware, type Plugin } from 'http-proxy-middleware';
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
  readonly response: ServerResponse;
  readonly events: AttemptEvents;
  readonly protocol: 'http:' | 'https:';
  readonly hostname: string;
  readonly port: number;
  /** The whole request target for the provider, credential included where it belongs there. */
  readonly pathname: string;
  readonly fields: FieldList;
  readonly body: RequestBody;
};

/**
 * One request to the provider. httpxy carries it to our pass as its target, and its events carry it, so that those of an
 * earlier attempt are not taken for its own.
 */
export class Attempt {
  readonly options: AttemptOptions;
  /** What httpxy's types want of a target. */
  readonly protocol: string;
  /** Without a socket while it waits for a connection of the pool. Undefined where Node refused to make it. */
  outgoing: ClientRequest | undefined;
  /** What the connection had carried before this request. */
  bytesWrittenBefore = 0;

  constructor(options: AttemptOptions) {
    this.options = options;
    this.protocol = options.protocol;
  }

  /** Ends the exchange with the provider, whatever its state. */
  abandon(): void {
    this.outgoing?.destroy();
  }
}

export type Forward = (attempt: Attempt) => void;

/**
 * Makes the forwarder: http-proxy-middleware's proxy server for all providers, with a pool of connections per origin in
 * `agents`. The server is called directly: the middleware around it would look for a path filter, a router and path
 * rewrites, none of which is wanted, over four promises a call.
 */
export function createForward(agents: ProxyAgents): Forward {
  const server = createProxyServer(agents);
  return (attempt) => {
    const { request, response, events } = attempt.options;
    server
      .web(request, response, { target: attempt })
      .catch((error: unknown) => events.onFailure(attempt, error));
  };
}

type ProxyServer = Parameters<Plugin>[0];

/**
 * The proxy server that http-proxy-middleware makes and hands to its plugins. Its default plugins are left out, since
 * they write error texts into half-sent answers and tell host and path; upgrades are off, since they would bypass every
 * check.
 */
function createProxyServer(agents: ProxyAgents): ProxyServer {
  const made: ProxyServer[] = [];
  createProxyMiddleware({
    target: 'http://nowhere.invalid',
    ws: false,
    ejectPlugins: true,
    plugins: [(server) => void made.push(server)],
  });
  const [server] = made;
  if (server === undefined)
    throw new TypeError('http-proxy-middleware has shown its plugins no proxy server');
  // httpxy's passes have no names, and the last of them is the one that would send the request.
  server.before('web', '', (_request, _response, { target }) => {
    if (!(target instanceof Attempt)) throw new TypeError('forwarding without an attempt');
    exchange(target, agents);
    return true;
  });
  return server;
}

/**
 * One exchange with the provider, in place of httpxy's own: that one joins duplicate fields, loses the order and the
 * case of names, skips its hook for `Expect`, and adds many more listeners to every call.
 */
function exchange(attempt: Attempt, agents: ProxyAgents): void {
  const { request, response, events, protocol, hostname, port, pathname, fields, body } = attempt.options;
  const method = request.method ?? 'GET';
  const isTls = protocol === 'https:';
  const outgoing = (isTls ? https : http).request({
    hostname,
    port,
    method,
    path: pathname,
    // A flat list goes out as it is: order, case and duplicates.
    headers: fields,
    agent: isTls ? agents.https : agents.http,
  });
  attempt.outgoing = outgoing;
  outgoing.on('error', (error) => events.onFailure(attempt, error));
  outgoing.on('response', (answer) => {
    // A broken-off answer is broken off for the caller too, never ended cleanly.
    answer.on('close', () => {
      if (!answer.complete && !response.destroyed) response.destroy();
      // An early answer: the rest of the caller's body is wanted by nobody.
      if (!outgoing.writableFinished) outgoing.destroy();
    });
    answer.on('error', (error) => events.onFailure(attempt, error));
    events.onResponse(attempt, answer);
  });
  // Without a listener Node ends the connection on 101 and tells nobody, so the caller would wait for ever.
  outgoing.on('upgrade', (_answer, socket) => {
    socket.destroy();
    events.onFailure(attempt, new UnaskedUpgrade());
  });
  if (body === NO_BODY && isSafeMethod(method)) outgoing.end();
  else
    outgoing.once('socket', (socket) => {
      attempt.bytesWrittenBefore = socket.bytesWritten;
      // Not before there is a connection: a full pool pushes back on the caller.
      body.pipe(outgoing);
    });
}

/** The provider switched protocols although nobody had asked it to. */
export class UnaskedUpgrade extends Error {
  readonly code = 'HPE_UNASKED_UPGRADE';
  constructor() {
    super('101 to a request without Upgrade');
    this.name = 'UnaskedUpgrade';
  }
}
