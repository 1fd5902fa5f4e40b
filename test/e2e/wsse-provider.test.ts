import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { createHttpBrowser } from '../examples/http-browser.ts';
import { createCatalogDir } from '../support/catalog-dir.ts';
import { callApi, callApiOk, provision, startGateway } from '../support/gateway.ts';
import { closeServer, listen } from '../support/listen.ts';
import { APP_ORIGIN, readOutcome } from '../support/stage.ts';

const SECRET = 'LkWvsMAf3R7j2nB';
const seen = new Set<string>();
const calls: { target: string; body: string; authorization: string | undefined }[] = [];

/** A provider that judges `X-WSSE` as Emarsys documents it: Base64 of the hexadecimal SHA-1, each nonce once. */
const server = createServer((request, response) => {
  const field = String(request.headers['x-wsse']);
  const parts = /^UsernameToken Username="(.+)", PasswordDigest="(.+)", Nonce="(.+)", Created="(.+)"$/.exec(
    field,
  );
  const [, user, digest, nonce = '', created = ''] = parts ?? [];
  const hex = createHash('sha1')
    .update(nonce + created + SECRET)
    .digest('hex');
  const isRecent = Math.abs(Date.now() - Date.parse(created)) < 300_000;
  const isGood = user === 'acme001' && digest === btoa(hex) && isRecent && !seen.has(nonce);
  seen.add(nonce);
  request.setEncoding('utf8');
  let body = '';
  request.on('data', (piece) => (body += piece));
  request.on('end', () => {
    calls.push({ target: request.url ?? '', body, authorization: request.headers.authorization });
    response.writeHead(isGood ? 200 : 401, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ replyCode: isGood ? 0 : 1, data: { name: 'Acme' } }));
  });
});
const url = `http://127.0.0.1:${await listen(server)}`;
const catalog = await createCatalogDir({
  mailer: `
id: mailer
name: Mailer
auth: wsse
apiBaseUrl: ${url}
wsse: { username: '{apiUser}', secret: '{apiSecret}', digest: hex }
variables:
  apiUser: { title: API user name }
  apiSecret: { title: API user secret, secret: true }
account:
  id: { from: variable, path: apiUser }
  name: { from: request, path: data.name }
  request: { url: "${url}/api/v2/settings" }
`,
});
const gateway = await startGateway({ catalogDir: catalog.path });
const project = await provision(gateway, { allowedOrigins: [APP_ORIGIN] });
const bearer = project.apiKey;

afterAll(async () => {
  await gateway.stop();
  await catalog.remove();
  await closeServer(server);
});

async function openForm(userId: string) {
  const session = await callApiOk(gateway.url, 'POST', '/v1/connect-sessions', {
    bearer: project.userToken(userId),
    headers: { origin: APP_ORIGIN },
    body: { provider: 'mailer' },
  });
  const browser = createHttpBrowser({ origins: [gateway.url] });
  const page = await browser.open(session.url);
  return { session, browser, page };
}

const call = (target: string, init: RequestInit = {}) =>
  fetch(`${gateway.url}/projects/${project.id}/proxy/mailer${target}`, {
    ...init,
    headers: { authorization: `Bearer ${project.userToken('mia')}` },
  });

describe('a provider that wants WSSE', () => {
  it('is connected by name and secret in the form, which a wrong secret does not pass', async () => {
    await callApiOk(gateway.url, 'POST', '/v1/integrations', { bearer, body: { serviceProvider: 'mailer' } });
    const { session, browser, page } = await openForm('mia');
    expect(page.body).toContain('API user secret');
    const refused = await browser.submit(session.url, { apiUser: 'acme001', apiSecret: 'wrong' });
    expect(refused.body).not.toContain('completionCode');
    const { message } = readOutcome(
      await browser.submit(session.url, { apiUser: 'acme001', apiSecret: SECRET }),
    );
    const connection = await callApiOk(gateway.url, 'POST', `/v1/connect-sessions/${session.id}/complete`, {
      bearer: project.userToken('mia'),
      body: { completionCode: message.completionCode },
    });
    expect(connection).toMatchObject({ status: 'active', accountId: 'acme001', accountName: 'Acme' });
    expect(JSON.stringify(connection)).not.toContain(SECRET);
  });

  it('gets every call with a digest of its own and without the user’s token, long bodies too', async () => {
    const body = 'x'.repeat(3_000_000);
    const answers = [
      await call('/api/v2/contact?a=1'),
      await call('/api/v2/contact', { method: 'PUT', body }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(calls.at(-2)).toEqual({ target: '/api/v2/contact?a=1', body: '', authorization: undefined });
    expect(calls.at(-1)?.body.length).toBe(body.length);
  });

  it('is tested by a request of the gateway’s own', async () => {
    const listed = await callApiOk(gateway.url, 'GET', `/v1/projects/${project.id}/connections`, { bearer });
    const tested = await callApi(gateway.url, 'POST', `/v1/connections/${listed.connections[0].id}/test`, {
      bearer,
    });
    expect(tested.body).toMatchObject({ ok: true });
  });
});
