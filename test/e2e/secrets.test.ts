import { randomBytes } from 'node:crypto';
import { createCatalogDir } from '../support/catalog-dir.ts';
import {
  type ApiCall,
  callApi,
  type Gateway,
  OPERATOR,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';
import { dumpDatabase, findLeaks, listDisguises } from '../support/leaks.ts';
import { type PlantedProvider, startPlantedProvider } from '../support/planted-provider.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { APP_ORIGIN, readOutcome } from '../support/stage.ts';

const USER = 'user-of-the-story';
const CLIENT_ID = 'client-id-which-is-no-secret';

const secrets = new Map<string, string>();
/** What the gateway answered, where, and which secrets that answer is there to give. */
const answers: { where: string; text: string; gives: readonly string[] }[] = [];

let provider: PlantedProvider;
let catalog: Awaited<ReturnType<typeof createCatalogDir>>;
let database: TestDatabase;
let gateway: Gateway;
let project: Project;

/** Letters and signs only: a net that knows credentials by their digits would hide what nobody took out. */
function unremarkable(): string {
  const word = () => String.fromCharCode(...randomBytes(7).map((byte) => 97 + (byte % 26)));
  return `${word()}+${word()}/${word()}`;
}

function plant(name: string, value = `planted.${name}.${unremarkable()}`): string {
  secrets.set(name, value);
  return value;
}

/** A call whose answer is kept for the search. */
async function call(method: string, path: string, options: ApiCall & { gives?: readonly string[] } = {}) {
  const { gives = [], ...rest } = options;
  const answer = await callApi(gateway.url, method, path, rest);
  const head = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  answers.push({ where: `${method} ${path.split('?')[0]}`, text: `${head}\n\n${answer.text}`, gives });
  return answer;
}

const asKey = (body?: unknown): ApiCall => ({
  bearer: project.apiKey,
  ...(body === undefined ? {} : { body }),
});
const asUser = (body?: unknown): ApiCall => ({
  bearer: secret('userToken'),
  ...(body === undefined ? {} : { body }),
});

function secret(name: string): string {
  const value = secrets.get(name);
  if (value === undefined) throw new Error(`Nothing is planted as ${name}`);
  return value;
}

beforeAll(async () => {
  provider = await startPlantedProvider();
  catalog = await createCatalogDir({ planted: provider.providerFile });
  database = await createTestDatabase();
  const ENCRYPTION_KEYS = `k1:${plant('encryptionKey', randomBytes(32).toString('base64'))}`;
  const SETUP_TOKEN = plant('setupToken');
  gateway = await startGateway({
    catalogDir: catalog.path,
    databaseUrl: database.url,
    env: { ENCRYPTION_KEYS, SETUP_TOKEN, LOG_LEVEL: 'trace' },
  });
  await tellTheStory();
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
  await provider?.close();
  await catalog?.remove();
});

async function tellTheStory(): Promise<void> {
  await call('POST', '/v1/setup', {
    body: { token: plant('wrongSetupToken'), email: OPERATOR.email, password: plant('refusedPassword') },
  });
  plant('password', OPERATOR.password);
  project = await provision(gateway, { allowedOrigins: [APP_ORIGIN], returnUrls: [`${APP_ORIGIN}/`] });
  plant('apiKey', project.apiKey);
  plant('personalAccessToken', project.personalAccessToken);
  plant('userToken', project.userToken(USER));
  const integrationId = await integrate();
  await importConnection(integrationId);
  await connect();
  await refuse(integrationId);
  await describeProvider();
  await connectOwn();
  await handOutKeys();
  await wander();
}

async function integrate(): Promise<string> {
  const body = {
    serviceProvider: 'planted',
    clientId: CLIENT_ID,
    clientSecret: plant('clientSecret'),
    webhookSecret: plant('webhookSecret'),
    scopes: ['read'],
  };
  const headers = { 'idempotency-key': 'integration-1' };
  const { body: made } = await call('POST', '/v1/integrations', { ...asKey(body), headers });
  await call('POST', '/v1/integrations', { ...asKey(body), headers });
  await call('GET', `/v1/integrations/${made.id}`, asKey());
  await call('GET', '/v1/integrations', asUser());
  await call('PATCH', `/v1/integrations/${made.id}`, asKey({ webhookSecret: plant('laterWebhookSecret') }));
  await giveOrganizationClient(made.id);
  return made.id;
}

async function giveOrganizationClient(integrationId: string): Promise<void> {
  const path = `/v1/integrations/${integrationId}/clients`;
  const body = {
    ...{ organizationId: 'acme', clientId: 'app-of-acme' },
    clientSecret: plant('organizationSecret'),
  };
  const { body: made } = await call('POST', path, {
    ...asKey(body),
    headers: { 'idempotency-key': 'client-1' },
  });
  await call('PATCH', `${path}/${made.id}`, asKey({ clientSecret: plant('laterOrganizationSecret') }));
  await call('PATCH', `${path}/${made.id}`, asKey({ clientId: 'x', clientSecret: plant('otherSecret') }));
  await call('GET', path, asKey());
  await call('GET', '/v1/activity', asKey());
}

async function importConnection(integrationId: string): Promise<void> {
  const credentials = {
    accessToken: plant('importedAccessToken'),
    refreshToken: plant('importedRefreshToken'),
  };
  const body = { integrationId, userId: 'imported-user', credentials };
  const { body: made } = await call('POST', '/v1/connections', {
    ...asKey(body),
    headers: { 'idempotency-key': 'import-1' },
  });
  await call('GET', `/v1/connections/${made.id}`, asKey());
  const bearer = plant('importedUserToken', project.userToken('imported-user'));
  await call('GET', proxied('/me'), { bearer });
  // The provider no longer takes the token, refuses to refresh it, and repeats all that it was sent.
  await call('GET', proxied('/unauthorized'), { bearer });
  await call('GET', `/v1/connections/${made.id}`, asKey());
}

const proxied = (path: string) => `/projects/${project.id}/proxy/planted${path}`;

/** The authorization by hand, so that code, state, cookie and verifier are all known. */
async function connect(): Promise<void> {
  provider.answerWith = {
    accessToken: plant('grantedAccessToken'),
    refreshToken: plant('grantedRefreshToken'),
  };
  const { session, state, cookie } = await begin('');
  const code = plant('authorizationCode');
  const callback = new URLSearchParams({ code, state });
  const closing = await call('GET', `/oauth/callback?${callback}`, {
    headers: { cookie },
    gives: ['completionCode'],
  });
  const page = { url: '', status: closing.status, body: closing.text, headers: closing.headers };
  const { completionCode = '' } = readOutcome(page).message;
  plant('completionCode', completionCode);
  plant('codeVerifier', provider.tokenRequests.at(-1)?.get('code_verifier') ?? '');
  await call(
    'POST',
    `/v1/connect-sessions/${session.id}/complete`,
    asUser({ completionCode: plant('wrongCode') }),
  );
  // As the SDK sends it: twice where an answer was lost.
  const completion = { ...asUser({ completionCode }), headers: { 'idempotency-key': session.id } };
  await call('POST', `/v1/connect-sessions/${session.id}/complete`, completion);
  await call('POST', `/v1/connect-sessions/${session.id}/complete`, completion);
  await call('GET', '/v1/connections', asUser());
  await call('GET', `${proxied('/contacts')}?key=${plant('queryOfACall')}`, asUser());
  // The same callback again: used up.
  await call('GET', `/oauth/callback?${callback}`, { headers: { cookie } });
}

/** Starts an authorization: its session, the state that went to the provider, and the browser's cookie. */
async function begin(suffix: string) {
  const names = [`connectToken${suffix}`, `state${suffix}`, `cookie${suffix}`] as const;
  const started = await call('POST', '/v1/connect-sessions', {
    ...asUser({ provider: 'planted' }),
    headers: { origin: APP_ORIGIN },
    gives: names,
  });
  const session: { id: string; url: string } = started.body;
  plant(names[0], session.url.split('/').at(-1));
  const redirect = await call('GET', new URL(session.url).pathname, { gives: names });
  const cookie = redirect.headers.get('set-cookie')?.split(';')[0] ?? '';
  const state = new URL(redirect.headers.get('location') ?? '').searchParams.get('state') ?? '';
  plant(names[1], state);
  plant(names[2], cookie.slice(cookie.indexOf('=') + 1));
  return { session, state, cookie };
}

async function refuse(integrationId: string): Promise<void> {
  provider.answerWith = 'refusal';
  const { state, cookie } = await begin('OfARefusal');
  const callback = new URLSearchParams({ code: plant('refusedCode'), state });
  await call('GET', `/oauth/callback?${callback}`, { headers: { cookie } });
  plant('refusedCodeVerifier', provider.tokenRequests.at(-1)?.get('code_verifier') ?? '');
  const strayed = new URLSearchParams({ code: plant('strayCode'), state: plant('strayState') });
  await call('GET', `/oauth/callback?${strayed}`);
  await call('GET', `/oauth/callback?error=access_denied&error_description=${plant('strayDescription')}`);
  await call('GET', `/oauth/callback/${integrationId}?${strayed}`);
  await call('GET', `/connect/${plant('strayConnectToken', randomBytes(32).toString('base64url'))}`);
}

/** A provider of the project's own whose credentials have parts in variables, of the operator and of the end user. */
const OWN = {
  id: 'own',
  name: 'Own',
  auth: 'oauth2',
  apiHeaders: {
    'X-Developer': '{developerToken}',
    'X-Pin': '{pin}',
    'X-Session': '{sessionKey}',
    'X-Hint': '{hint}',
  },
  tokenParams: { developer: '{developerToken}', pin: '{pin}' },
  refreshParams: { developer: '{developerToken}', session: '{sessionKey}' },
  variables: {
    developerToken: { from: 'integration', secret: true },
    pin: { from: 'user', secret: true },
    hint: { from: 'callback', secret: true },
    sessionKey: { from: 'token-response', path: 'session_key', secret: true },
  },
};

async function describeProvider(): Promise<void> {
  const { url } = provider;
  const own = { ...OWN, authorizationUrl: `${url}/authorize`, tokenUrl: `${url}/token`, apiBaseUrl: url };
  for (const path of ['/v1/providers', '/v1/providers?dryRun=true']) {
    await call('POST', path, asKey({ ...own, clientSecret: plant(`strayIn${path.length}`) }));
    const tokenUrl = `ftp://${plant(`strayAddress${path.length}`)}`;
    await call(
      'POST',
      path,
      asKey({ ...own, tokenUrl, variables: { pin: { pattern: `${plant(`strayRule${path.length}`)}(` } } }),
    );
  }
  const described = await call('POST', '/v1/providers', asKey(own));
  expect(described.status).toBe(201);
  await call('POST', '/v1/providers?dryRun=true', asKey({ ...own, id: 'dry' }));
  const body = {
    serviceProvider: 'custom:own',
    clientId: CLIENT_ID,
    clientSecret: plant('ownClientSecret'),
    variables: { developerToken: plant('replacedDeveloperToken') },
    scopes: ['read'],
  };
  const { body: made } = await call('POST', '/v1/integrations', {
    ...asKey(body),
    headers: { 'idempotency-key': 'integration-2' },
  });
  const variables = { developerToken: plant('developerToken') };
  await call('PATCH', `/v1/integrations/${made.id}`, asKey({ variables }));
  const unknown = { ...variables, clientPin: plant('secretOfNoVariable') };
  await call('PATCH', `/v1/integrations/${made.id}`, asKey({ variables: unknown }));
  for (const path of [
    `/v1/integrations/${made.id}`,
    '/v1/integrations',
    '/v1/providers/custom:own',
    '/v1/activity',
  ])
    await call('GET', path, asKey());
}

/** From the form to the application's return URL, by a callback that is posted; then a call whose token is refused. */
async function connectOwn(): Promise<void> {
  const names = ['ownConnectToken', 'ownState', 'ownCookie'] as const;
  const started = await call('POST', '/v1/connect-sessions', {
    ...asUser({ provider: 'custom:own', returnUrl: `${APP_ORIGIN}/` }),
    headers: { origin: APP_ORIGIN },
    gives: names,
  });
  const session: { id: string; url: string } = started.body;
  plant(names[0], session.url.split('/').at(-1));
  const link = new URL(session.url).pathname;
  const opened = await call('GET', link, { gives: names });
  const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
  plant(names[2], cookie.slice(cookie.indexOf('=') + 1));
  await submit(link, { pin: `${plant('wrongPin')}\u0001` }, cookie, names);
  const redirect = await submit(link, { pin: plant('pin') }, cookie, names);
  const authorization = new URL(redirect.headers.get('location') ?? '');
  const state = authorization.searchParams.get('state') ?? '';
  plant(names[1], state);

  provider.answerWith = {
    accessToken: plant('ownAccessToken'),
    refreshToken: plant('ownRefreshToken'),
    sessionKey: plant('sessionKey'),
  };
  const posted = { code: plant('postedCode'), hint: plant('hint'), state, id_token: plant('postedIdToken') };
  const callback = new URL(authorization.searchParams.get('redirect_uri') ?? '').pathname;
  const forwarded = await submit(callback, posted, '', ['postedCode', 'hint', 'ownState']);
  const back = await call('GET', forwarded.headers.get('location') ?? '', {
    headers: { cookie },
    gives: ['ownCompletionCode'],
  });
  const fragment = new URLSearchParams(back.headers.get('location')?.split('#')[1]);
  const completionCode = plant('ownCompletionCode', fragment.get('completion_code') ?? '');
  plant('ownCodeVerifier', provider.tokenRequests.at(-1)?.get('code_verifier') ?? '');
  const { body } = await call(
    'POST',
    `/v1/connect-sessions/${session.id}/complete`,
    asUser({ completionCode }),
  );
  await call('GET', `/v1/connections/${body.id}`, asKey());
  const target = `/projects/${project.id}/proxy/custom:own`;
  await call('GET', `${target}/me`, asUser());
  provider.answerWith = 'refusal';
  await call('GET', `${target}/unauthorized`, asUser());
}

/** A form as browsers post it. */
async function submit(path: string, form: Record<string, string>, cookie: string, gives: readonly string[]) {
  const response = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { cookie },
    body: new URLSearchParams(form),
    redirect: 'manual',
  });
  const head = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  answers.push({ where: `POST ${path.split('/')[1]}`, text: `${head}\n\n${await response.text()}`, gives });
  return response;
}

