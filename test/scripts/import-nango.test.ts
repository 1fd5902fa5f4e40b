import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createGatewayApi } from '../../scripts/nango/gateway-api.ts';
import { importFromNango } from '../../scripts/nango/import.ts';
import type { Names, UserSource } from '../../scripts/nango/mapping.ts';
import { createNangoApi } from '../../scripts/nango/nango-api.ts';
import { type Finding, type Report, renderReport } from '../../scripts/nango/report.ts';
import { createRequester } from '../../scripts/nango/request.ts';
import {
  callApi,
  callApiOk,
  createProject,
  type Gateway,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';
import { closeServer, listen } from '../support/listen.ts';
import { type PlantedProvider, startPlantedProvider } from '../support/planted-provider.ts';
import { type FakeNango, NANGO_KEY, startFakeNango } from './fake-nango.ts';

const SCRIPT = join(import.meta.dirname, '../../scripts/import-nango.ts');
const FUTURE = '2100-01-01T00:00:00.000Z';
const SECRETS = /SECRET-|nango-secret-key|igk_/;
const NAMES: Names = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../scripts/nango/names.json'), 'utf8'),
);
const SENDGRID = `
id: sendgrid
name: SendGrid
auth: api-key
apiBaseUrl: http://127.0.0.1:9
apiKey: { in: header, name: Authorization, template: "Bearer {apiKey}" }
noProbe: It is not asked here.
`;
/** Usually OAuth 2.0, beside a key and a log-in that users type. */
const ways = (url: string) => `
id: ways
name: Ways
auth: oauth2
authorizationUrl: http://127.0.0.1:9/authorize
tokenUrl: http://127.0.0.1:9/token
apiBaseUrl: ${url}
grants:
  - id: key
    title: Key
    auth: api-key
    apiKey: { in: header, name: X-Key, template: "{apiKey}" }
    noProbe: It is not asked here.
  - id: log-in
    title: Log-in
    auth: token-login
    variables: { company: {}, userName: {}, secretWord: { secret: true } }
    login:
      steps:
        - url: ${url}/log-in
          encoding: json
          body: { company: "{company}", user: "{userName}", word: "{secretWord}" }
    tokenResponse: { accessToken: session }
`;
const PAST = '2020-01-01T00:00:00.000Z';
const OAUTH_APP = {
  type: 'OAUTH2',
  client_id: 'client-1',
  client_secret: 'SECRET-client',
  scopes: 'read,write',
};

const logIns: unknown[] = [];
/** The log-in of `ways`, which takes anything. */
const loginServer = createServer((request, response) => {
  text(request).then((body) => {
    logIns.push(JSON.parse(body));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"session":"SECRET-new-session"}');
  });
});

let nango: FakeNango;
let planted: PlantedProvider;
let gateway: Gateway;
let owner: Project;
let project: Project;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'import-nango-'));
  planted = await startPlantedProvider();
  await writeFile(join(directory, 'planted.yaml'), planted.providerFile);
  // A key is proved where it is imported; nothing outside this machine is asked.
  await writeFile(join(directory, 'sendgrid.yaml'), SENDGRID);
  const loginPort = await listen(loginServer);
  await writeFile(join(directory, 'ways.yaml'), ways(`http://127.0.0.1:${loginPort}`));
  nango = await startFakeNango();
  gateway = await startGateway({ catalogDir: directory });
  owner = await provision(gateway);
});
afterAll(async () => {
  await gateway?.stop();
  await nango?.close();
  await planted?.close();
  await closeServer(loginServer);
  await rm(directory, { recursive: true, force: true });
});

beforeEach(async () => {
  project = await createProject(gateway.url, owner.personalAccessToken);
  nango.seen.length = 0;
  nango.tooManyEvery = Number.POSITIVE_INFINITY;
  nango.readingsLeft = Number.POSITIVE_INFINITY;
  nango.integrations = {
    acme: { provider: 'acme-crm', credentials: OAUTH_APP },
    mail: { provider: 'google-mail', credentials: { ...OAUTH_APP, client_id: 'client-2' } },
    keys: { provider: 'sendgrid' },
  };
  nango.connections = [
    { id: 'c1', key: 'acme', user: 'mia', metadata: { plan: 'pro' }, credentials: tokens('c1') },
    { id: 'c2', key: 'mail', user: 'mia', credentials: { ...tokens('c2'), raw: { scope: 'a b' } } },
    { id: 'c3', key: 'keys', user: 'zoe', credentials: { type: 'API_KEY', apiKey: 'SECRET-key-c3' } },
  ];
});

