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
import {
  createRsaPair,
  type LoginProvider,
  readForm,
  startLoginProvider,
} from '../support/login-provider.ts';
import { APP_ORIGIN, readOutcome } from '../support/stage.ts';

/** A service account that may act for everybody of an organization, as Google's and Salesforce's may. */
const fileOf = (url: string) => ({
  mailbox: `id: mailbox
name: Mailbox
auth: jwt-bearer
tokenUrl: ${url}/token
apiBaseUrl: ${url}/api
variables:
  privateKey: { title: Key, secret: true, input: private-key }
  person: { from: application, title: Act for, description: The address of the user to act for, pattern: '[a-z]+@[a-z.]+' }
  folder: { title: Folder, optional: true }
jwt:
  claims: { iss: robot, sub: '{person}', aud: '${url}/token' }
apiHeaders: { X-Folder: '{folder}', Act-For: '{person}' }
apiQuery: { box: '{person}' }
account:
  id: { from: variable, path: person }
`,
});

const rsa = createRsaPair();
let fake: LoginProvider;
let catalog: Awaited<ReturnType<typeof createCatalogDir>>;
let gateway: Gateway;
let project: Project;

beforeAll(async () => {
  fake = await startLoginProvider();
  fake.handlers.set('POST /token', (request) => {
    const [, claims = ''] = (readForm(request).assertion ?? '').split('.');
    const { sub } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    return { body: { access_token: fake.openSession(String(sub)), expires_in: 3600 } };
  });
  catalog = await createCatalogDir(fileOf(fake.url));
  gateway = await startGateway({ catalogDir: catalog.path });
  project = await provision(gateway, { allowedOrigins: [APP_ORIGIN] });
});

afterAll(async () => {
  await gateway?.stop();
  await catalog?.remove();
  await fake?.close();
});

const integrate = async (variables: Record<string, string> = {}): Promise<string> => {
  const body = { serviceProvider: 'mailbox', variables };
  return (await callApiOk(gateway.url, 'POST', '/v1/integrations', { bearer: project.apiKey, body })).id;
};
const begin = (bearer: string, body: object) =>
  callApi(gateway.url, 'POST', '/v1/connect-sessions', {
    bearer,
    body,
    headers: bearer === project.apiKey ? {} : { origin: APP_ORIGIN },
  });
const beginAs = (user: string, body: object) => begin(project.userToken(user), body);
const beginByKey = (userId: string, body: object) => begin(project.apiKey, { userId, ...body });
const me = (user: string, integrationId: string) =>
  callApi(gateway.url, 'GET', `/projects/${project.id}/proxy/mailbox/me`, {
    bearer: project.userToken(user),
    headers: { 'gateway-integration': integrationId },
  });

/** The way of a user through the form, up to the answer of its completion. */
async function fillIn(session: { id: string; url: string }, bearer: string, fields: Record<string, string>) {
  const browser = createHttpBrowser({ origins: [gateway.url] });
  const page = await browser.open(session.url);
  const closing = await browser.submit(session.url, fields);
  const { completionCode } = readOutcome(closing).message;
  const completed = await callApi(gateway.url, 'POST', `/v1/connect-sessions/${session.id}/complete`, {
    bearer,
    body: { completionCode },
  });
  return { page, completed };
}

