import http from 'node:http';
import { HttpError } from '../../src/http/errors.ts';
import { createAgents } from '../../src/platform/agents.ts';
import { createProxy } from '../../src/proxy/proxy.router.ts';

/**
 * The proxy with a log whose disk is full, and look-ups that fail late: an unhandled error here ends the process. Makes
 * one call of each kind and prints how each ended.
 */

const PROJECT = '0192f0c8-0000-7000-8000-000000000001';
const fail = (): never => {
  throw new Error('disk full');
};

const failures: Record<string, () => never> = {
  refusal: () => {
    throw new HttpError('token_invalid');
  },
  fault: () => {
    throw new Error('broken');
  },
};
const proxy = createProxy({
  publicUrl: 'http://gateway.test',
  log: { info: fail, warn: fail, error: fail },
  now: Date.now,
  agents: createAgents({ allowPrivateNetworks: true, maxSockets: 1 }),
  limits: {
    requestBodyBytesMax: 1,
    connectTimeoutMs: 1_000,
    firstByteTimeoutMs: 1_000,
    idleTimeoutMs: 1_000,
    timeoutSecondsMax: 1,
  },
  verifyUserToken: async (_projectId, token) => failures[token]?.() ?? fail(),
  isAllowedOrigin: () => false,
  resolve: fail,
  credential: fail,
  refreshAfter401: async () => null,
  noteUse() {},
  callerCredentials: async (_projectId, provider) => (provider === 'odd' ? fail() : []),
});
const server = http.createServer(proxy);
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const address = server.address();
const port = typeof address === 'object' && address ? address.port : 0;
for (const [provider, token] of [
  ['demo', 'refusal'],
  ['demo', 'fault'],
  ['odd', 'refusal'],
]) {
  const ended = await fetch(`http://127.0.0.1:${port}/projects/${PROJECT}/proxy/${provider}/x`, {
    headers: { authorization: `Bearer ${token}` },
  }).then(
    ({ status }) => String(status),
    () => 'cut off',
  );
  process.stdout.write(`${provider} ${token}: ${ended}\n`);
}
process.exit(0);
