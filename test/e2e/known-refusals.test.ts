import { createHttpBrowser } from '../examples/http-browser.ts';
import { createCatalogDir } from '../support/catalog-dir.ts';
import {
  callApi,
  callApiOk,
  type Gateway,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';
import { createRsaPair, type LoginProvider, startLoginProvider } from '../support/login-provider.ts';
import { APP_ORIGIN } from '../support/stage.ts';
import { until } from '../support/until.ts';

const fileOf = (url: string) => ({
  signer: `id: signer
name: Signer
auth: jwt-bearer
tokenUrl: ${url}/token
apiBaseUrl: ${url}/api
variables:
  app: { title: App }
  privateKey: { title: Key, secret: true, input: private-key }
  person: { from: application, title: Act for }
jwt: { claims: { iss: '{app}', sub: '{person}', aud: '${url}/token' } }
refusals:
  - code: consent_required
    remedy: The user has to consent once, at the address that follows.
    consentUrl: https://signer.example/consent?app={app}
  - code: invalid_grant
    words: approved this consumer
    remedy: An administrator has to approve the app.
`,
});

let fake: LoginProvider;
let catalog: Awaited<ReturnType<typeof createCatalogDir>>;
let gateway: Gateway;
let project: Project;
let integrationId: string;
let answer: object = {};

const asKey = (method: string, path: string, body?: object) =>
  callApi(gateway.url, method, `/v1${path}`, { bearer: project.apiKey, ...(body && { body }) });

beforeAll(async () => {
  fake = await startLoginProvider();
  fake.handlers.set('POST /token', () => ({ status: 400, body: answer }));
  catalog = await createCatalogDir(fileOf(fake.url));
  gateway = await startGateway({ catalogDir: catalog.path });
  project = await provision(gateway, { allowedOrigins: [APP_ORIGIN] });
  const variables = { app: 'our app', privateKey: createRsaPair().pem };
  integrationId = (await asKey('POST', '/integrations', { serviceProvider: 'signer', variables })).body.id;
});

afterAll(async () => {
  await gateway?.stop();
  await catalog?.remove();
  await fake?.close();
});

const CONSENT = { error: 'consent_required' };
const UNAPPROVED = { error: 'invalid_grant', error_description: "user hasn't approved this consumer" };

it.each([
  ['by its code, with the address to consent at', CONSENT, 'https://signer.example/consent?app=our%20app'],
  ['by its words', UNAPPROVED, 'An administrator has to approve the app.'],
])('a refusal that is no fault of the credentials is known %s', async (_how, given, advice) => {
  answer = given;
  const session = await callApiOk(gateway.url, 'POST', '/v1/connect-sessions', {
    bearer: project.apiKey,
    body: { integrationId, userId: 'ann', variables: { person: 'ann@acme.example' } },
  });
  const browser = createHttpBrowser({ origins: [gateway.url] });
  await browser.open(session.url);
  const page = await browser.submit(session.url, {});
  expect(page.body).toContain('ask the people who run the application');
  expect(page.body).not.toContain('Check them');
  expect(page.body).not.toContain('signer.example');
  const findings = async () => {
    const { body } = await asKey('GET', `/integrations/${integrationId}/diagnosis?refresh=false`);
    return JSON.stringify(
      body.findings.filter(({ code }: { code: string }) => code === 'provider_setup_missing'),
    );
  };
  await until(async () => (await findings()).includes(advice));

  const imported = await asKey('POST', '/connections', {
    integrationId,
    userId: 'ann',
    credentials: { variables: { person: 'ann@acme.example' } },
  });
  expect([imported.body.code, imported.body.detail]).toEqual([
    'integration_misconfigured',
    expect.stringContaining(advice),
  ]);
});

it('any other refusal is about the credentials', async () => {
  answer = { error: 'invalid_grant', error_description: 'expired authorization code' };
  const imported = await asKey('POST', '/connections', {
    integrationId,
    userId: 'bea',
    credentials: { variables: { person: 'bea@acme.example' } },
  });
  expect(imported.body.code).toBe('credentials_invalid');
});