describe('for whom a key of the integration acts', () => {
  it('is said by the application in the connect session, and not asked of the user', async () => {
    const integrationId = await integrate({ privateKey: rsa.pem });
    const { status, body } = await beginByKey('ann', {
      integrationId,
      variables: { person: 'ann@acme.example' },
    });
    expect(status).toBe(201);
    const fields = { person: 'ceo@acme.example', folder: '' };
    const { page, completed } = await fillIn(body, project.apiKey, fields);
    expect(page.body).not.toContain('name="person"');
    expect(page.body).toContain('name="folder"');
    expect(completed.body).toMatchObject({ status: 'active', accountId: 'ann@acme.example' });
    expect((await me('ann', integrationId)).body.user).toBe('ann@acme.example');
  });

  it('is refused from an end user, and an end user’s session without it never opens a page', async () => {
    const integrationId = await integrate({ privateKey: rsa.pem });
    const typed = await beginAs('bea', { integrationId, variables: { person: 'ceo@acme.example' } });
    expect([typed.status, typed.body.code]).toEqual([403, 'application_variables_refused']);
    expect(typed.body.remedy).toContain('API key');
    const lacking = await beginAs('bea', { integrationId });
    expect([lacking.status, lacking.body.code]).toEqual([422, 'application_variables_missing']);
    expect(lacking.body.errors).toEqual([
      {
        path: 'body.variables.person',
        message: expect.stringContaining('The address of the user to act for'),
      },
    ]);
    const byKey = await beginByKey('bea', { integrationId });
    expect([byKey.status, byKey.body.code]).toEqual([422, 'application_variables_missing']);
  });

  it('is refused by the page where the user chose the integration there', async () => {
    const integrationId = await integrate({ privateKey: rsa.pem });
    const { body } = await beginAs('cyd', {});
    const browser = createHttpBrowser({ origins: [gateway.url] });
    await browser.open(body.url);
    const page = await browser.submit(body.url, { integrationId });
    expect(readOutcome(page).message).toMatchObject({
      status: 'error',
      error: 'application_variables_missing',
    });
    expect(page.body).toContain('has to say for whom it acts');
  });

  it('needs the application’s word again to re-authorize: the connection may have its user’s', async () => {
    const integrationId = await integrate();
    const own = await beginAs('dan', { integrationId });
    const typed = { privateKey: rsa.pem, person: 'dan@acme.example', folder: '' };
    const { page, completed } = await fillIn(own.body, project.userToken('dan'), typed);
    expect(page.body).toContain('name="person"');
    expect(completed.body).toMatchObject({ accountId: 'dan@acme.example' });
    const variables = { privateKey: rsa.pem };
    await callApiOk(gateway.url, 'PATCH', `/v1/integrations/${integrationId}`, {
      bearer: project.apiKey,
      body: { variables },
    });
    const connectionId = completed.body.id;
    const again = await beginAs('dan', { connectionId });
    expect([again.status, again.body.code]).toEqual([422, 'application_variables_missing']);
    const said = await beginByKey('dan', { connectionId, variables: { person: 'dan@acme.example' } });
    expect(said.status).toBe(201);
  });

  it('may be set at the integration for all, and then no session says otherwise', async () => {
    const integrationId = await integrate({ privateKey: rsa.pem, person: 'office@acme.example' });
    const other = await beginByKey('eve', { integrationId, variables: { person: 'ceo@acme.example' } });
    expect([other.status, other.body.code]).toEqual([422, 'variable_invalid']);
    const { body } = await beginAs('eve', { integrationId });
    const { completed } = await fillIn(body, project.userToken('eve'), { folder: '' });
    expect(completed.body.status).toBe('active');
    expect((await me('eve', integrationId)).body.user).toBe('office@acme.example');
  });

  it('is taken by the import, which names it where it lacks', async () => {
    const integrationId = await integrate({ privateKey: rsa.pem });
    const importWith = (variables: object) =>
      callApi(gateway.url, 'POST', '/v1/connections', {
        bearer: project.apiKey,
        body: { integrationId, userId: 'fay', credentials: { variables } },
      });
    const lacking = await importWith({});
    expect([lacking.status, lacking.body.errors?.[0].path]).toEqual([
      422,
      'body.credentials.variables.person',
    ]);
    expect(await importWith({ person: 'fay@acme.example' })).toMatchObject({
      status: 201,
      body: { accountId: 'fay@acme.example' },
    });
  });
});