function tokens(id: string, more: Record<string, unknown> = {}) {
  return {
    type: 'OAUTH2',
    access_token: `SECRET-access-${id}`,
    refresh_token: `SECRET-refresh-${id}`,
    expires_at: FUTURE,
    raw: {},
    ...more,
  };
}

async function ours(what: 'integrations' | 'connections'): Promise<Record<string, unknown>[]> {
  const path = what === 'integrations' ? '/v1/integrations' : `/v1/projects/${project.id}/connections`;
  return (await callApiOk(gateway.url, 'GET', path, { bearer: project.apiKey }))[what];
}

/** What the script does once it has read its settings. */
async function run(options: { dryRun?: boolean; userSource?: UserSource } = {}): Promise<Report> {
  const report = await importFromNango({
    nango: createNangoApi(createRequester(nango.url, NANGO_KEY)),
    gateway: createGatewayApi(createRequester(gateway.url, project.apiKey)),
    names: { ...NAMES, providers: { ...NAMES.providers, 'acme-crm': 'planted' } },
    userSource: 'end-user',
    dryRun: false,
    now: Date.now,
    ...options,
  });
  expect(JSON.stringify(report)).not.toMatch(SECRETS);
  return report;
}

/** The script itself, as an operator starts it. */
async function runScript(flags: string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [SCRIPT, ...flags], { env });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  expect(stdout + stderr).not.toMatch(SECRETS);
  return { code, stdout, stderr };
}

const reasonsOf = (findings: readonly Finding[]) =>
  Object.fromEntries(findings.map(({ name, reason }) => [name, reason]));

it('brings integrations and connections over, so that the users’ calls go out with their credentials', async () => {
  const file = join(directory, 'report.json');
  const { code, stdout } = await runScript(['--report', file, '--provider', 'acme-crm=planted'], {
    NANGO_URL: nango.url,
    NANGO_SECRET_KEY: NANGO_KEY,
    GATEWAY_URL: gateway.url,
    GATEWAY_API_KEY: project.apiKey,
  });
  const report = await readFile(file, 'utf8');
  expect(report).not.toMatch(SECRETS);
  expect([code, JSON.parse(report)]).toEqual([
    0,
    {
      dryRun: false,
      integrations: { found: 3, created: 3, existing: 0, unmapped: 0 },
      connections: { found: 3, created: 3, existing: 0, unmapped: 0 },
      unmapped: [],
      warnings: [],
    },
  ]);
  expect(stdout).toContain('Connections: 3 found, 3 created, 0 there already, 0 not brought over');
  expect(await ours('integrations')).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ serviceProvider: 'gmail', clientId: 'client-2', scopes: ['read', 'write'] }),
      expect.objectContaining({ serviceProvider: 'sendgrid', clientId: null }),
    ]),
  );
  const nangoOf = (connectionId: string, integration: string) => ({ connectionId, integration });
  expect(await ours('connections')).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        userId: 'mia',
        serviceProvider: 'planted',
        expiresAt: FUTURE,
        customMetadata: { plan: 'pro', nango: nangoOf('c1', 'acme') },
      }),
      expect.objectContaining({ serviceProvider: 'gmail', grantedScopes: ['a', 'b'] }),
      expect.objectContaining({ userId: 'zoe', customMetadata: { nango: nangoOf('c3', 'keys') } }),
    ]),
  );
  const path = `/projects/${project.id}/proxy/planted/contacts`;
  expect((await callApi(gateway.url, 'GET', path, { bearer: project.userToken('mia') })).status).toBe(200);
  expect(planted.credentials.at(-1)).toBe('Bearer SECRET-access-c1');
});

it('a dry run tells the same and creates nothing', async () => {
  const report = await run({ dryRun: true });
  expect(report).toMatchObject({ dryRun: true, connections: { found: 3, created: 3 }, unmapped: [] });
  expect(renderReport(report)).toContain('Connections: 3 found, 3 would be created');
  expect([await ours('integrations'), await ours('connections')]).toEqual([[], []]);
});

