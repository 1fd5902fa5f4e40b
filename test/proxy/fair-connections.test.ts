import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { HttpError } from '../../src/http/errors.ts';
import { closeServer, listen } from '../support/listen.ts';
import { connectionTo, type Harness, startHarness } from '../support/proxy-harness.ts';
import { closeLater, closeStage } from '../support/proxy-stage.ts';
import { until } from '../support/until.ts';

/** What an origin has of connections, and how many calls a greedy user makes. */
const PLACES = 16;
const CALLS = 60;

const [PROJECT, OTHER_PROJECT] = [randomUUID(), randomUUID()];

type Party = { readonly project: string; readonly user: string };

const GREEDY: Party = { project: PROJECT, user: 'greedy' };
const NEIGHBOUR: Party = { project: PROJECT, user: 'neighbour' };
const STRANGER: Party = { project: OTHER_PROJECT, user: 'stranger' };

/** A provider that answers `/held` never, `/stream` with an event stream that stays open, and the rest at once. */
async function startProvider() {
  const held: http.ServerResponse[] = [];
  const server = http.createServer((request, response) => {
    request.resume();
    if (request.url === '/held' || request.url === '/stream') held.push(response);
    else response.end('at once');
    if (request.url !== '/stream') return;
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    response.write('data: 1\n\n');
  });
  const end = async (): Promise<void> => {
    server.closeAllConnections();
    await closeServer(server);
  };
  return { held, port: await listen(server), end };
}

type Provider = Awaited<ReturnType<typeof startProvider>>;

async function start(provider: Provider, second?: Provider): Promise<Harness> {
  const gateway = await startHarness({
    upstreamPort: provider.port,
    limits: { socketsPerOriginMax: PLACES, firstByteTimeoutMs: 120_000, idleTimeoutMs: 120_000 },
    deps: {
      verifyUserToken: (projectId, token) => ({ projectId, subject: token }),
      resolve: ({ projectId, provider: name }) => {
        const port = name === 'demo' ? provider.port : second?.port;
        if (port === undefined) throw new HttpError('provider_unknown');
        return { ...connectionTo(port), projectId };
      },
      callerCredentials: () => [],
    },
  });
  closeLater(gateway.close, provider.end, () => second?.end());
  return gateway;
}

const agent = new http.Agent({ maxSockets: Number.POSITIVE_INFINITY });
afterEach(async () => {
  agent.destroy();
  await closeStage();
});

type Started = { readonly request: http.ClientRequest; readonly text: Promise<string> };

/** A call that is under way; its text begins with the status. */
function call(
  gateway: Harness,
  { project, user }: Party,
  method: string,
  path: string,
  id = 'demo',
): Started {
  const request = http.request({
    agent,
    port: gateway.port,
    host: '127.0.0.1',
    method,
    path: `/projects/${project}/proxy/${id}${path}`,
    headers: {
      authorization: `Bearer ${user}`,
      // Which client carries a GET to the provider.
      ...(method === 'GET' ? {} : { 'content-length': '2' }),
    },
  });
  const text = new Promise<string>((resolve) => {
    request.on('error', ({ message }) => resolve(message));
    request.on('response', async (answer) => {
      let body = '';
      try {
        for await (const chunk of answer) body += String(chunk);
      } catch (error) {
        body += String(error);
      }
      resolve(`${answer.statusCode} ${body}`);
    });
  });
  request.end(method === 'GET' ? undefined : '{}');
  return { request, text };
}

describe.each(['GET', 'POST'])(
  'while one user has more slow %ss at a provider than it has connections',
  (method) => {
    it.each(['/held', '/stream'])(
      '%s: others get their answers, and the user at other providers',
      async (path) => {
        const [provider, second] = [await startProvider(), await startProvider()];
        const gateway = await start(provider, second);
        const slow = Array.from({ length: CALLS }, () => call(gateway, GREEDY, method, path));
        await until(() => provider.held.length >= PLACES / 4);
        const quick = [
          ...Array.from({ length: 10 }, () => call(gateway, NEIGHBOUR, method, '/quick')),
          call(gateway, STRANGER, method, '/quick'),
          call(gateway, GREEDY, method, '/quick', 'second'),
        ];
        const texts = await Promise.all(quick.map(({ text }) => text));
        expect(texts).toEqual(Array(12).fill('200 at once'));
        for (const { request } of slow) request.destroy();
      },
    );

    it('all of its calls end as the provider answers them', async () => {
      const provider = await startProvider();
      const gateway = await start(provider);
      const calls = Array.from({ length: PLACES }, () => call(gateway, GREEDY, method, '/held').text);
      let answered = 0;
      const texts = Promise.all(calls);
      while (answered < PLACES) {
        await until(() => provider.held.length > answered);
        provider.held[answered]?.end('late');
        answered += 1;
      }
      expect(await texts).toEqual(Array(PLACES).fill('200 late'));
    });
  },
);

it('lets more event streams of one user stay open than usual calls', async () => {
  const provider = await startProvider();
  const gateway = await start(provider);
  const streams = Array.from({ length: PLACES }, () => call(gateway, GREEDY, 'POST', '/stream'));
  await until(() => provider.held.length === PLACES);
  expect(await call(gateway, GREEDY, 'POST', '/quick').text).toBe('200 at once');
  for (const { request } of streams) request.destroy();
});

it('answers a call that waits for too long with whose limit it is', async () => {
  const provider = await startProvider();
  const gateway = await startHarness({
    upstreamPort: provider.port,
    limits: { socketsPerOriginMax: 4, firstByteTimeoutMs: 200 },
    connection: { timeouts: { firstByteSeconds: 600 } },
    deps: { verifyUserToken: (projectId, token) => ({ projectId, subject: token }) },
  });
  closeLater(gateway.close, provider.end);
  const { projectId: project } = connectionTo(0);
  const calls = Array.from({ length: 20 }, () => call(gateway, { project, user: 'greedy' }, 'POST', '/held'));
  const refused = await Promise.any(
    calls.map(async ({ text }) => {
      const answer = await text;
      if (!answer.startsWith('429')) throw new Error(answer);
      return answer;
    }),
  );
  expect(refused).toContain('This user has as many calls');
  for (const { request } of calls) request.destroy();
});
