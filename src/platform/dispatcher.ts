import type { LookupFunction, Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { Agent, buildConnector, Client, type Dispatcher, Pool } from 'undici';
import { forbiddenAddress, isPrivateLiteral } from './address-guard.ts';
import type { HandshakeFailures } from './handshake-failures.ts';
import { ContinueFilter } from './skip-continue.ts';

type DispatcherOptions = {
  readonly allowPrivateNetworks: boolean;
  /** Connections per origin; further requests wait for a free one. */
  readonly maxSockets: number;
  readonly ca?: string | readonly string[];
  /** Finds the addresses of names, and judges them unless all are allowed. */
  readonly lookup: LookupFunction;
  readonly failures: HandshakeFailures;
  /** In milliseconds. */
  readonly idleTimeoutMs: number;
  readonly connectTimeoutMs?: number | undefined;
  /** With the client's certificate, and in the place of `ca`. */
  readonly secureContext?: SecureContext | undefined;
};

/** Of a provider's answer, status line and header fields together: four times what Node's parsers take of themselves. */
export const ANSWER_HEAD_BYTES_MAX = 64 * 1024;
const CONNECT_TIMEOUT_MS = 10_000;
/** How much earlier than the server announces an idle connection is left, in milliseconds. */
const IDLE_MARGIN_MS = 1_000;

/**
 * undici's pools, an origin each, with the same rules for addresses, certificates and idle connections as the agents.
 * The waits for an answer are watched by who uses it.
 */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const connect = guardedConnector(options);
  const clientOptions: Client.Options = {
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: ANSWER_HEAD_BYTES_MAX,
    keepAliveTimeout: options.idleTimeoutMs,
    keepAliveMaxTimeout: options.idleTimeoutMs,
    keepAliveTimeoutThreshold: IDLE_MARGIN_MS,
  };
  return new Agent({
    factory: (origin) =>
      new Pool(origin, {
        allowH2: false,
        connections: options.maxSockets,
        factory: (url) => new ObservedClient(url, clientOptions, connect),
      }),
  });
}

/** What undici does not tell of a connection. */
export class Connection {
  /** Requests that it was given; a handler begins its own. */
  requests = 0;
  /** What it broke with. */
  error: Error | undefined;
  /** The provider had ended it in order before it broke. */
  hadServerEnded = false;
  readonly #continues: ContinueFilter;
  readonly #socket: Socket;
  #bytesBefore = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#continues = new ContinueFilter(socket, ANSWER_HEAD_BYTES_MAX);
    socket.on('error', (error) => {
      this.error = error;
      this.hadServerEnded = socket.readableEnded;
    });
  }

  beginRequest(): void {
    this.requests += 1;
    this.#bytesBefore = this.#socket.bytesRead;
    this.#continues.awaitHead();
  }

  /** Carries no further request. */
  close(): void {
    this.#socket.destroy();
  }

  /** Something came since the last request began. */
  get hasAnswered(): boolean {
    return this.#socket.bytesRead > this.#bytesBefore;
  }
}

/** What a request is dispatched to; its connection is the one that carries the request which starts. */
export type Carrier = { connection: Connection | undefined };

/** A handler that wants to know its connection: `carrier` is set before the request starts. */
export interface CarriedHandler extends Dispatcher.DispatchHandler {
  carrier: Carrier | undefined;
}

/** One of a pool's clients, which has one connection at a time. */
class ObservedClient extends Client {
  readonly #carrier: Carrier;

  constructor(origin: URL, options: Client.Options, connect: buildConnector.connector) {
    const carrier: Carrier = { connection: undefined };
    super(origin, { ...options, connect: observeConnections(connect, carrier) });
    this.#carrier = carrier;
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler | CarriedHandler,
  ): boolean {
    if ('carrier' in handler) handler.carrier = this.#carrier;
    return super.dispatch(options, handler);
  }
}

function observeConnections(connect: buildConnector.connector, carrier: Carrier): buildConnector.connector {
  return (destination, callback) => {
    connect(destination, (error, socket) => {
      if (error !== null) {
        callback(error, null);
        return;
      }
      // Its listener comes before undici's, so that a handler that undici tells of an end knows of the error.
      carrier.connection = new Connection(socket);
      callback(null, socket);
      // And this one after: an error of TLS leaves the connection open, and undici waits.
      socket.on('error', () => {
        if (!socket.destroyed) socket.destroy();
      });
    });
  };
}

function guardedConnector(options: DispatcherOptions): buildConnector.connector {
  const connect = buildConnector({
    allowH2: false,
    timeout: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    rejectUnauthorized: true,
    ...(options.ca && { ca: [options.ca].flat() }),
    ...(options.secureContext && { secureContext: options.secureContext }),
    lookup: options.lookup,
  });
  return (destination, callback) => {
    if (!options.allowPrivateNetworks && isPrivateLiteral(destination.hostname)) {
      process.nextTick(callback, forbiddenAddress(), null);
      return;
    }
    const origin = `${destination.hostname}:${destination.port}`;
    const failure = options.failures.find(origin);
    if (failure !== undefined) {
      process.nextTick(callback, failure, null);
      return;
    }
    connect(destination, (error, socket) => {
      if (error !== null) {
        options.failures.note(origin, error);
        callback(error, null);
        return;
      }
      // Its handshake is over for this side; the server may yet refuse the certificate.
      options.failures.watchConnected(origin, socket);
      callback(null, socket);
    });
  };
}
