import http from 'node:http';
import https from 'node:https';
import { request as pooledRequest } from 'undici';
import { createLookup } from '../../src/platform/address-guard.ts';
import { type AgentOptions, type Agents, createAgents } from '../../src/platform/agents.ts';
import { createResolver } from '../../src/platform/resolver.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '../support/certificate.ts';
import { closeServer, listen } from '../support/listen.ts';

let agents: Agents;
const servers: (http.Server | https.Server)[] = [];

afterEach(async () => {
  agents.destroy();
  for (const server of servers.splice(0)) await closeServer(server);
});

function serve(server: http.Server | https.Server): Promise<number> {
  servers.push(server);
  return listen(server);
}

function start(options: Partial<AgentOptions>): void {
  agents = createAgents({ allowPrivateNetworks: false, maxSockets: 4, ...options });
}

type Get = (url: string) => Promise<string>;

/** Body of the answer, or the code of the error. */
async function getPooled(url: string): Promise<string> {
  try {
    const answer = await pooledRequest(url, { dispatcher: agents.dispatcher });
    return await answer.body.text();
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}

function getByAgent(url: string): Promise<string> {
  const [module, agent] = url.startsWith('https:') ? [https, agents.https] : [http, agents.http];
  return new Promise((resolve) => {
    const request = module.get(url, { agent }, (answer) => {
      let body = '';
      answer.on('data', (chunk) => {
        body += String(chunk);
      });
      answer.on('end', () => resolve(body));
    });
    request.on('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)));
  });
}

const CLIENTS: readonly (readonly [name: string, get: Get])[] = [
  ['an agent', getByAgent],
  ['a dispatcher', getPooled],
];

describe.each(CLIENTS)('%s for public networks', (_name, get) => {
  it.each([
    '127.0.0.1',
    '[::1]',
    'localhost',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
    '169.254.169.254',
    '10.0.0.1',
  ])('does not connect to %s', async (host) => {
    let hasConnected = false;
    const port = await serve(http.createServer().on('connection', () => (hasConnected = true)));
    start({});
    expect(await get(`http://${host}:${port}/`)).toBe('ERR_FORBIDDEN_ADDRESS');
    expect(await get(`https://${host}:${port}/`)).toBe('ERR_FORBIDDEN_ADDRESS');
    expect(hasConnected).toBe(false);
  });

  it('refuses a name as soon as one of its addresses is private', async () => {
    start({});
    const guardedLookup = createLookup(createResolver(), false);
    const one = await new Promise((resolve) =>
      guardedLookup('localhost', {}, (error) => resolve(error?.code)),
    );
    const all = await new Promise((resolve) => {
      guardedLookup('localhost', { all: true }, (error) => resolve(error?.code));
    });
    expect([one, all]).toEqual(['ERR_FORBIDDEN_ADDRESS', 'ERR_FORBIDDEN_ADDRESS']);
  });
});

describe.each(CLIENTS)('%s for private networks too', (_name, get) => {
  it('connects to loopback and keeps the connection for the next request', async () => {
    let connections = 0;
    const server = http.createServer((_request, response) => response.end('ok'));
    server.on('connection', () => (connections += 1));
    const port = await serve(server);
    start({ allowPrivateNetworks: true });
    expect(await get(`http://127.0.0.1:${port}/`)).toBe('ok');
    // undici gives a connection back in the turn of the event loop after the answer's end.
    await new Promise(setImmediate);
    expect(await get(`http://127.0.0.1:${port}/`)).toBe('ok');
    expect(connections).toBe(1);
  });

  it('refuses a certificate of an unknown authority', async () => {
    const port = await serve(https.createServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }));
    start({ allowPrivateNetworks: true });
    expect(await get(`https://localhost:${port}/`)).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
  });

  it('makes no second handshake soon after a failed one, and says the same', async () => {
    let nowMs = 0;
    let connections = 0;
    const server = https.createServer({ cert: TEST_CERTIFICATE, key: TEST_KEY });
    const port = await serve(server.on('connection', () => (connections += 1)));
    start({ allowPrivateNetworks: true, now: () => nowMs });
    const answers = [await get(`https://localhost:${port}/`), await get(`https://localhost:${port}/`)];
    expect(answers).toEqual(Array(2).fill('DEPTH_ZERO_SELF_SIGNED_CERT'));
    expect(connections).toBe(1);
    nowMs = 3_000;
    expect(await get(`https://localhost:${port}/`)).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(connections).toBe(2);
  });

  it('tries again at once after a failure other than of TLS', async () => {
    let connections = 0;
    const server = http.createServer().on('connection', (socket) => {
      connections += 1;
      socket.destroy();
    });
    const port = await serve(server);
    start({ allowPrivateNetworks: true });
    for (const scheme of ['https', 'https', 'http', 'http']) await get(`${scheme}://localhost:${port}/`);
    expect(connections).toBe(4);
  });

  it('accepts a certificate of an authority that it was given', async () => {
    const server = https.createServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }, (_request, response) => {
      response.end('secure');
    });
    const port = await serve(server);
    start({ allowPrivateNetworks: true, ca: TEST_CERTIFICATE });
    expect(await get(`https://localhost:${port}/`)).toBe('secure');
  });

  it('has no more connections to one origin than it may', async () => {
    const held: http.ServerResponse[] = [];
    let arrivedTwo = (): void => {};
    const two = new Promise<void>((resolve) => (arrivedTwo = resolve));
    const server = http.createServer((_request, response) => {
      held.push(response);
      if (held.length === 2) arrivedTwo();
      if (held.length > 2) response.end('ok');
    });
    const port = await serve(server);
    start({ allowPrivateNetworks: true, maxSockets: 2 });
    const answers = [1, 2, 3].map(() => get(`http://127.0.0.1:${port}/`));
    await two;
    expect(held).toHaveLength(2);
    for (const response of held.slice(0, 2)) response.end('ok');
    expect(await Promise.all(answers)).toEqual(['ok', 'ok', 'ok']);
  });
});