it('a second run creates nothing twice and reads no credentials of what is there', async () => {
  await run();
  const { id, key } = nango.connections[0] ?? { id: '', key: '' };
  nango.connections.push({ id: 'c4', key, user: 'ida', credentials: tokens('c4') });
  nango.seen.length = 0;
  const report = await run();
  expect([report.integrations, report.connections]).toEqual([
    { found: 3, created: 0, existing: 3, unmapped: 0 },
    { found: 4, created: 1, existing: 3, unmapped: 0 },
  ]);
  expect(nango.seen).not.toContain(`GET /connections/${id}`);
  expect(await ours('connections')).toHaveLength(4);
  expect(await ours('integrations')).toHaveLength(3);
});

it('a run that was broken off goes on where it was', async () => {
  nango.readingsLeft = 1;
  await expect(run()).rejects.toThrow(/^GET .* was answered 401$/);
  nango.readingsLeft = Number.POSITIVE_INFINITY;
  expect((await run()).connections).toEqual({ found: 3, created: 2, existing: 1, unmapped: 0 });
  expect(await ours('connections')).toHaveLength(3);
});

it('keeps two integrations of one provider apart, in every run', async () => {
  nango.integrations = { one: { provider: 'sendgrid' }, two: { provider: 'sendgrid' } };
  nango.connections = ['one', 'two'].map((key) => ({
    id: `of-${key}`,
    key,
    user: 'mia',
    credentials: { type: 'API_KEY', apiKey: 'SECRET-key' },
  }));
  await run();
  nango.connections.push({
    id: 'more',
    key: 'two',
    user: 'zoe',
    credentials: { type: 'API_KEY', apiKey: 'SECRET-key' },
  });
  await run();
  const connections = await ours('connections');
  const integrationOf = (id: string) =>
    connections.find(({ customMetadata }) => JSON.stringify(customMetadata).includes(`"${id}"`))
      ?.integrationId;
  expect(await ours('integrations')).toHaveLength(2);
  expect(integrationOf('more')).toBe(integrationOf('of-two'));
  expect(integrationOf('of-one')).not.toBe(integrationOf('of-two'));
});

it('waits where Nango says that it is too much', async () => {
  nango.tooManyEvery = 2;
  expect((await run()).connections).toMatchObject({ created: 3, unmapped: 0 });
});

it('tells what it cannot bring over, and why, and brings over the rest', async () => {
  nango.integrations = {
    ...nango.integrations,
    board: { provider: 'trello', credentials: null },
    erp: { provider: 'an-erp-of-nobody', credentials: OAUTH_APP },
    shared: { provider: 'hubspot', credentials: { type: 'OAUTH2', client_id: null, client_secret: null } },
    shop: { provider: 'shopify', credentials: OAUTH_APP },
  };
  const forever = { expires_at: null, refresh_token: undefined };
  nango.connections = [
    ...nango.connections,
    { id: 'oauth1', key: 'board', user: 'mia', credentials: { type: 'OAUTH1', oauth_token: 'SECRET-token' } },
    { id: 'erp-1', key: 'erp', user: 'mia', credentials: tokens('erp-1') },
    { id: 'hub', key: 'shared', user: 'mia', credentials: tokens('hub') },
    { id: 'nobody', key: 'acme', credentials: tokens('nobody') },
    {
      id: 'dead',
      key: 'acme',
      user: 'a',
      credentials: tokens('dead', { refresh_token: undefined, expires_at: PAST }),
    },
    { id: 'short', key: 'acme', user: 'b', credentials: tokens('short', { refresh_token: undefined }) },
    { id: 'revoked', key: 'acme', user: 'c', credentials: 'refused' },
    { id: 'blind', key: 'acme', user: 'd', credentials: { type: 'OAUTH2', raw: {} } },
    {
      id: 'good-shop',
      key: 'shop',
      user: 'e',
      config: { subdomain: 'north' },
      credentials: tokens('s', forever),
    },
    {
      id: 'bad-shop',
      key: 'shop',
      user: 'f',
      config: { subdomain: 'a.b/c' },
      credentials: tokens('t', forever),
    },
  ];
  const report = await run();
  expect(reasonsOf(report.unmapped)).toEqual({
    erp: 'provider unknown: the catalog has no “an-erp-of-nobody”',
    shared: 'no client id and secret: is it an OAuth app of Nango’s own?',
    'board/oauth1':
      'authorization “OAUTH1”: tokens of OAuth 1.0a belong to the client that asked for them: its users have to authorize again',
    'erp/erp-1': 'its integration could not be brought over',
    'shared/hub': 'no client id and secret: is it an OAuth app of Nango’s own?',
    'acme/nobody': 'no user: the connection has no end user (see --user)',
    'acme/dead': 'missing refresh token, and the access token has expired',
    'acme/revoked': 'Nango cannot give its credentials: invalid_credentials',
    'acme/blind': 'no access token in Nango’s answer: may its key read credentials?',
    'shop/bad-shop': expect.stringMatching(
      /^refused by the gateway: variable_invalid; body\.credentials\.variables\.shop/,
    ),
  });
  expect(reasonsOf(report.warnings)).toEqual({
    'acme/short': `missing refresh token: works until ${FUTURE}`,
  });
  expect(report.connections).toEqual({ found: 13, created: 5, existing: 0, unmapped: 8 });
  expect(renderReport(report)).toContain(
    '  connection board/oauth1: authorization “OAUTH1”: tokens of OAuth 1.0a belong to the client',
  );
});

