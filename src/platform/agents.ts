import type http from 'node:http';
import type https from 'node:https';
import type { Dispatcher } from 'undici';
import { createLookup, type ResolveName } from './address-guard.ts';
import { createDispatcher } from './dispatcher.ts';
import { GuardedHttpAgent, GuardedHttpsAgent } from './guarded-agents.ts';
import { createHandshakeFailures } from './handshake-failures.ts';
import { createResolver } from './resolver.ts';

/** An idle connection is closed after this, unless the server's `Keep-Alive: timeout=` asks for less. */
const IDLE_SOCKET_TIMEOUT_MS = 15_000;

export type AgentOptions = {
  /** Lets connections go to loopback, private and other special addresses. For development. */
  readonly allowPrivateNetworks: boolean;
  /** Connections per origin; further requests wait for a free one. */
  readonly maxSockets: number;
  /** Further certificate authorities, in PEM. Node's own list stays in force when left out. */
  readonly ca?: string | readonly string[];
  /** For the connections of `dispatcher`, in milliseconds; those of the agents are watched by who uses them. */
  readonly connectTimeoutMs?: number;
  /** One for the whole process, so that names are asked for once. Default: a resolver of its own. */
  readonly resolveName?: ResolveName;
  readonly now?: () => number;
};

export type Agents = {
  readonly http: http.Agent;
  readonly https: https.Agent;
  /** undici's pools for both schemes, with connections of their own. */
  readonly dispatcher: Dispatcher;
  /** Connections without a limit for each origin: an open event stream must not keep other calls waiting. */
  readonly streams: { readonly http: http.Agent; readonly https: https.Agent };
  /** Closes every connection, busy ones too. */
  destroy(): void;
};

/**
 * Keep-alive agents whose connections go to public addresses only. The check sits where the connection is made: on the
 * literal address, or on the very addresses that the resolver gave and that are connected to, so that a name that
 * resolves differently a second time (DNS rebinding) gains nothing. Certificates are verified.
 */
export function createAgents(options: AgentOptions): Agents {
  const lookup = createLookup(options.resolveName ?? createResolver(), options.allowPrivateNetworks);
  const shared = {
    keepAlive: true,
    maxSockets: options.maxSockets,
    maxFreeSockets: options.maxSockets,
    // Ends free connections only: busy ones have no listener for the timeout. Node lowers it to the server's hint.
    timeout: IDLE_SOCKET_TIMEOUT_MS,
    noDelay: true,
    lookup,
  };
  const failures = createHandshakeFailures(options.now ?? Date.now);
  const httpAgent = new GuardedHttpAgent(shared, options.allowPrivateNetworks);
  const tls = { rejectUnauthorized: true, ...(options.ca && { ca: [options.ca].flat() }) };
  const httpsAgent = new GuardedHttpsAgent({ ...shared, ...tls }, options.allowPrivateNetworks, failures);
  const unlimited = { ...shared, maxSockets: Number.POSITIVE_INFINITY };
  const streams = {
    http: new GuardedHttpAgent(unlimited, options.allowPrivateNetworks),
    https: new GuardedHttpsAgent({ ...unlimited, ...tls }, options.allowPrivateNetworks, failures),
  };
  const dispatcher = createDispatcher({
    ...options,
    lookup,
    failures,
    idleTimeoutMs: IDLE_SOCKET_TIMEOUT_MS,
  });
  return {
    http: httpAgent,
    https: httpsAgent,
    dispatcher,
    streams,
    destroy() {
      httpAgent.destroy();
      httpsAgent.destroy();
      streams.http.destroy();
      streams.https.destroy();
      void dispatcher.destroy();
    },
  };
}
