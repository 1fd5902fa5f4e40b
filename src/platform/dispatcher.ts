import type { LookupFunction, Socket } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { forbiddenAddress, isPrivateLiteral } from './address-guard.ts';

export type DispatcherOptions = {
  readonly allowPrivateNetworks: boolean;
  /** Connections per origin; further requests wait for a free one. */
  readonly maxSockets: number;
  readonly ca?: string | readonly string[];
  /** Finds the addresses of names, and judges them unless all are allowed. */
  readonly lookup: LookupFunction;
  /** In milliseconds. */
  readonly idleTimeoutMs: number;
  readonly connectTimeoutMs?: number;
};

const CONNECT_TIMEOUT_MS = 10_000;
/** How much earlier than the server announces an idle connection is left, in milliseconds. */
const IDLE_MARGIN_MS = 1_000;

/**
 * undici's pools, an origin each, with the same rules for addresses, certificates and idle connections as the agents.
 * The waits for an answer are watched by who uses it.
 */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  return new Agent({
    connections: options.maxSockets,
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: options.idleTimeoutMs,
    keepAliveMaxTimeout: options.idleTimeoutMs,
    keepAliveTimeoutThreshold: IDLE_MARGIN_MS,
    connect: guardedConnector(options),
  });
}

function guardedConnector(options: DispatcherOptions): buildConnector.connector {
  const connect = buildConnector({
    allowH2: false,
    timeout: options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    rejectUnauthorized: true,
    ...(options.ca && { ca: [options.ca].flat() }),
    lookup: options.lookup,
  });
  return (destination, callback) => {
    if (!options.allowPrivateNetworks && isPrivateLiteral(destination.hostname)) {
      process.nextTick(callback, forbiddenAddress(), null);
      return;
    }
    connect(destination, (error, socket) => {
      if (error !== null) {
        callback(error, null);
        return;
      }
      const requests = countRequests(socket);
      // Before undici's own listener, so that the error is known when it arrives.
      socket.on('error', (lost) => {
        losses.set(lost, { isUsed: requests() > 1, hasServerEnded: socket.readableEnded });
        isBreaking = true;
      });
      callback(null, socket);
      // And after it: nobody else's answer may end in between. An error of TLS leaves the connection open, and undici waits.
      socket.on('error', () => {
        isBreaking = false;
        if (!socket.destroyed) socket.destroy();
      });
    });
  };
}

type Written = (error?: Error | null) => void;

/** A request without a body is written in one piece. */
function countRequests(socket: Socket): () => number {
  let count = 0;
  const write = socket.write.bind(socket);
  socket.write = (piece: string | Uint8Array, encoding?: BufferEncoding | Written, done?: Written) => {
    count += 1;
    return typeof encoding === 'function' ? write(piece, encoding) : write(piece, encoding, done);
  };
  return () => count;
}

type Loss = {
  /** It had carried a request before. */
  readonly isUsed: boolean;
  readonly hasServerEnded: boolean;
};

const losses = new WeakMap<object, Loss>();

/** What is known of the connection that ended with `error`; undefined where no connection did. */
export function lossOf(error: unknown): Loss | undefined {
  return typeof error === 'object' && error !== null ? losses.get(error) : undefined;
}

let isBreaking = false;

/** True in whatever a handler is told because a connection broke, which undici does not always say. */
export function isConnectionBreaking(): boolean {
  return isBreaking;
}