async function handOutKeys(): Promise<void> {
  const bearer = project.personalAccessToken;
  const request = { bearer, body: { name: 'second' }, headers: { 'idempotency-key': 'key-1' } };
  const gives = ['secondApiKey'];
  const { body } = await call('POST', `/v1/projects/${project.id}/api-keys`, { ...request, gives });
  plant('secondApiKey', body.key);
  const replayed = await call('POST', `/v1/projects/${project.id}/api-keys`, { ...request, gives });
  expect(replayed.body).toEqual(body);
  await call('GET', `/v1/projects/${project.id}/api-keys`, { bearer });
  await call('GET', `/v1/projects/${project.id}/signing-keys`, { bearer });
  const minted = await call('POST', '/v1/user-tokens', {
    ...asKey({ userId: USER }),
    gives: ['mintedUserToken'],
  });
  plant('mintedUserToken', minted.body.token);
  await call('GET', '/v1/connections', { bearer: secret('mintedUserToken') });
  await call('GET', '/v1/activity', { bearer });
}

/** Secrets where none belongs: addresses, headers, broken bodies, refused tokens. */
async function wander(): Promise<void> {
  const authorization = (name: string) => ({ headers: { authorization: `Bearer ${plant(name)}` } });
  await call('GET', '/nowhere', authorization('bearerToNowhere'));
  await call('GET', '/v1/nowhere', authorization('bearerToNoOperation'));
  await call('GET', '/v1/integrations', authorization('bearerUnknown'));
  await call('GET', proxied('/me'), authorization('bearerUnknownToTheProxy'));
  await call('GET', '/v1/integrations', { headers: { authorization: `Basic ${plant('basic')}` } });
  await call('GET', `/v1/integrations?access_token=${plant('tokenInAQuery')}`);
  await call('GET', `${proxied('/me')}?access_token=${plant('tokenInAProxiedQuery')}`);
  await call('GET', '/v1/integrations', { headers: { cookie: `session=${plant('strayCookie')}` } });
  await call('POST', `/webhooks/${project.id}?token=${plant('tokenOfAWebhook')}`, { body: {} });
  const broken = await fetch(`${gateway.url}/v1/integrations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${project.apiKey}`, 'content-type': 'application/json' },
    body: `{"clientSecret": "${plant('secretInBrokenJson')}", `,
  });
  answers.push({ where: 'POST broken JSON', text: await broken.text(), gives: [] });
  const mistyped = { clientSecrets: plant('secretUnderAWrongName'), scopes: plant('secretOfAWrongType') };
  await call('POST', '/v1/integrations', asKey({ serviceProvider: plant('secretAsProvider'), ...mistyped }));
  const expired = plant('expiredUserToken', project.userToken(USER, { expiresInSeconds: -3600 }));
  await call('GET', '/v1/connections', { bearer: expired });
  for (const path of [
    '/metrics',
    '/openapi.json',
    '/docs',
    '/docs/try',
    '/docs/errors',
    '/readyz',
    '/livez',
    '/',
  ]) {
    await call('GET', path);
  }
}

