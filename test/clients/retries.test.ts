import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import { createGatewayClient, type GatewayClientOptions } from '../../clients/node/src/index.ts';
import { closeServer, listen } from '../support/listen.ts';

type Answer = { status: number; headers?: Record<string, string>; body?: string };
const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await closeServer(server);
});

/** A server with these answers, the last one again and again, and a client of it. `answered` is called after each. */
async function setUp(
  answers: readonly Answer[],
  { answered = () => {}, ...options }: Partial<GatewayClientOptions> & { answered?: () => void } = {},
) {
  const requests: { method: string | undefined; url: string | undefined; headers: IncomingHttpHeaders }[] =
    [];
  const listener: RequestListener = ({ method, url, headers }, response) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)];
    requests.push({ method, url, headers });
    response.once('close', answered);
    response.writeHead(answer?.status ?? 500, answer?.headers).end(answer?.body);
  };
  const server = createServer(listener);
  servers.push(server);
  const url = `http://127.0.0.1:${await listen(server)}/`;
  return { url, api: createGatewayClient({ url, apiKey: 'igk_test', ...options }), requests };
}

const token: Answer = { status: 201, body: '{"token":"t","expiresAt":"2026-01-31T09:30:00.000Z"}' };
const busy = (seconds: string): Answer => ({ status: 429, headers: { 'retry-after': seconds } });

describe('a call of the Node client', () => {
  it('is tried again after 429 and 503, as the same call', async () => {
    const { api, requests } = await setUp([busy('0'), { ...busy('0'), status: 503 }, token]);
    expect((await api.userTokens.create({ userId: 'u' })).token).toBe('t');
    const keys = requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(3);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(keys).size).toBe(1);
  });

  it('takes a date for the time to wait until', async () => {
    const { api, requests } = await setUp([busy('Thu, 01 Jan 1970 00:00:00 GMT'), token]);
    await api.userTokens.create({ userId: 'u' });
    expect(requests).toHaveLength(2);
  });

  it('has another idempotency key when it is another call', async () => {
    const { api, requests } = await setUp([token]);
    await api.userTokens.create({ userId: 'u' });
    await api.userTokens.create({ userId: 'u' });
    expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(2);
  });

  it('is given up after the retries that were allowed', async () => {
    const { api, requests } = await setUp([busy('0')], { retries: 1 });
    await expect(api.get('/projects')).rejects.toMatchObject({ status: 429 });
    expect(requests).toHaveLength(2);
  });

  it('is not held up for longer than half a minute', async () => {
    const { api, requests } = await setUp([busy('3600')]);
    await expect(api.get('/projects')).rejects.toMatchObject({ status: 429 });
    expect(requests).toHaveLength(1);
  });

  it('ends at once when it is aborted while it waits', async () => {
    const caller = new AbortController();
    const { api } = await setUp([busy('30')], { answered: () => setImmediate(() => caller.abort()) });
    const call = api.get('/projects', { signal: caller.signal });
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('is not tried again after other refusals', async () => {
    const { api, requests } = await setUp([{ status: 500 }]);
    await expect(api.get('/projects')).rejects.toMatchObject({ status: 500, code: 'unexpected_answer' });
    expect(requests).toHaveLength(1);
  });

  it.each([502, 200])('names an answer %i that is not one of the gateway', async (status) => {
    const page = { status, headers: { 'content-type': 'text/html' }, body: '<h1>Sign in</h1>' };
    const { api } = await setUp([page]);
    await expect(api.get('/projects')).rejects.toMatchObject({
      name: 'GatewayError',
      code: 'unexpected_answer',
      requestId: undefined,
      errors: [],
    });
  });

  it('does not carry the key along to where it is redirected', async () => {
    const other = await setUp([{ status: 200, body: '{}' }]);
    const { api } = await setUp([{ status: 302, headers: { location: other.url } }]);
    await expect(api.get('/projects')).rejects.toThrow('fetch failed');
    expect(other.requests).toHaveLength(0);
  });

  it('encodes what goes into its address, and leaves no part of it out', async () => {
    const { api, requests } = await setUp([{ status: 200, body: '{}' }]);
    await api.get('/projects/{projectId}/users', { path: { projectId: 'a/b?' }, query: { userId: 'ü&1' } });
    expect(requests[0]?.url).toBe('/v1/projects/a%2Fb%3F/users?userId=%C3%BC%261');
    for (const id of ['', '.', '..']) {
      await expect(api.get('/connections/{id}', { path: { id } })).rejects.toThrow('needs id');
    }
  });
});