it('brings over what the provider here takes by another way to authenticate than its usual one', async () => {
  nango.integrations = {
    keyed: { provider: 'ways' },
    typed: { provider: 'ways' },
    app: { provider: 'ways' },
  };
  nango.connections = [
    { id: 'k', key: 'keyed', user: 'mia', credentials: { type: 'API_KEY', apiKey: 'SECRET-pat' } },
    {
      id: 't',
      key: 'typed',
      user: 'mia',
      config: { company: 'north' },
      credentials: {
        type: 'TWO_STEP',
        user_name: 'mia',
        secret_word: 'SECRET-word',
        token: 'SECRET-session',
      },
    },
    { id: 'a', key: 'app', user: 'mia', credentials: { type: 'APP', access_token: 'SECRET-app' } },
  ];
  const report = await run();
  expect(reasonsOf(report.unmapped)).toEqual({
    'app/a': expect.stringContaining('the installation of an app belongs to the app'),
  });
  expect((await ours('integrations')).map(({ grant, clientId }) => [grant, clientId]).toSorted()).toEqual([
    ['key', null],
    ['log-in', null],
  ]);
  expect(logIns).toEqual([{ company: 'north', user: 'mia', word: 'SECRET-word' }]);
  expect((await run()).connections).toEqual({ found: 3, created: 0, existing: 2, unmapped: 1 });
});

it('takes the user from a tag or the connection’s own id where it is told to', async () => {
  nango.connections = [{ id: 'user-7', key: 'keys', credentials: { type: 'API_KEY', apiKey: 'SECRET-key' } }];
  expect(reasonsOf((await run({ userSource: 'tag:member' })).unmapped)).toEqual({
    'keys/user-7': 'no user: the connection has no tag “member”',
  });
  await run({ userSource: 'connection-id' });
  expect(await ours('connections')).toMatchObject([{ userId: 'user-7' }]);
});

it('makes an integration of each client that connections bring themselves', async () => {
  nango.connections = ['north', 'south'].map((client) => ({
    id: client,
    key: 'acme',
    user: client,
    credentials: tokens(client, {
      config_override: { client_id: client, client_secret: 'SECRET-of-client' },
    }),
  }));
  await run();
  const clients = (await ours('integrations')).map(({ clientId }) => clientId);
  expect(clients).toEqual(expect.arrayContaining(['client-1', 'north', 'south']));
});

it('says what is missing before its first request', async () => {
  const { code, stderr } = await runScript([], { GATEWAY_URL: 'localhost' });
  expect([code, stderr]).toEqual([1, expect.stringContaining('NANGO_SECRET_KEY: is needed')]);
  expect(stderr).toContain('GATEWAY_API_KEY: is needed');
  expect(stderr).toContain('GATEWAY_URL: is needed');
});

it('ends with 2 where something could not be brought over', async () => {
  const { code } = await runScript(['--dry-run'], {
    NANGO_URL: nango.url,
    NANGO_SECRET_KEY: NANGO_KEY,
    GATEWAY_URL: gateway.url,
    GATEWAY_API_KEY: project.apiKey,
  });
  expect(code).toBe(2);
});
