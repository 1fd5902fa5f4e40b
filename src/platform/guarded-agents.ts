import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import { forbiddenAddress, isPrivateLiteral } from './address-guard.ts';

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
      return refuse(callback);
    return super.createConnection(options, callback);
  }
}

/** The same over TLS. */
export class GuardedHttpsAgent extends https.Agent {
  readonly #allowPrivateNetworks: boolean;

  constructor(options: https.AgentOptions, allowPrivateNetworks: boolean) {
    super(options);
    this.#allowPrivateNetworks = allowPrivateNetworks;
  }

  override getName(options?: Destination): string {
    return originOf(options);
  }

  override createConnection(options: https.RequestOptions, callback?: OnSocket): Duplex | null | undefined {
    if (!this.#allowPrivateNetworks && isPrivateLiteral(options.host ?? options.hostname))
      return refuse(callback);
    return super.createConnection(options, callback);
  }
}

/**
 * Connections are shared by origin. Node's own names list every TLS option as well, which it does for each request;
 * here they are the same for all requests of an agent.
 */
function originOf(options: Destination): string {
  return `${options?.host}:${options?.port}`;
}

/** Later, as a failed connection would: a throw could hit whichever request frees the place in the pool. */
function refuse(callback: OnSocket | undefined): undefined {
  if (!callback) throw forbiddenAddress();
  process.nextTick(callback, forbiddenAddress());
}
