import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import createKnex from 'knex';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import { createHttpBrowser } from '../examples/http-browser.ts';
import { createCatalogDir } from '../support/catalog-dir.ts';
import { TEST_CERTIFICATE } from '../support/certificate.ts';
import {
  type CertifiedServer,
  EXPIRED,
  KEY_PASSPHRASE,
  type SeenCall,
  startAlertingServer,
  startCertifiedServer,
  TENANT_A,
  TENANT_A_ENCRYPTED_KEY,
  TENANT_B,
  TENANT_C,
} from '../support/client-certificates.ts';
import { callApi, callApiOk, type Gateway, type Project, provision } from '../support/gateway.ts';
import { dumpDatabase, findLeaks } from '../support/leaks.ts';
import { spawnGateway } from '../support/spawn-gateway.ts';
import { APP_ORIGIN, readOutcome } from '../support/stage.ts';
import { until } from '../support/until.ts';

const VARIABLES = (from: 'user' | 'integration', optional = '') => `variables:
  certificate: { from: ${from}, title: Certificate, secret: true, input: certificate${optional} }
  privateKey: { from: ${from}, title: Private key, secret: true, input: private-key${optional} }
  passphrase: { from: ${from}, title: Passphrase, secret: true, optional: true }
clientCertificate:
  AT
  certificate: '{certificate}'
  privateKey: '{privateKey}'
  passphrase: '{passphrase}'
`;
const at = (text: string, places: string) => text.replace('AT', `at: ${places}`);

const filesOf = (url: string, alertingUrl: string) => ({
  bank: `id: bank
name: Bank
auth: oauth2
authorizationUrl: ${url}/authorize
tokenUrl: ${url}/token
revocationUrl: ${url}/revoke
apiBaseUrl: ${url}/api
tokenEndpointAuth: tls_client_auth
account: { id: { from: request, path: client }, request: { url: '${url}/api/me' } }
polls:
  payments:
    object: payment
    record: { id: id }
    list: { request: { path: /payments }, items: data }
${at(VARIABLES('integration'), '[token, api]')}`,
  payroll: `id: payroll
name: Payroll
auth: oauth2-client-credentials
tokenUrl: ${url}/token
apiBaseUrl: ${url}/api
tokenEndpointAuth: client_secret_basic
${at(VARIABLES('integration'), '[token, api]')}`,
  vaults: `id: vaults
name: Vaults
auth: basic
basic: { username: '{username}', password: '{password}' }
apiBaseUrl: ${url}/api
probe: { url: '${url}/api/me' }
${at(VARIABLES('user'), '[api]')}`,
  desks: `id: desks
name: Desks
auth: token-login
apiBaseUrl: ${url}/api
login: { steps: [{ url: '${url}/token', body: { user: desk } }] }
tenants: { request: { url: '${url}/api/tenants' }, items: data, id: id }
logout: { method: DELETE, url: '${url}/revoke', headers: { Authorization: 'Bearer {accessToken}' } }
${at(VARIABLES('user'), '[token, api]')}`,
  closed: `id: closed
name: Closed
auth: oauth2-client-credentials
tokenUrl: ${alertingUrl}/token
apiBaseUrl: ${alertingUrl}/api
${at(VARIABLES('integration'), '[token]')}`,
});

let provider: CertifiedServer;
let alerting: Awaited<ReturnType<typeof startAlertingServer>>;
let gateway: Gateway;
let project: Project;
const cleanUps: (() => Promise<unknown>)[] = [];
const answers: string[] = [];
let tokens = 0;
let isTokenRefused = false;

function answer({ url, client }: SeenCall) {
  if (url === '/token') {
    tokens += 1;
    return {
      body: { access_token: `token-${tokens}-of-${client}`, refresh_token: `r${tokens}`, expires_in: 3600 },
    };
  }
  if (isTokenRefused) {
    isTokenRefused = false;
    return { status: 401, body: {} };
  }
  if (url.startsWith('/api/tenants')) return { body: { data: [{ id: `tenant-of-${client}` }] } };
  if (url.startsWith('/api/payments')) return { body: { data: [{ id: 'p1', client }] } };
  return { body: { client } };
}

