import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
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
import { createEncryptionKey } from '../support/gateway-environment.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { APP_ORIGIN, readOutcome } from '../support/stage.ts';
import { OPERATORS_ARN, OPERATORS_KEY, startSts } from '../support/sts-server.ts';
import { until } from '../support/until.ts';

const CATALOG = join(import.meta.dirname, '../../src/catalog/providers');
const CLIENT = { clientId: OPERATORS_KEY.accessKeyId, clientSecret: OPERATORS_KEY.secretAccessKey };
const arnOf = (name: string) => `arn:aws:iam::123456789012:role/${name}`;

let sts: Awaited<ReturnType<typeof startSts>>;
let catalog: { path: string; remove(): Promise<void> };
let database: TestDatabase;
let gateway: Gateway;
let project: Project;
let integrationId: string;

beforeAll(async () => {
  sts = await startSts();
  const entry = (await readFile(join(CATALOG, 'aws.yaml'), 'utf8'))
    .replace(/^apiBaseUrl: .*$/m, `apiBaseUrl: ${sts.url}`)
    .replaceAll('https://sts.{region}.amazonaws.com', sts.url)
    .replaceAll('https://sts.amazonaws.com', sts.url);
  catalog = await createCatalogDir({ aws: entry });
  database = await createTestDatabase();
  gateway = await startGateway({
    catalogDir: catalog.path,
    databaseUrl: database.url,
    env: { ENCRYPTION_KEYS: createEncryptionKey() },
  });
  project = await provision(gateway, { allowedOrigins: [APP_ORIGIN] });
  integrationId = await integrate(CLIENT);
});

beforeEach(() => {
  sts.lifetimeSeconds = 3600;
  sts.instead = undefined;
});

afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
  await catalog?.remove();
  await sts?.close();
});

const asKey = (method: string, path: string, body?: object) =>
  callApi(gateway.url, method, path, { bearer: project.apiKey, ...(body && { body }) });

async function integrate(client: object): Promise<string> {
  const variables = { service: 'dynamodb', region: 'eu-west-1' };
  const body = { serviceProvider: 'aws', grant: 'role', ...client, variables };
  return (await callApiOk(gateway.url, 'POST', '/v1/integrations', { bearer: project.apiKey, body })).id;
}

/** A connect page of a user's, as far as its form. */
async function openForm(userId: string, connectionId?: string, integration = integrationId) {
  const session = await callApiOk(gateway.url, 'POST', '/v1/connect-sessions', {
    bearer: project.userToken(userId),
    headers: { origin: APP_ORIGIN },
    body: { integrationId: integration, ...(connectionId && { connectionId }) },
  });
  const browser = createHttpBrowser({ origins: [gateway.url] });
  const page = await browser.open(session.url);
  const [, externalId = ''] = /<input id="externalId"[^>]* value="([^"]+)" readonly/.exec(page.body) ?? [];
  return {
    externalId,
    page: page.body,
    submit: (fields: Record<string, string>) => browser.submit(session.url, fields),
    async complete(closing: Awaited<ReturnType<typeof browser.open>>) {
      const { completionCode } = readOutcome(closing).message;
      return callApiOk(gateway.url, 'POST', `/v1/connect-sessions/${session.id}/complete`, {
        bearer: project.userToken(userId),
        body: { completionCode },
      });
    },
  };
}

/** A user with a role of their own that lets them in. */
async function connect(userId: string) {
  const form = await openForm(userId);
  const roleArn = arnOf(userId);
  sts.roles.set(roleArn, { externalId: form.externalId });
  const connection = await form.complete(await form.submit({ roleArn }));
  return { connection, roleArn, externalId: form.externalId };
}

/** The keys end a little later for the gateway than for the service: it counts from when it has them. */
const untilEnded = ({ expiresAt }: { expiresAt: string }) => until(() => Date.now() > Date.parse(expiresAt));

const callAs = (userId: string) =>
  callApi(gateway.url, 'POST', `/projects/${project.id}/proxy/aws/`, {
    bearer: project.userToken(userId),
    headers: { 'x-amz-target': 'DynamoDB_20120810.ListTables', 'content-type': 'application/x-amz-json-1.0' },
    body: {},
  });

const testOf = async (id: string) =>
  (await callApiOk(gateway.url, 'POST', `/v1/connections/${id}/test`, { bearer: project.apiKey })).findings;

