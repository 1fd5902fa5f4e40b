import type http from 'node:http';
import { HttpError } from '../../src/http/errors.ts';
import { createAgents } from '../../src/platform/agents.ts';
import { connectionsMax } from '../../src/proxy/connection-places.ts';
import type {
  ApiBase,
  Credential,
  ProxiedCall,
  ProxyDependencies,
  ProxyLimits,
  ResolvedConnection,
} from '../../src/proxy/contract.ts';
import { createProxy } from '../../src/proxy/proxy.router.ts';
import { openServer } from '../../src/proxy/server.ts';
import { exchange, type RawAnswerText } from './upstream.ts';

const PROJECT_ID = '0192f0c8-0000-7000-8000-000000000001';
const CONNECTION_ID = '0192f0c8-0000-7000-8000-000000000002';
const INTEGRATION_ID = '0192f0c8-0000-7000-8000-000000000003';
export const END_USER_ID = '0192f0c8-0000-7000-8000-000000000004';
export const PREFIX = `/projects/${PROJECT_ID}/proxy/demo`;
/** Stands for a user JWT: the look-ups of the harness know it, and no test may find it at the provider. */
export const USER_TOKEN = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ1c2VyLTEifQ.c2lnbmF0dXJlLW9mLXVzZXItMQ';
export const ALLOWED_ORIGIN = 'https://app.example.com';

export type Harness = {
  readonly port: number;
  readonly calls: readonly ProxiedCall[];
  readonly url: string;
  /** Sends a request on a connection of its own and reads until the gateway closes it. */
  send(lines: readonly string[], body?: string): Promise<RawAnswerText>;
  /** As `send`, with request line and the usual fields made from method and path. */
  call(method: string, path: string, fields?: readonly string[], body?: string): Promise<RawAnswerText>;
  /** Resolves when so many calls have finished. */
  finished(count: number): Promise<void>;
  readonly server: http.Server;
  close(): Promise<void>;
};

export type HarnessOptions = {
  readonly upstreamPort: number;
  readonly limits?: Partial<ProxyLimits>;
  readonly connection?: Partial<ResolvedConnection>;
  readonly apiBase?: Partial<ApiBase>;
  readonly deps?: Partial<ProxyDependencies>;
  readonly credential?: Credential;
  readonly halfClosedSilenceMs?: number | undefined;
};

export const LIMITS: ProxyLimits = {
  requestBodyBytesMax: 1024 * 1024,
  connectTimeoutMs: 5_000,
  firstByteTimeoutMs: 10_000,
  idleTimeoutMs: 10_000,
  timeoutSecondsMax: 600,
};

/** A connection to a server on loopback, with an access token in `Authorization`. */
export function connectionTo(port: number, apiBase: Partial<ApiBase> = {}): ResolvedConnection {
  const { protocol = 'http:', hostname = '127.0.0.1' } = apiBase;
  const origin = `${protocol}//${hostname}:${port}`;
  return {
    projectId: PROJECT_ID,
    connectionId: CONNECTION_ID,
    integrationId: INTEGRATION_ID,
    endUserId: END_USER_ID,
    providerId: 'demo',
    apiBase: { origin, protocol, hostname, port, basePath: '', ...apiBase },
    apiHeaders: [],
    apiQuery: [],
    placement: { in: 'header', name: 'Authorization', template: 'Bearer {accessToken}' },
  };
}

/**
 * Which client carries a GET to the provider, and the fields that make it so: what is said to have a body, an empty one
 * included, is left to Node's.
 */
export const CLIENTS: readonly (readonly [client: string, fields: readonly string[]])[] = [
  ['undici', []],
  ['Node’s client', ['Content-Length: 0']],
];

/** The proxy on a real server, with its knowledge in memory. */
export async function startHarness(options: HarnessOptions): Promise<Harness> {
  const calls: ProxiedCall[] = [];
  const waiters: { count: number; resolve: () => void }[] = [];
  const limits = { ...LIMITS, ...options.limits };
  const agents = createAgents({
    allowPrivateNetworks: true,
    maxSockets: connectionsMax(limits.socketsPerOriginMax ?? 32),
    connectTimeoutMs: limits.connectTimeoutMs,
  });
  const connection = { ...connectionTo(options.upstreamPort, options.apiBase), ...options.connection };
  const credential = options.credential ?? { version: 1, values: { accessToken: 'provider-token-1' } };
  const proxy = createProxy({
    publicUrl: 'http://gateway.test',
    log: { info() {}, warn() {}, error() {} },
    accessLog(call) {
      calls.push(call);
      for (const waiter of waiters) if (calls.length >= waiter.count) waiter.resolve();
    },
    now: Date.now,
    agents,
    limits,
    verifyUserToken(projectId, token) {
      if (projectId !== PROJECT_ID || token !== USER_TOKEN) throw new HttpError('token_invalid');
      return { projectId, subject: 'user-1' };
    },
    isAllowedOrigin: (projectId, origin) => projectId === PROJECT_ID && origin === ALLOWED_ORIGIN,
    resolve: () => connection,
    credential: () => credential,
    refreshAfter401: async () => null,
    noteUse() {},
    callerCredentials: (_projectId, provider) => (provider === 'demo' ? [] : undefined),
    ...options.deps,
  });
  const server = openServer(proxy, {
    publicUrl: 'http://gateway.test',
    ...(options.halfClosedSilenceMs !== undefined && { halfClosedSilenceMs: options.halfClosedSilenceMs }),
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const send = (lines: readonly string[], body = ''): Promise<RawAnswerText> =>
    exchange(port, Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1'));

  return {
    port,
    calls,
    server,
    url: `http://127.0.0.1:${port}${PREFIX}`,
    send,
    call: (method, path, fields = [], body) =>
      send(
        [
          `${method} ${PREFIX}${path} HTTP/1.1`,
          'Host: gateway.test',
          ...auth(fields),
          ...fields,
          'Connection: close',
        ],
        body,
      ),
    finished: (count) =>
      new Promise((resolve) => {
        if (calls.length >= count) resolve();
        else waiters.push({ count, resolve });
      }),
    async close() {
      proxy.close();
      agents.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function auth(fields: readonly string[]): string[] {
  const hasOwn = fields.some((line) => /^(?:authorization|x-shop-token|x-session):/i.test(line));
  return hasOwn ? [] : [`Authorization: Bearer ${USER_TOKEN}`];
}
