import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { checkLive, liveReport } from '../../scripts/check-live.ts';
import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import { acmeProviderAt } from '../support/acme-provider.ts';
import { closeServer, listen } from '../support/listen.ts';

let server: Server;
let url: string;
let asked: { method: string; url: string; headers: IncomingMessage['headers'] }[] = [];
let inFlight = 0;
let mostInFlight = 0;
const answers = new Map<string, (response: ServerResponse) => void>();

beforeAll(async () => {
  server = createServer((request, response) => {
    inFlight += 1;
    mostInFlight = Math.max(mostInFlight, inFlight);
    response.on('close', () => {
      inFlight -= 1;
    });
    asked.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers });
    const answer = answers.get(request.url?.split('?')[0] ?? '');
    if (answer !== undefined) answer(response);
    else response.writeHead(404).end();
  });
  url = `http://127.0.0.1:${await listen(server)}`;
});

beforeEach(() => {
  asked = [];
  answers.clear();
});

afterAll(() => closeServer(server));

const status = (code: number) => (response: ServerResponse) => void response.writeHead(code).end();
const json = (body: object) => (response: ServerResponse) => void response.end(JSON.stringify(body));
const LIMITS = { timeoutMs: 5_000, pauseMs: 0, concurrency: 4 };

const acme = (fields: Record<string, unknown> = {}) =>
  acmeProviderAt(url, { probe: { url: `${url}/me` }, ...fields });

async function outcomes(...providers: Provider[]) {
  const checks = await checkLive(providers, LIMITS);
  return checks.map(({ check, outcome }) => `${check} ${outcome}`);
}

/** A provider of which every fact holds. */
function holdAll(): void {
  answers.set('/authorize', status(302));
  answers.set('/token', status(400));
  answers.set('/me', status(401));
  const endpoints = { authorization_endpoint: `${url}/authorize`, token_endpoint: `${url}/token/` };
  answers.set('/.well-known/openid-configuration', json({ ...endpoints, jwks_uri: `${url}/keys` }));
  answers.set('/keys', json({ keys: [{ kty: 'RSA' }] }));
}

describe('checking public facts', () => {
  it('finds what holds, and sends no credential but a wrong one to the probe', async () => {
    holdAll();
    expect(await outcomes(acme())).toEqual([
      'authorization ok',
      'token ok',
      'discovery ok',
      'keys ok',
      'api-host ok',
      'refusal ok',
    ]);
    for (const { headers, url: path } of asked) {
      expect(headers.authorization).toBe(
        path === '/me' ? 'Bearer wrong-credential-of-integration-gateway-check' : undefined,
      );
      expect(headers['user-agent']).toContain('integration-gateway');
    }
  });

  it.each([
    ['an authorization page that is gone', '/authorize', status(404), 'authorization differs'],
    ['a token endpoint that is gone', '/token', status(410), 'token differs'],
    ['a token endpoint that fails', '/token', status(503), 'token unreachable'],
    [
      'a connection that breaks off',
      '/authorize',
      (r: ServerResponse) => r.destroy(),
      'authorization unreachable',
    ],
    [
      'another token endpoint in the discovery document',
      '/.well-known/openid-configuration',
      json({ token_endpoint: 'https://new.example/token' }),
      'discovery differs',
    ],
    ['no discovery document', '/.well-known/openid-configuration', status(404), 'discovery skipped'],
    ['a key set without keys', '/keys', json({ keys: [] }), 'keys differs'],
    ['a probe that takes a wrong credential', '/me', json({}), 'refusal differs'],
    [
      'an API that is going to end',
      '/me',
      (r: ServerResponse) => void r.writeHead(401, { sunset: 'Sat, 30 Jan 2027 00:00:00 GMT' }).end(),
      'end differs',
    ],
  ])('tells of %s', async (_what, path, answer, expected) => {
    holdAll();
    answers.set(path, answer);
    expect(await outcomes(acme())).toContain(expected);
  });

  it('asks nothing where an address needs what a user knows, or the provider has ended', async () => {
    holdAll();
    expect(await outcomes(acme({ status: 'ended' }))).toEqual([]);
    const [page] = await checkLive(
      [
        acme({
          authorizationUrl: 'https://{instance}.acme.example/authorize',
          variables: { instance: { from: 'user' } },
        }),
      ],
      LIMITS,
    );
    expect(page).toMatchObject({ check: 'authorization', outcome: 'skipped' });
  });

  it.each([
    ['a header', { in: 'header', name: 'X-Key', template: 'Key {apiKey}' }, '/me', 'Key wrong-credential'],
    ['the query', { in: 'query', name: 'key', template: '{apiKey}' }, '/me?key=wrong-credential', undefined],
  ])('sends the wrong key in %s', async (_place, apiKey, path, header) => {
    holdAll();
    await checkLive([acme({ auth: 'api-key', apiKey })], LIMITS);
    const probe = asked.find((request) => request.url.startsWith('/me'));
    expect(probe?.url).toMatch(new RegExp(`^${path.replace('?', '[?]')}`));
    if (header !== undefined) expect(probe?.headers['x-key']).toMatch(header);
  });

  it('finds metadata at the API’s host, where the sign-in page has none', async () => {
    holdAll();
    answers.delete('/.well-known/openid-configuration');
    answers.set(
      '/.well-known/oauth-authorization-server',
      json({ token_endpoint: 'https://new.example/token' }),
    );
    expect(await outcomes(acme())).toContain('discovery differs');
  });

  it.each([
    ['the probe’s path', () => ({ servers: [{ url }], paths: { '/me': {} } }), 'ok'],
    ['no such path', () => ({ servers: [{ url }], paths: { '/other': {} } }), 'differs'],
    ['another host', () => ({ servers: [{ url: 'https://new.example' }], paths: {} }), 'differs'],
  ])('compares with an OpenAPI document that has %s', async (_what, document, outcome) => {
    holdAll();
    answers.set('/openapi.json', json(document()));
    const checks = await checkLive(
      [acme({ apiBaseUrl: url })],
      LIMITS,
      new Map([['acme', `${url}/openapi.json`]]),
    );
    expect(checks.find(({ check }) => check === 'document')).toMatchObject({ outcome });
  });

  it('sends a host one request at a time, also for several providers', async () => {
    holdAll();
    mostInFlight = 0;
    await checkLive([acme(), acme(), acme()], LIMITS);
    expect(mostInFlight).toBe(1);
    expect(asked).toHaveLength(15);
  });

  it('reports what to look at first, and counts', async () => {
    holdAll();
    answers.set('/token', status(404));
    const report = liveReport(await checkLive([acme()], LIMITS)).split('\n');
    expect(report[0]).toMatch(
      /^differs {2}acme {2}token {2}http:\/\/127\.0\.0\.1:\d+\/token {2}answers 404$/,
    );
    expect(report.at(-1)).toBe('1 differs, 0 unreachable, 5 ok, 0 skipped');
  });
});
