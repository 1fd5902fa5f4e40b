import { generateKeyPairSync } from 'node:crypto';
import { createHttpBrowser } from '../examples/http-browser.ts';
import { createCatalogDir } from '../support/catalog-dir.ts';
import { callApi, callApiOk, provision, startGateway } from '../support/gateway.ts';
import { CONSUMER, startOAuth1Server } from '../support/oauth1-server.ts';
import { APP_ORIGIN, readOutcome } from '../support/stage.ts';

const server = await startOAuth1Server();
const threeLegged = (id: string, method: string) => `
id: ${id}
name: Signed
auth: oauth1
authorizationUrl: ${server.url}/authorize
tokenUrl: ${server.url}/access_token
apiBaseUrl: ${server.url}/api
oauth1: { requestTokenUrl: "${server.url}/request_token", signatureMethod: ${method} }
account:
  request: { url: "${server.url}/api/me?fields=id" }
  id: { from: request, path: id }
  name: { from: token-response, path: screen_name }
`;
const typed = `
id: typed
name: Typed
auth: oauth1
apiBaseUrl: ${server.url}/api
oauth1:
  signatureMethod: HMAC-SHA256
  token: '{tokenId}'
  tokenSecret: '{tokenSecret}'
  realm: { value: '{accountId}', upperCase: true, replace: { '-': _ } }
probe: { url: "${server.url}/api/probe" }
variables:
  accountId: { title: Account, pattern: '[0-9a-z-]+' }
  tokenId: { title: Token ID }
  tokenSecret: { title: Token secret, secret: true }
`;
const keyed = `
id: keyed
name: Keyed
auth: jwt-per-call
apiBaseUrl: ${server.url}/api
jwtPerCall:
  alg: ES256
  header: { kid: '{keyId}' }
  claims: { uri: '{method} {host}{path}' }
noProbe: This test has none.
variables:
  keyId: { title: Key ID }
  privateKey: { title: Private key, secret: true, input: private-key }
`;
const catalog = await createCatalogDir({
  signed: threeLegged('signed', 'HMAC-SHA1'),
  plain: threeLegged('plain', 'PLAINTEXT'),
  typed,
  keyed,
});
const gateway = await startGateway({ catalogDir: catalog.path });
const project = await provision(gateway, { allowedOrigins: [APP_ORIGIN] });
const bearer = project.apiKey;
const client = { clientId: CONSUMER.key, clientSecret: CONSUMER.secret };

afterAll(async () => {
  await gateway.stop();
  await catalog.remove();
  await server.close();
});

afterEach(() => {
  server.faults.splice(0);
  server.calls.splice(0);
});

const integrate = (serviceProvider: string, more: object = client) =>
  callApiOk(gateway.url, 'POST', '/v1/integrations', { bearer, body: { serviceProvider, ...more } });

const startSession = (provider: string, userId: string) =>
  callApiOk(gateway.url, 'POST', '/v1/connect-sessions', {
    bearer: project.userToken(userId),
    headers: { origin: APP_ORIGIN },
    body: { provider },
  });

const call = (provider: string, userId: string, target: string, init: RequestInit = {}) =>
  fetch(`${gateway.url}/projects/${project.id}/proxy/${provider}${target}`, {
    ...init,
    headers: { ...init.headers, authorization: `Bearer ${project.userToken(userId)}` },
  });

async function connect(provider: string, userId: string) {
  const session = await startSession(provider, userId);
  const browser = createHttpBrowser({ origins: [gateway.url, server.url] });
  const { message } = readOutcome(await browser.open(session.url));
  return callApi(gateway.url, 'POST', `/v1/connect-sessions/${session.id}/complete`, {
    bearer: project.userToken(userId),
    body: { completionCode: message.completionCode },
  });
}