beforeAll(async () => {
  provider = await startCertifiedServer(answer);
  alerting = await startAlertingServer(45);
  const catalog = await createCatalogDir(filesOf(provider.origin, alerting.origin));
  const directory = await mkdtemp(join(tmpdir(), 'gateway-ca-'));
  await writeFile(join(directory, 'ca.pem'), TEST_CERTIFICATE);
  gateway = await spawnGateway({
    catalogDir: catalog.path,
    env: { NODE_EXTRA_CA_CERTS: join(directory, 'ca.pem'), LOG_LEVEL: 'debug' },
  });
  cleanUps.push(gateway.stop, provider.close, alerting.close, catalog.remove, () =>
    rm(directory, { recursive: true }),
  );
  project = await provision(gateway, { allowedOrigins: [APP_ORIGIN] });
});

afterAll(async () => {
  for (const cleanUp of cleanUps) await cleanUp();
});

/** As the project's key; what was answered is kept for the search for keys. */
async function asKey(method: string, path: string, body?: object) {
  const reply = await callApi(gateway.url, method, path, { bearer: project.apiKey, ...(body && { body }) });
  answers.push(reply.text);
  return reply;
}

const integrate = (serviceProvider: string, variables: object = {}, more: object = {}) =>
  asKey('POST', '/v1/integrations', { serviceProvider, variables, ...more });

const CLIENT = { clientId: 'client-1', clientSecret: 'the-client-secret', scopes: ['all'] };

const importFor = (integrationId: string, userId: string, credentials: object) =>
  asKey('POST', '/v1/connections', { integrationId, userId, credentials });

const callAs = (userId: string, serviceProvider: string, path = '/me', method = 'GET') =>
  callApi(gateway.url, method, `/projects/${project.id}/proxy/${serviceProvider}${path}`, {
    bearer: project.userToken(userId),
  });

async function openSession(integrationId: string, userId: string) {
  const session = await callApiOk(gateway.url, 'POST', '/v1/connect-sessions', {
    bearer: project.userToken(userId),
    headers: { origin: APP_ORIGIN },
    body: { integrationId },
  });
  const browser = createHttpBrowser({ origins: [gateway.url] });
  const complete = async (closing: Awaited<ReturnType<typeof browser.open>>) =>
    callApiOk(gateway.url, 'POST', `/v1/connect-sessions/${session.id}/complete`, {
      bearer: project.userToken(userId),
      body: { completionCode: readOutcome(closing).message.completionCode },
    });
  return { url: session.url as string, browser, complete };
}

const seenAt = (path: string) => provider.calls.filter(({ url }) => url.startsWith(path));