describe('connecting an AWS account by a role', () => {
  it('shows whom the trust policy has to name, and does without where AWS does not say', async () => {
    const { page } = await openForm('pat');
    expect(page).toMatch(new RegExp(`<input id="clientIdentity"[^>]* value="${OPERATORS_ARN}" readonly`));
    const wrong = await integrate({ ...CLIENT, clientSecret: 'another' });
    const form = await openForm('pat', undefined, wrong);
    expect(form.page).not.toContain('clientIdentity');
    expect(form.externalId).toMatch(/^[0-9a-f]{40}$/);
    await asKey('DELETE', `/v1/integrations/${wrong}`);
  });

  it('tells in a test whether the trust policy demands the external id', async () => {
    const { connection, roleArn } = await connect('vic');
    const codes = async () => (await testOf(connection.id)).map(({ code }: { code: string }) => code);
    expect(await codes()).toEqual(['connection_works']);
    expect(sts.assumptions.at(-1)?.form).not.toHaveProperty('ExternalId');
    Object.assign(sts.roles.get(roleArn) ?? {}, { demandsNoId: true });
    expect(await codes()).toEqual(['external_id_not_demanded', 'connection_works']);
  });

  it('shows the external id before the role is made, assumes the role, and signs calls with its keys', async () => {
    const { connection, roleArn, externalId } = await connect('ann');
    expect(externalId).toMatch(/^[0-9a-f]{40}$/);
    expect(connection).toMatchObject({ status: 'active', expiresAt: expect.any(String) });
    expect(sts.assumptions.at(-1)?.form).toMatchObject({ RoleArn: roleArn, ExternalId: externalId });
    const [session] = sts.sessions.slice(-1);
    const called = await callAs('ann');
    expect(called).toMatchObject({ status: 200, body: { role: roleArn, key: session?.accessKeyId } });
    const { body } = await asKey('GET', `/v1/connections/${connection.id}`);
    expect(body.accountName).toBe(roleArn);
    const shown = JSON.stringify([connection, body]);
    const secrets = [session?.secretAccessKey, session?.sessionToken, session?.accessKeyId];
    expect(secrets.filter((secret) => secret === undefined || shown.includes(secret))).toEqual([]);
  });

  it('gives each user an id that stays theirs, and none that the user could choose', async () => {
    const first = await openForm('bea');
    const again = await openForm('bea');
    const other = await openForm('ben');
    expect(again.externalId).toBe(first.externalId);
    expect(other.externalId).not.toBe(first.externalId);
    const roleArn = arnOf('bea');
    sts.roles.set(roleArn, { externalId: first.externalId });
    // The confused deputy: Ben knows the name of Bea's role, and her id as well.
    const stolen = await other.submit({ roleArn, externalId: first.externalId });
    expect(stolen.status).toBe(422);
    expect(stolen.body).toContain('does not accept these credentials');
    expect(sts.assumptions.at(-1)?.form.ExternalId).toBe(other.externalId);
  });

  it('is refused as the integration’s fault where the operator’s key is refused', async () => {
    const wrong = await integrate({ ...CLIENT, clientId: 'AKIAIOSFODNN7UNKNOWN' });
    const form = await openForm('cyd', undefined, wrong);
    const answer = await form.submit({ roleArn: arnOf('cyd') });
    expect(answer.body).not.toContain('does not accept these credentials');
    const imported = await asKey('POST', '/v1/connections', {
      integrationId: wrong,
      userId: 'cyd',
      credentials: { variables: { roleArn: arnOf('cyd') } },
    });
    expect(imported.body.code).toBe('integration_misconfigured');
    expect(JSON.stringify(imported.body)).not.toContain(CLIENT.clientSecret);
  });

  it.each([
    ['no XML', '<html><p>Down</html>'],
    ['a document type', '<!DOCTYPE a [<!ENTITY b "c">]><AssumeRoleResponse/>'],
    [
      'half a key',
      '<AssumeRoleResponse><AssumeRoleResult><Credentials><SessionToken>abc</SessionToken><AccessKeyId>ASIA</AccessKeyId></Credentials></AssumeRoleResult></AssumeRoleResponse>',
    ],
  ])('becomes no connection of an answer with %s', async (_what, body) => {
    const form = await openForm('dee');
    sts.instead = { status: 200, body };
    const answer = await form.submit({ roleArn: arnOf('dee') });
    expect(answer.status).toBe(422);
    const list = await asKey('GET', `/v1/projects/${project.id}/connections?userId=dee`);
    expect(list.body.connections ?? []).toEqual([]);
  });
});

describe('keys of a role', () => {
  it('that have ended are made again once, for all calls together, with the same external id', async () => {
    sts.lifetimeSeconds = 1;
    const { connection, externalId } = await connect('eve');
    await untilEnded(connection);
    sts.lifetimeSeconds = 3600;
    const before = sts.assumptions.length;
    const calls = await Promise.all(Array.from({ length: 4 }, () => callAs('eve')));
    expect(calls.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(sts.assumptions.slice(before).map(({ form }) => form.ExternalId)).toEqual([externalId]);
    expect(calls[0]?.body.key).toBe(sts.sessions.at(-1)?.accessKeyId);
  });

  it('cannot be made again of a role that is gone: its user is asked, and mends it with the same id', async () => {
    sts.lifetimeSeconds = 1;
    const { connection, roleArn, externalId } = await connect('fay');
    await untilEnded(connection);
    sts.roles.set(roleArn, { externalId, isGone: true });
    expect(await callAs('fay')).toMatchObject({ status: 424, body: { code: 'reauthorization_required' } });
    const { body } = await asKey('GET', `/v1/connections/${connection.id}`);
    expect(body.statusReason).toContain('not authorized to perform: sts:AssumeRole');
    sts.lifetimeSeconds = 3600;
    const form = await openForm('fay', connection.id);
    expect(form.externalId).toBe(externalId);
    sts.roles.set(roleArn, { externalId });
    await form.complete(await form.submit({}));
    expect((await callAs('fay')).status).toBe(200);
  });
});

describe('an import of a role', () => {
  it('takes the external id that the role was made with, and else the one of its user', async () => {
    sts.roles.set(arnOf('gil'), { externalId: 'made-elsewhere' });
    const importAs = (variables: object) =>
      asKey('POST', '/v1/connections', { integrationId, userId: 'gil', credentials: { variables } });
    const own = await importAs({ roleArn: arnOf('gil') });
    expect(own.status).toBe(422);
    expect(sts.assumptions.at(-1)?.form.ExternalId).toBe((await openForm('gil')).externalId);
    const given = await importAs({ roleArn: arnOf('gil'), externalId: 'made-elsewhere' });
    expect(given.status).toBe(201);
    expect((await callAs('gil')).status).toBe(200);
  });
});
