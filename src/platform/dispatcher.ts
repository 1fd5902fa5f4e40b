import type { LookupFunction } from 'node:net';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { forbiddenAddress, isPrivateLiteral } from './address-guard.ts';

export type DispatcherOptions = {
  readonly allowPrivateNetworks: boolean;
  /** Connections per origin; further requests wait for a free one. */
  readonly maxSockets: number;
  readonly ca?: string | readonly string[];
  /** Judges the addresses that names resolve to; undefined where all are allowed. */
  readonly lookup: LookupFunction | undefined;
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
    ...(options.lookup && { lookup: options.lookup }),
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
      // Before undici's own listener, so that the error is marked when it arrives.
      socket.on('error', (lost) => {
        if (socket.bytesRead > 0) ofUsedConnections.add(lost);
        isBreaking = true;
        queueMicrotask(() => {
          isBreaking = false;
        });
      });
      callback(null, socket);
    });
  };
}

const ofUsedConnections = new WeakSet<object>();

/** True when `error` ended a connection on which the server had said something before. */
export function isOfUsedConnection(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  return ofUsedConnections.has(error);
}

let isBreaking = false;

/** True in whatever a handler is told because a connection broke, which undici does not always say. */
export function isConnectionBreaking(): boolean {
  return isBreaking;
}