describe('an integration with a client certificate', () => {
  it('shows it in place of a secret for tokens, at the API, in polls, refreshes and revocations', async () => {
    const made = await integrate('bank', TENANT_A, { clientId: 'client-1', scopes: ['all'] });
    expect(made.status).toBe(201);
    const { url, browser, complete } = await openSession(made.body.id, 'ann');
    const { url: page } = await browser.open(url);
    const state = new URL(page).searchParams.get('state');
    const connection = await complete(
      await browser.open(`${gateway.url}/oauth/callback?state=${state}&code=c0de`),
    );
    expect(connection).toMatchObject({ status: 'active', accountId: 'tenant-a' });

    const exchange = new URLSearchParams(seenAt('/token')[0]?.body);
    expect(Object.fromEntries(exchange)).toMatchObject({ client_id: 'client-1', code: 'c0de' });
    expect(exchange.has('client_secret')).toBe(false);
    expect(seenAt('/token')[0]?.headers.authorization).toBeUndefined();

    expect((await callAs('ann', 'bank')).body).toEqual({ client: 'tenant-a' });
    expect((await callAs('ann', 'bank', '/payments', 'POST')).status).toBe(200);
    isTokenRefused = true;
    expect((await callAs('ann', 'bank')).body).toEqual({ client: 'tenant-a' });
    expect(seenAt('/token').at(-1)?.body).toContain('grant_type=refresh_token');
    expect((await asKey('POST', `/v1/connections/${connection.id}/test`)).body).toMatchObject({ ok: true });
    const poll = { integrationId: made.body.id, resource: 'payments', intervalSeconds: 60, backfill: 'full' };
    const dryRun = await asKey('POST', '/v1/polls?dryRun=true', poll);
    expect(dryRun.text).toContain('p1');

    await asKey('DELETE', `/v1/connections/${connection.id}`);
    await until(() => seenAt('/revoke').length === 1);
    expect(new Set(provider.calls.map(({ client }) => client))).toEqual(new Set(['tenant-a']));
  });

  it('may use a client secret as well, and a new certificate counts from the next call on', async () => {
    const made = await integrate('payroll', TENANT_A, CLIENT);
    const connected = await importFor(made.body.id, 'bea', {});
    expect(connected.status).toBe(201);
    expect(seenAt('/token').at(-1)?.headers.authorization).toMatch(/^Basic /);
    expect((await callAs('bea', 'payroll')).body).toEqual({ client: 'tenant-a' });

    const half = await asKey('PATCH', `/v1/integrations/${made.body.id}`, {
      variables: { certificate: TENANT_B.certificate },
    });
    expect(half).toMatchObject({ status: 422, body: { code: 'variable_invalid' } });
    expect(half.body.errors[0].path).toBe('body.variables.privateKey');
    await asKey('PATCH', `/v1/integrations/${made.body.id}`, { variables: TENANT_B });
    await until(async () => (await callAs('bea', 'payroll')).body.client === 'tenant-b');
    const after = provider.calls.length;
    await callAs('bea', 'payroll');
    expect(provider.calls.slice(after).map(({ client }) => client)).toEqual(['tenant-b']);
  });

  it.each([
    [
      'a key of another certificate',
      { ...TENANT_A, privateKey: TENANT_B.privateKey },
      'privateKey',
      'another certificate',
    ],
    ['an expired certificate', EXPIRED, 'certificate', 'has expired'],
    [
      'an encrypted key without its passphrase',
      { ...TENANT_A, privateKey: TENANT_A_ENCRYPTED_KEY },
      'passphrase',
      'needed',
    ],
    [
      'a wrong passphrase',
      { ...TENANT_A, privateKey: TENANT_A_ENCRYPTED_KEY, passphrase: 'close-sesame' },
      'passphrase',
      'does not open',
    ],
    ['a text that is no certificate', { ...TENANT_A, certificate: 'hello' }, 'certificate', 'not valid'],
    [
      'its chain the wrong way round',
      { ...TENANT_C, certificate: turned(TENANT_C.certificate) },
      'privateKey',
      'first',
    ],
  ])('is refused with %s, and the fault stands at its field', async (_name, pair, field, words) => {
    const refused = await integrate('payroll', pair, CLIENT);
    expect(refused).toMatchObject({ status: 422, body: { code: 'variable_invalid' } });
    expect(refused.body.errors).toEqual([
      { path: `body.variables.${field}`, message: expect.stringContaining(words) },
    ]);
    expect(refused.text).not.toMatch(/BEGIN|close-sesame/);
  });

  it('takes certificates as people paste them, and keeps no key that stands beside them', async () => {
    const certificate =
      `Bag Attributes\n  friendlyName: a\n${TENANT_A.privateKey}${TENANT_A.certificate}`.replaceAll(
        '\n',
        '\\n',
      );
    const made = await integrate('payroll', { certificate, privateKey: TENANT_A.privateKey }, CLIENT);
    expect(made.status).toBe(201);
    await importFor(made.body.id, 'cyd', {});
    expect(seenAt('/token').at(-1)?.client).toBe('tenant-a');
  });

  it('whose certificate the provider refuses fails by that name, in imports, connections and the diagnosis', async () => {
    const made = await integrate('closed', TENANT_A, CLIENT);
    const refused = await importFor(made.body.id, 'dan', {});
    expect(refused).toMatchObject({ status: 502, body: { code: 'integration_misconfigured' } });
    expect(refused.body.detail).toContain('certificate_expired');
    const { body } = await asKey('GET', `/v1/integrations/${made.body.id}/diagnosis?refresh=true`);
    expect(body.findings).toContainEqual(
      expect.objectContaining({ code: 'client_certificate_refused', severity: 'error' }),
    );
  });
});

