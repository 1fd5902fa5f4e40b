import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import { forbiddenAddress, isPrivateLiteral } from './address-guard.ts';
import { readOnAfterFailedWrite } from './failed-writes.ts';
import type { HandshakeFailures } from './handshake-failures.ts';

type Destination = Parameters<http.Agent['getName']>[0];
type OnSocket = (error: Error | null, socket: Duplex) => void;

/** Node's agent, which refuses literal addresses that are not public: those are never looked up. */
export class GuardedHttpAgent extends http.Agent {
  readonly #allowPrivateNetworks: boolean;

  constructor(options: http.AgentOptions, allowPrivateNetworks: boolean) {
    super(options);
    this.#allowPrivateNetworks = allowPrivateNetworks;
  }

  override getName(options?: Destination): string {
    return originOf(options);
  }

  override createConnection(options: http.ClientRequestArgs, callback?: OnSocket): Duplex | null | undefined {
    if (!this.#allowPrivateNetworks && isPrivateLiteral(options.host ?? options.hostname))
      return refuse(callback, forbiddenAddress());
    try {
      const socket = super.createConnection(options, callback);
      if (socket) readOnAfterFailedWrite(socket);
      return socket;
    } catch (error) {
      return refuse(callback, toError(error));
    }
  }
}

/** The same over TLS. An origin whose handshake failed just now gets no other one: see handshake-failures.ts. */
export class GuardedHttpsAgent extends https.Agent {
  readonly #allowPrivateNetworks: boolean;
  readonly #failures: HandshakeFailures;

  constructor(options: https.AgentOptions, allowPrivateNetworks: boolean, failures: HandshakeFailures) {
    super(options);
    this.#allowPrivateNetworks = allowPrivateNetworks;
    this.#failures = failures;
  }

  override getName(options?: Destination): string {
    return originOf(options);
  }

  override createConnection(options: https.RequestOptions, callback?: OnSocket): Duplex | null | undefined {
    if (!this.#allowPrivateNetworks && isPrivateLiteral(options.host ?? options.hostname))
      return refuse(callback, forbiddenAddress());
    const origin = originOf(options);
    const failure = this.#failures.find(origin);
    if (failure !== undefined) return refuse(callback, failure);
    try {
      const socket = super.createConnection(options, callback);
      if (socket) {
        this.#failures.watch(origin, socket);
        readOnAfterFailedWrite(socket);
      }
      return socket;
    } catch (error) {
      return refuse(callback, toError(error));
    }
  }

  /** Closes idle connections now, and busy ones at the end of their request. */
  release(): void {
    this.maxFreeSockets = 0;
    for (const sockets of Object.values(this.freeSockets))
      for (const socket of sockets ?? []) socket.destroy();
  }
}

/**
 * Connections are shared by origin. Node's own names list every TLS option as well, which it does for each request;
 * here they are the same for all requests of an agent.
 */
function originOf(options: Pick<https.RequestOptions, 'host' | 'port'> | undefined): string {
  return `${options?.host}:${options?.port}`;
}

/** Later, as a failed connection would: a throw could hit whichever request frees the place in the pool. */
function refuse(callback: OnSocket | undefined, error: Error): undefined {
  if (!callback) throw error;
  process.nextTick(callback, error);
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error('The connection cannot be made');
}