describe('a call that says for whom the key acts', () => {
  const callAs = (user: string, integrationId: string, query: string, headers: Record<string, string>) =>
    callApi(gateway.url, 'GET', `/projects/${project.id}/proxy/mailbox/me${query}`, {
      bearer: project.userToken(user),
      headers: { 'gateway-integration': integrationId, ...headers },
    });
  const importFor = async (userId: string): Promise<string> => {
    const integrationId = await integrate({ privateKey: rsa.pem });
    await callApiOk(gateway.url, 'POST', '/v1/connections', {
      bearer: project.apiKey,
      body: { integrationId, userId, credentials: { variables: { person: `${userId}@acme.example` } } },
    });
    return integrationId;
  };

  it.each([
    ['in a header field', '', { 'Act-For': 'ceo@acme.example' }, 'headers.act-for'],
    ['in a field that CGI reads as it', '', { act_for: 'ceo@acme.example' }, 'headers.act-for'],
    ['in a parameter', '?box=ceo%40acme.example', {}, 'query.box'],
    ['in a parameter of another spelling', '?a=1;%42ox[0]=ceo%40acme.example', {}, 'query.box'],
    ['in one beside the right one', '?box=ida%40acme.example&box=ceo%40acme.example', {}, 'query.box'],
  ])('is refused %s where the key is the integration’s', async (_where, query, headers, path) => {
    const integrationId = await importFor('ida');
    const before = fake.requests.length;
    const { status, body } = await callAs('ida', integrationId, query, headers);
    expect([status, body.code, body.errors?.[0].path]).toEqual([400, 'invalid_request', path]);
    expect(fake.requests.slice(before)).toEqual([]);
  });

  it('passes where it says the same as the application', async () => {
    const integrationId = await importFor('jan');
    const headers = { 'Act-For': 'jan@acme.example', 'X-Folder': 'inbox' };
    const { status } = await callAs('jan', integrationId, '?box=jan%40acme.example&page=2', headers);
    expect(status).toBe(200);
    expect(fake.requests.at(-1)).toMatchObject({
      path: '/api/me?box=jan%40acme.example&page=2',
      headers: { 'act-for': 'jan@acme.example', 'x-folder': 'inbox' },
    });
  });

  it('is the user’s own affair where the key is', async () => {
    const integrationId = await integrate();
    const { body } = await beginAs('kim', { integrationId });
    const typed = { privateKey: rsa.pem, person: 'kim@acme.example', folder: '' };
    await fillIn(body, project.userToken('kim'), typed);
    const { status } = await callAs('kim', integrationId, '', { 'Act-For': 'ceo@acme.example' });
    expect([status, fake.requests.at(-1)?.headers['act-for']]).toEqual([200, 'ceo@acme.example']);
  });
});

it.each([
  ['one that there is not', { site: 'x' }, 'no such variable'],
  ['one that the user types', { folder: 'x' }, 'from: user'],
  ['a secret', { privateKey: 'x' }, 'from: user'],
  ['a value of another form', { person: 'CEO' }, ''],
])('a connect session refuses %s', async (_what, variables, words) => {
  const integrationId = await integrate({ privateKey: rsa.pem });
  const { status, body } = await beginByKey('gil', { integrationId, variables });
  expect([status, body.code]).toEqual([422, 'variable_invalid']);
  expect(body.errors[0].message).toContain(words);
});

it('a connect session refuses variables while no provider is known', async () => {
  const { status, body } = await beginByKey('hal', { variables: { person: 'hal@acme.example' } });
  expect([status, body.errors?.[0].path]).toEqual([422, 'body.variables']);
});

it('a provider of the project’s own is refused a subject that its users would type', async () => {
  const description = {
    id: 'robots',
    name: 'Robots',
    auth: 'jwt-bearer',
    tokenUrl: 'https://acme.example/token',
    apiBaseUrl: 'https://acme.example/api',
    noProbe: 'The log-in proves it.',
    variables: { privateKey: { secret: true, input: 'private-key' }, person: { from: 'user' } },
    jwt: { claims: { iss: 'robot', sub: '{person}', aud: 'acme' } },
  };
  const make = (person: object) =>
    callApi(gateway.url, 'POST', '/v1/providers', {
      bearer: project.apiKey,
      body: { ...description, variables: { ...description.variables, person } },
    });
  const refused = await make({ from: 'user' });
  expect([refused.status, refused.body.errors?.[0].path]).toEqual([400, 'body.variables.person.from']);
  expect(refused.body.errors[0].message).toContain('from: application');
  const { status, body } = await make({ from: 'application' });
  expect([status, body.variables?.map(({ from }: { from: string }) => from)]).toEqual([
    201,
    ['user', 'application'],
  ]);
});