describe('a user’s own client certificate', () => {
  it('is asked for on the form, judged there, and shown for this connection alone', async () => {
    const made = await integrate('vaults');
    const { url, browser, complete } = await openSession(made.body.id, 'eve');
    const form = await browser.open(url);
    expect(form.body).toMatch(/<textarea id="certificate"[^>]* required/);
    expect(form.body).toMatch(/<textarea id="privateKey"[^>]* required/);
    const mixed = await browser.submit(url, {
      ...TENANT_B,
      privateKey: TENANT_A.privateKey,
      username: 'eve',
      password: 'e',
    });
    expect(mixed.status).toBe(422);
    expect(mixed.body).toContain('belongs to another certificate');
    expect(mixed.body).not.toContain('PRIVATE KEY');
    const locked = {
      certificate: TENANT_A.certificate,
      privateKey: TENANT_A_ENCRYPTED_KEY,
      username: 'eve',
      password: 'e',
    };
    expect((await browser.submit(url, locked)).body).toContain('Enter its passphrase');
    const connection = await complete(await browser.submit(url, { ...locked, passphrase: KEY_PASSPHRASE }));
    expect(JSON.stringify(connection)).not.toMatch(/BEGIN|open-sesame/);

    const imported = await importFor(made.body.id, 'fay', {
      username: 'fay',
      password: 'f',
      variables: TENANT_B,
    });
    expect(imported.status).toBe(201);
    const both = [...Array(3)].flatMap(() => [callAs('eve', 'vaults'), callAs('fay', 'vaults')]);
    const clients = (await Promise.all(both)).map(({ body }) => body.client);
    expect(clients).toEqual(['tenant-a', 'tenant-b', 'tenant-a', 'tenant-b', 'tenant-a', 'tenant-b']);
    const calls = provider.calls
      .slice(-6)
      .map(({ client, headers }) => [client, userOf(headers.authorization)]);
    expect(new Set(calls.map(String))).toEqual(new Set(['tenant-a,eve', 'tenant-b,fay']));
  });

  it('is refused in an import like any other value, and none is taken from another connection', async () => {
    const made = await integrate('vaults');
    const without = await importFor(made.body.id, 'gil', { username: 'gil', password: 'g' });
    expect(without).toMatchObject({ status: 422, body: { code: 'credentials_invalid' } });
    const expired = await importFor(made.body.id, 'gil', {
      username: 'gil',
      password: 'g',
      variables: EXPIRED,
    });
    expect(expired.body.errors).toEqual([
      { path: 'body.credentials.variables.certificate', message: 'the certificate has expired' },
    ]);
    expect(provider.calls.some(({ headers }) => userOf(headers.authorization) === 'gil')).toBe(false);
  });

  it('is shown for log-ins, for the list of tenants, and for the log-out when the connection is gone', async () => {
    const made = await integrate('desks');
    const { body } = await importFor(made.body.id, 'hal', { variables: TENANT_B });
    expect((await callAs('hal', 'desks')).body).toEqual({ client: 'tenant-b' });
    const { body: reached } = await asKey('GET', `/v1/connections/${body.id}/tenants`);
    expect(reached.tenants).toMatchObject([{ id: 'tenant-of-tenant-b' }]);
    const before = seenAt('/revoke').length;
    await asKey('DELETE', `/v1/connections/${body.id}`);
    await until(() => seenAt('/revoke').length === before + 1);
    expect(seenAt('/revoke').at(-1)?.client).toBe('tenant-b');
  });
});

it('no key and no passphrase stands in an answer, a log, or a plain column', async () => {
  await asKey('GET', '/v1/integrations');
  await asKey('GET', `/v1/projects/${project.id}/connections`);
  await asKey('GET', '/v1/activity');
  const keys = { a: TENANT_A.privateKey, b: TENANT_B.privateKey, encrypted: TENANT_A_ENCRYPTED_KEY };
  const lines = Object.entries(keys).map(([name, pem]) => [name, pem.split('\n')[1] ?? ''] as const);
  const secrets = new Map([...lines, ['passphrase', KEY_PASSPHRASE], ['wrong passphrase', 'close-sesame']]);
  const knex = createKnex({ client: 'pg', connection: connectionSettings(gateway.databaseUrl ?? '') });
  const stored = await dumpDatabase(knex);
  await knex.destroy();
  expect(stored).toContain('secret_variables_sealed');
  for (const text of [answers.join('\n'), gateway.logs(), stored])
    expect(findLeaks(text, secrets)).toEqual([]);
});

function userOf(authorization: unknown): string {
  const pair = String(authorization).replace(/^Basic /, '');
  return Buffer.from(pair, 'base64').toString('utf8').split(':')[0] ?? '';
}

/** The chain with its last certificate first. */
function turned(chain: string): string {
  return chain
    .split(/(?<=-----END CERTIFICATE-----\n)/)
    .reverse()
    .join('');
}
