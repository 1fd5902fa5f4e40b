import type http from 'node:http';
import type https from 'node:https';
import type { SecureContext } from 'node:tls';
import type { Dispatcher } from 'undici';
import { createLookup, type ResolveName } from './address-guard.ts';
import { createCertificatePools } from './certificate-pools.ts';
import type { ClientCertificate } from './client-certificate.ts';
import { createDispatcher } from './dispatcher.ts';
import { GuardedHttpAgent, GuardedHttpsAgent } from './guarded-agents.ts';
import { createHandshakeFailures, type HandshakeFailures } from './handshake-failures.ts';
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
  /** Client certificates with connections of their own at a time, and how long they keep them unused. */
  readonly certificatesMax?: number;
  readonly certificateIdleMs?: number;
};

/** Connections by each client that the gateway has for calls. */
export type AgentSet = {
  readonly http: http.Agent;
  readonly https: https.Agent;
  /** undici's pools for both schemes, with connections of their own. */
  readonly dispatcher: Dispatcher;
};

export type Agents = AgentSet & {
  /** Agents whose TLS connections show this certificate, and are never another's. Throws `ERR_CLIENT_CERTIFICATE_UNUSABLE`. */
  withCertificate(certificate: ClientCertificate): AgentSet;
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
  const now = options.now ?? Date.now;
  const plain = new GuardedHttpAgent(shared, options.allowPrivateNetworks);

  function openAgents(failures: HandshakeFailures, secureContext?: SecureContext) {
    const ca = secureContext === undefined && options.ca ? { ca: [options.ca].flat() } : {};
    const tls = { rejectUnauthorized: true, ...ca, ...(secureContext && { secureContext }) };
    const https = new GuardedHttpsAgent({ ...shared, ...tls }, options.allowPrivateNetworks, failures);
    const dispatcher = createDispatcher({
      allowPrivateNetworks: options.allowPrivateNetworks,
      maxSockets: options.maxSockets,
      connectTimeoutMs: options.connectTimeoutMs,
      ...ca,
      secureContext,
      lookup,
      failures,
      idleTimeoutMs: IDLE_SOCKET_TIMEOUT_MS,
    });
    return { http: plain, https, dispatcher };
  }

  function destroyAgents({ https, dispatcher }: ReturnType<typeof openAgents>): void {
    https.destroy();
    void dispatcher.destroy();
  }

  const agents = openAgents(createHandshakeFailures(now));
  const certified = createCertificatePools({
    open: (context, failures) => openAgents(failures, context),
    release: ({ https, dispatcher }) => {
      https.release();
      dispatcher.close().catch(() => undefined);
    },
    destroy: destroyAgents,
    ca: options.ca,
    certificatesMax: options.certificatesMax,
    idleMs: options.certificateIdleMs,
    now,
  });
  return {
    ...agents,
    withCertificate: certified.find,
    destroy() {
      plain.destroy();
      destroyAgents(agents);
      certified.destroy();
    },
  };
}