describe('a provider of OAuth 1.0a', () => {
  it.each(['signed', 'plain'])(
    'is connected in the browser, and its calls are signed (%s)',
    async (provider) => {
      await integrate(provider);
      const { status, body } = await connect(provider, 'mia');
      expect(status).toBe(200);
      expect(body).toMatchObject({ status: 'active', accountId: 'account-7', accountName: 'mia' });
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      const posted = await call(provider, 'mia', '/x%20y?a=2&a=1&b=c+d', {
        method: 'POST',
        headers: form,
        body: 'status=Hello+%2B+you&a=0',
      });
      expect([posted.status, server.faults]).toEqual([200, []]);
      const streamed = await call(provider, 'mia', '/files', { method: 'PUT', body: 'x'.repeat(200_000) });
      expect([streamed.status, server.faults]).toEqual([200, []]);
      expect(JSON.stringify(body)).not.toContain('user-');
    },
  );

  it('is tested and shown to work by a signed call', async () => {
    const listed = await callApiOk(gateway.url, 'GET', `/v1/projects/${project.id}/connections`, { bearer });
    const { id } = listed.connections.find(
      (one: { serviceProvider: string }) => one.serviceProvider === 'signed',
    );
    const tested = await callApiOk(gateway.url, 'POST', `/v1/connections/${id}/test`, { bearer });
    expect([tested.ok, server.faults]).toEqual([true, []]);
  });

  it.each<[string, (callback: URL) => void]>([
    ['another temporary token', (callback) => callback.searchParams.set('oauth_token', 'another')],
    ['no verifier', (callback) => callback.searchParams.delete('oauth_verifier')],
    ['another state', (callback) => callback.searchParams.set('state', 'x'.repeat(43))],
  ])('is not connected by a callback with %s', async (_what, change) => {
    const session = await startSession('signed', 'noah');
    const browser = createHttpBrowser({ origins: [gateway.url] });
    const { url } = await browser.open(session.url);
    const { headers } = await fetch(url, { redirect: 'manual' });
    const callback = new URL(headers.get('location') ?? '');
    change(callback);
    const page = await browser.open(callback.href);
    expect([400, 403].includes(page.status) || readOutcome(page).message.status === 'error').toBe(true);
  });

  it('is not connected by the callback of another browser, nor twice by the same', async () => {
    const session = await startSession('signed', 'noah');
    const browser = createHttpBrowser({ origins: [gateway.url] });
    const { url } = await browser.open(session.url);
    const { headers } = await fetch(url, { redirect: 'manual' });
    const callback = headers.get('location') ?? '';
    const stranger = createHttpBrowser({ origins: [gateway.url] });
    expect((await stranger.open(callback)).status).toBe(403);
    expect((await browser.open(callback)).status).toBe(403);
  });

  it.each(['denied=token', 'oauth_problem=user_refused'])(
    'tells that its user refused: %s',
    async (answer) => {
      const session = await startSession('signed', 'noah');
      const browser = createHttpBrowser({ origins: [gateway.url] });
      const { url } = await browser.open(session.url);
      const { headers } = await fetch(url, { redirect: 'manual' });
      const state = new URL(headers.get('location') ?? '').searchParams.get('state');
      const page = await browser.open(`${gateway.url}/oauth/callback?state=${state}&${answer}`);
      expect(readOutcome(page).message).toMatchObject({ status: 'error', error: 'access_denied' });
    },
  );

  it('is connected by a token that is typed in, once the provider takes it', async () => {
    server.issue({ key: 'token-1', secret: 'secret-1' });
    const integration = await integrate('typed');
    const importWith = (tokenSecret: string) =>
      callApi(gateway.url, 'POST', '/v1/connections', {
        bearer,
        body: {
          integrationId: integration.id,
          userId: 'mia',
          credentials: { variables: { accountId: '123-sb1', tokenId: 'token-1', tokenSecret } },
        },
      });
    expect((await importWith('wrong')).body).toMatchObject({ code: 'credentials_invalid' });
    server.faults.splice(0);
    expect((await importWith('secret-1')).status).toBe(201);
    const answer = await call('typed', 'mia', '/record?limit=1');
    expect([answer.status, server.faults]).toEqual([200, []]);
    expect(server.calls.at(-1)?.authorization).toContain('realm="123_SB1"');
  });

  it('needs the consumer of the operator', async () => {
    const { status } = await callApi(gateway.url, 'POST', '/v1/integrations', {
      bearer,
      body: { serviceProvider: 'typed' },
    });
    expect(status).toBe(400);
  });
});

describe('a provider that wants a JWT for each call', () => {
  it('is connected by a key in the form, whose line breaks may be lost, and called with a JWT', async () => {
    await integrate('keyed', {});
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString().replaceAll('\n', ' ');
    const session = await startSession('keyed', 'mia');
    const browser = createHttpBrowser({ origins: [gateway.url] });
    await browser.open(session.url);
    const { message } = readOutcome(await browser.submit(session.url, { keyId: 'k1', privateKey: pem }));
    expect(message.status).not.toBe('error');
    await callApiOk(gateway.url, 'POST', `/v1/connect-sessions/${session.id}/complete`, {
      bearer: project.userToken('mia'),
      body: { completionCode: message.completionCode },
    });
    await call('keyed', 'mia', '/accounts?limit=1');
    const [, payload = ''] = server.calls.at(-1)?.authorization.split('.') ?? [];
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    expect(claims.uri).toBe(`GET ${new URL(server.url).host}/api/accounts`);
  });
});