const REACHING = [
  'clientSecret',
  'importedRefreshToken',
  'authorizationCode',
  'grantedAccessToken',
  'developerToken',
  'pin',
  'hint',
  'sessionKey',
  'postedCode',
  'ownAccessToken',
  'ownRefreshToken',
];

describe('a secret', () => {
  it('reached where it belongs, so that the search has something to find', () => {
    const reached = provider.tokenRequests.map(String).join('\n') + provider.headers.join('\n');
    const forms = (name: string) => [
      secret(name),
      new URLSearchParams([['', secret(name)]]).toString().slice(1),
    ];
    expect(REACHING.filter((name) => !forms(name).some((form) => reached.includes(form)))).toEqual([]);
    expect([...secrets].filter(([, value]) => value.length < 16)).toEqual([]);
    expect(answers.filter(({ text }) => text.includes('"status":"active"')).length).toBeGreaterThan(1);
  });

  it.each([
    ['plain', (text: string) => `"${text}"`],
    ['in a URL', (text: string) => `?token=${encodeURIComponent(text)}&`],
    ['in hexadecimal', (text: string) => `\\x00${Buffer.from(text).toString('hex')}`],
    ['in base64', (text: string) => Buffer.from(text).toString('base64')],
    ['in base64 after one character', (text: string) => Buffer.from(`1${text}9`).toString('base64')],
    ['in base64url after two', (text: string) => Buffer.from(`12${text}`).toString('base64url')],
  ])('would be found %s', (_how, disguise) => {
    const found = [...secrets.keys()].filter((name) =>
      findLeaks(disguise(secret(name)), secrets).includes(name),
    );
    expect(found).toEqual([...secrets.keys()]);
  });

  it('is never written to the log, not even at level trace', async () => {
    await gateway.stop();
    expect(gateway.logs()).toContain('/v1/connect-sessions');
    expect(findLeaks(gateway.logs(), secrets)).toEqual([]);
  });

  it('is in no answer but the one that hands it out', () => {
    const leaks = answers.flatMap(({ where, text, gives }) =>
      findLeaks(text, secrets)
        .filter((name) => !gives.includes(name))
        .map((name) => `${name} in ${where}`),
    );
    expect(leaks).toEqual([]);
  });

  it('can be read in no column of any table', async () => {
    const dump = await dumpDatabase(database.knex);
    // The dump is one of the real tables, and the search sees through their encodings.
    expect(dump).toContain(CLIENT_ID);
    expect(dump).toContain(OPERATOR.email);
    const leaks = [...secrets].flatMap(([name, value]) =>
      dump
        .split('\n')
        .filter((line) => listDisguises(value).some((form) => line.includes(form)))
        .map((line) => `${name} in ${line.slice(0, line.indexOf(' '))}`),
    );
    expect(leaks).toEqual([]);
  });
});
