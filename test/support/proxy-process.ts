import { generateKeyPairSync } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { parseArgs } from 'node:util';
import jwt from 'jsonwebtoken';
import { LRUCache } from 'lru-cache';
import { HttpError } from '../../src/http/errors.ts';
import { createAgents } from '../../src/platform/agents.ts';
import { createLogger } from '../../src/platform/logger.ts';
import type { ResolvedConnection } from '../../src/proxy/contract.ts';
import { createProxy } from '../../src/proxy/proxy.router.ts';
import { openServer } from '../../src/proxy/server.ts';

/**
 * The proxy with everything on and its knowledge in memory: JWT verification behind a verified-token cache, project,
 * integration, connection and credential look-ups, access log. Prints one line of JSON when it listens.
 */

const PROJECT_ID = '0192f0c8-0000-7000-8000-000000000001';
const CONNECTION_ID = '0192f0c8-0000-7000-8000-000000000002';
const INTEGRATION_ID = '0192f0c8-0000-7000-8000-000000000003';

const { values: options } = parseArgs({
  options: {
    upstream: { type: 'string' },
    log: { type: 'string', default: '/dev/null' },
    'body-max': { type: 'string', default: '104857600' },
  },
});
const upstream = new URL(options.upstream ?? 'http://127.0.0.1:9000');
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const token = jwt.sign({ email: 'ada@example.com', name: 'Ada Lovelace' }, privateKey, {
  algorithm: 'ES256',
  subject: 'user-1',
  audience: PROJECT_ID,
  expiresIn: '1h',
});

const connection: ResolvedConnection = {
  projectId: PROJECT_ID,
  connectionId: CONNECTION_ID,
  integrationId: INTEGRATION_ID,
  endUserId: '0192f0c8-0000-7000-8000-000000000004',
  providerId: 'demo',
  apiBase: {
    origin: upstream.origin,
    protocol: 'http:',
    hostname: upstream.hostname,
    port: Number(upstream.port),
    basePath: '',
  },
  apiHeaders: [],
  apiQuery: [],
  placement: { in: 'header', name: 'Authorization', template: 'Bearer {accessToken}' },
};
const connections = new Map([[`${PROJECT_ID}/user-1/demo`, connection]]);
const credentials = new Map([[CONNECTION_ID, { version: 1, values: { accessToken: 'a'.repeat(120) } }]]);
const used = new Map<string, number>();
const verified = new LRUCache<string, { user: { projectId: string; subject: string }; expiresAtMs: number }>({
  max: 10_000,
});
const file = createWriteStream(options.log);
const log = createLogger({ level: 'info', destination: { write: (line) => file.write(line) } });
const callerCredentials = [] as const;

const proxy = createProxy({
  publicUrl: 'http://localhost:3000',
  loopMarks: () => ['bench-gateway'],
  log,
  accessLog: (call) => log.request({ ...call, mandates: undefined, actors: undefined, route: 'proxy' }),
  now: Date.now,
  agents: createAgents({ allowPrivateNetworks: true, maxSockets: 256 }),
  limits: {
    requestBodyBytesMax: Number(options['body-max']),
    connectTimeoutMs: 5_000,
    firstByteTimeoutMs: 60_000,
    idleTimeoutMs: 60_000,
    timeoutSecondsMax: 1_800,
    concurrency: {
      total: 20_000,
      perOrigin: 10_000,
      perConnection: 10_000,
      perUser: 10_000,
      perProject: 15_000,
    },
    socketsPerOriginMax: 512,
    perUserRate: { limit: 10_000_000, windowSeconds: 1 },
  },
  verifyUserToken(projectId, raw) {
    const known = verified.get(raw);
    if (known && known.user.projectId === projectId && known.expiresAtMs > Date.now()) return known.user;
    const claims = jwt.verify(raw, publicKey, { algorithms: ['ES256'], audience: projectId });
    if (typeof claims === 'string' || claims.sub === undefined) throw new HttpError('token_invalid');
    const user = { projectId, subject: claims.sub };
    verified.set(raw, { user, expiresAtMs: (claims.exp ?? 0) * 1000 });
    return user;
  },
  isAllowedOrigin: () => false,
  resolve({ projectId, user, provider }) {
    const found = connections.get(`${projectId}/${user.subject}/${provider}`);
    if (!found) throw new HttpError('connection_not_found');
    return found;
  },
  credential(resolved) {
    const credential = credentials.get(resolved.connectionId);
    if (!credential) throw new HttpError('connection_not_found');
    return credential;
  },
  refreshAfter401: async () => null,
  noteUse: ({ connectionId }) => void used.set(connectionId, Date.now()),
  callerCredentials: () => callerCredentials,
});

const server = openServer(proxy, { publicUrl: 'http://localhost:3000' });
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const url = `http://127.0.0.1:${port}/projects/${PROJECT_ID}/proxy/demo`;
  process.stdout.write(`${JSON.stringify({ url, headers: { Authorization: `Bearer ${token}` } })}\n`);
});
