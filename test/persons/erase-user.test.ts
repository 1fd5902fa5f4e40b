import { randomBytes } from 'node:crypto';
import knexModule, { type Knex } from 'knex';
import { signV3 } from '../../examples/demo-crm/webhook-signature.ts';
import { newId } from '../../src/lib/ids.ts';
import { createCatalogDir } from '../support/catalog-dir.ts';
import {
  type ApiCall,
  callApi,
  callApiOk,
  type Gateway,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';
import { dumpDatabase } from '../support/leaks.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { type Receiver, reply, startReceiver } from '../support/receiver.ts';
import { startTokenProvider, type TokenProvider } from '../support/token-provider.ts';
import { until } from '../support/until.ts';

const WEBHOOKS = `webhooks:
  supported: true
  scope: application
  registration: [{ by: portal, steps: ['Enter {webhookUrl}.'] }]
  signature:
    scheme: hmac
    at: header:X-HubSpot-Signature-v3
    signed: ['{method}', '{url}', '{body}', '{timestamp}']
    encoding: base64
    timestamp: { at: 'header:X-HubSpot-Request-Timestamp', unit: milliseconds }
  secret: { from: client }
  acknowledge: { withinSeconds: 5 }
  payload: { items: '[]', eventType: '{type}', eventId: '{eventId}', objectId: '{objectId}', account: '{portalId}' }
  events: { changes: { creation: created } }
`;
const KEYED = (url: string) => `id: keyed
name: keyed
auth: api-key
apiBaseUrl: ${url}
apiKey: { in: header, name: X-Key, template: '{apiKey}' }
`;
const SECRET = 'client-secret-of-the-test';
const BYSTANDER = 'bystander';

const planted = new Map<string, string>();
/** Letters only, so that nothing takes it for a credential. */
function plant(name: string): string {
  const value = `planted${name}${randomBytes(10).toString('hex').replace(/[0-9]/g, 'x')}`;
  planted.set(name, value);
  return value;
}

let good: TokenProvider;
let stubborn: TokenProvider;
let receiver: Receiver;
let catalog: Awaited<ReturnType<typeof createCatalogDir>>;
let database: TestDatabase;
let gateway: Gateway;
let project: Project;
let db: Knex;
/** With what has to be percent-encoded in a path. */
const USER = `ada/../ö %2F?#"${plant('UserId')}`;
const ACCOUNT = plant('AccountId');
let endUserId: string;
const integrations: Record<string, string> = {};
const connections: Record<string, string> = {};
let token: string;
/** The user's first event: where a reader of the feed is. */
let lastRead: string;

const api = (method: string, path: string, call: ApiCall = {}) =>
  callApi(gateway.url, method, `/v1${path}`, { bearer: project.apiKey, ...call });
const apiOk = (method: string, path: string, call: ApiCall = {}) =>
  callApiOk(gateway.url, method, `/v1${path}`, { bearer: project.apiKey, ...call });
const userPath = () => `/projects/${project.id}/users/${encodeURIComponent(USER)}`;
const proxied = (path: string) =>
  callApi(gateway.url, 'GET', `/projects/${project.id}/proxy${path}`, { bearer: token });

beforeAll(async () => {
  [good, stubborn, receiver] = [
    await startTokenProvider(),
    await startTokenProvider(),
    await startReceiver(),
  ];
  stubborn.answerRevocationsWith((request) => request.reply(503));
  catalog = await createCatalogDir({
    good: good.providerFile('good', WEBHOOKS),
    stubborn: stubborn.providerFile('stubborn'),
    keyed: KEYED(good.url),
  });
  database = await createTestDatabase();
  gateway = await startGateway({ catalogDir: catalog.path, databaseUrl: database.url });
  project = await provision(gateway);
  db = knexModule({ client: 'pg', connection: database.url, pool: { min: 0, max: 4 } });
  await live();
});
afterAll(async () => {
  await gateway?.stop();
  await db?.destroy();
  await database?.drop();
  await catalog?.remove();
  for (const server of [good, stubborn, receiver]) await server?.close();
});

async function integrate(serviceProvider: string): Promise<string> {
  const isKeyed = serviceProvider === 'keyed';
  const body = isKeyed
    ? { serviceProvider, scopes: [] }
    : { serviceProvider, clientId: `client-${serviceProvider}`, clientSecret: SECRET, scopes: ['read'] };
  const { id } = await apiOk('POST', '/integrations', { body });
  return id;
}

async function connect(name: string, userId: string, credentials: object): Promise<string> {
  const { id } = await apiOk('POST', '/connections', {
    headers: { 'idempotency-key': newId() },
    body: {
      integrationId: integrations[name],
      userId,
      credentials,
      customMetadata: { note: plant(`Metadata${name}${userId.length}`) },
    },
  });
  await db('connections')
    .where({ id })
    .update({
      account_id: userId === USER ? ACCOUNT : 'account-of-another',
      account_name: plant(`AccountName${name}${userId.length}`),
    });
  return id;
}

function issueTokens(provider: TokenProvider, name: string) {
  const { access_token: accessToken, refresh_token: refreshToken } = provider.issue();
  planted.set(`access token ${name}`, accessToken).set(`refresh token ${name}`, refreshToken);
  return { accessToken, refreshToken };
}

/** A number of more digits than JavaScript holds, as a provider sends it. */
const LONG_ID = '12345678901234567001';

async function sendWebhook(items: readonly object[], query = '') {
  const url = `${gateway.url}/webhooks/${integrations.good}${query}`;
  const body = JSON.stringify(items).replaceAll(`"${LONG_ID}"`, LONG_ID);
  const timestampMs = Date.now();
  const response = await fetch(url, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-hubspot-signature-v3': signV3(SECRET, { method: 'POST', url, body, timestampMs }),
      'x-hubspot-request-timestamp': String(timestampMs),
    },
  });
  expect(response.status).toBeLessThan(300);
}

const item = (portalId: string, name: string) => ({
  type: 'contact.creation',
  eventId: newId(),
  objectId: plant(`Object${name}`),
  portalId,
  parentId: LONG_ID,
  text: plant(`Payload${name}`),
});

const countRows = async (table: string, where: object = {}) =>
  Number((await db(table).where(where).count({ n: '*' }))[0]?.n);

/** What an application does with a user: everything that leaves a trace. */
async function live(): Promise<void> {
  for (const name of ['good', 'stubborn', 'keyed']) integrations[name] = await integrate(name);
  receiver.answer = reply(500);
  await apiOk('POST', '/event-destinations', { body: { url: receiver.url, types: ['*'] } });
  connections.good = await connect('good', USER, issueTokens(good, 'good'));
  connections.stubborn = await connect('stubborn', USER, issueTokens(stubborn, 'stubborn'));
  connections.keyed = await connect('keyed', USER, { apiKey: plant('ApiKey') });
  connections.bystander = await connect('good', BYSTANDER, issueTokens(good, 'bystander'));
  token = project.userToken(USER);
  const earlier = await connect('stubborn', USER, issueTokens(stubborn, 'earlier'));
  await callApiOk(gateway.url, 'DELETE', `/v1/connections/${earlier}`, { bearer: token });
  const mine = await callApiOk(gateway.url, 'GET', '/v1/connections', { bearer: token });
  endUserId = mine.connections[0].integrationUserId;
  planted.set('integrationUserId', endUserId);
  await callApiOk(gateway.url, 'PATCH', `/v1/connections/${connections.good}`, {
    bearer: token,
    body: { customMetadata: { later: plant('Metadata') } },
  });
  await callApiOk(gateway.url, 'POST', '/v1/connect-sessions', {
    bearer: token,
    headers: { 'idempotency-key': 'session' },
    body: { provider: 'good' },
  });
  await db('connect_sessions').update({
    variables: { sub: plant('Variable') },
    granted_account_name: plant('Granted'),
  });
  await apiOk('POST', `/projects/${project.id}/revocations`, {
    body: { userId: USER, issuedBefore: '2020-01-01T00:00:00Z' },
  });
  await apiOk('POST', '/user-tokens', { body: { userId: USER } });
  for (let n = 0; n < 5; n += 1) await proxied(`/good/${plant(`Path${n}`)}?q=${n}`);
  for (let n = 0; n < 10; n += 1)
    await sendWebhook([item(ACCOUNT, `Hook${n}`), item(ACCOUNT, `Second${n}`)], `?q=${plant(`Query${n}`)}`);
  await sendWebhook([item('account-of-another', 'OfAnother')]);
  await sendWebhook([item(plant('Unknown'), 'Unmatched')]);
  await until(async () => (await countRows('events', { source: 'webhook' })) >= 21);
  await until(async () => (await countRows('deliveries', { state: 'failed' })) > 0);
  await until(async () => (await countRows('recent_calls', { project_id: project.id })) >= 5);
  await plantPoll();
}

async function plantPoll(): Promise<void> {
  const id = newId();
  const made = { created_by: id, updated_by: id, created_at: new Date(), updated_at: new Date() };
  // In one transaction: the chore by which connections join polls would make the row otherwise.
  const trx = await db.transaction();
  await trx('polls').insert({
    ...{
      id,
      project_id: project.id,
      integration_id: integrations.good,
      custom: '{}',
      object_type: 'contact',
    },
    ...{
      interval_seconds: 86_400,
      backfill: 'none',
      deletes: 'none',
      scan_interval_seconds: 86_400,
      ...made,
    },
    paused_at: new Date(),
  });
  const [row] = await trx('poll_connections')
    .insert({
      ...{ poll_id: id, connection_id: connections.good, project_id: project.id, object_type: 'contact' },
      ...{ hears_webhooks: false, progress: { cursor: plant('Cursor') }, error_detail: plant('PollError') },
    })
    .returning('record_set');
  const records = Array.from({ length: 3 }, (_, n) => ({
    record_set: row.record_set,
    object_id: plant(`Record${n}`),
  }));
  await trx('poll_records').insert(records);
  await trx.commit();
}

/** Planted values that are the person's; those of the bystander and of nobody stay. */
const ofPerson = () =>
  [...planted].filter(([name]) => !/OfAnother|Unmatched|Unknown|bystander|good9$/.test(name));

async function findPlanted(): Promise<string[]> {
  const dump = await dumpDatabase(db);
  return ofPerson().flatMap(([name, value]) => (dump.includes(value) ? [name] : []));
}

async function untilDone(location: string) {
  await until(
    async () => (await callApiOk(location, 'GET', '', { bearer: project.apiKey })).state === 'done',
  );
  return callApiOk(location, 'GET', '', { bearer: project.apiKey });
}

it('exports everything about the person and no secret', async () => {
  const { status, text } = await api('GET', `${userPath()}/export`);
  expect(status).toBe(200);
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const kinds = Map.groupBy(lines, ({ kind }) => kind);
  expect(lines[0]).toMatchObject({ kind: 'user', id: endUserId, userId: USER });
  expect(lines.at(-1)).toEqual({ kind: 'end' });
  for (const kind of [
    'connection',
    'connect_session',
    'poll_record',
    'event',
    'delivery',
    'webhook_receipt',
    'call',
    'activity',
  ])
    expect(`${kind}: ${kinds.get(kind)?.length ?? 0}`).not.toBe(`${kind}: 0`);
  for (const name of ['PayloadHook3', 'Query4', 'Path2', 'Record1', 'AccountNamegood', 'Metadata'])
    expect(
      [...planted].some(([key, value]) => key.startsWith(name) && text.includes(value)) ? '' : name,
    ).toBe('');
  expect(kinds.get('event')?.map(({ data }) => data?.parentId)).toContain(LONG_ID);
  for (const name of planted.keys()) {
    const mustNot = / token |ApiKey|OfAnother/.test(name) || name === 'access token good';
    if (mustNot) expect(text.includes(planted.get(name) ?? '') ? name : '').toBe('');
  }
});

it('shows the numbers first', async () => {
  const { holds } = await apiOk('GET', userPath());
  expect(holds).toMatchObject({ connections: 3, connectSessions: 1 });
  expect(holds.events).toBeGreaterThanOrEqual(20);
  expect(holds.calls).toBeGreaterThanOrEqual(5);
  lastRead = (await apiOk('GET', `/events?connectionId=${connections.good}&limit=1`)).events[0].id;
});

it('leaves none of fifty planted values in the store, and reports what could not be revoked', async () => {
  expect(ofPerson().length).toBeGreaterThanOrEqual(50);
  expect((await findPlanted()).length).toBeGreaterThanOrEqual(35);
  const begun = await api('DELETE', userPath());
  expect(begun.status).toBe(202);
  const report = await untilDone(begun.headers.get('location') ?? '');
  expect(report.erased).toMatchObject({ connections: 3, connectSessions: 1, pollRecords: 3 });
  expect(report.revoked).toBe(1);
  expect(report.unrevoked).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ integrationId: integrations.keyed, reason: 'nothing_to_revoke', grants: 1 }),
      expect.objectContaining({ integrationId: integrations.stubborn, reason: 'failing', grants: 2 }),
    ]),
  );
  expect(await findPlanted()).toEqual([]);
});

it('lets a reader of the feed go on whose last event was erased, and skips none of others', async () => {
  const ofOthers = db('events').where({ connection_id: connections.bystander });
  const first = await ofOthers.orderBy('position').first();
  expect(await countRows('events', { id: lastRead })).toBe(0);
  const { events } = await apiOk('GET', `/events?after=${lastRead}&limit=1000`);
  expect(events[0]?.id).toBe(first.id);
});

it('leaves what others have', async () => {
  const dump = await dumpDatabase(db);
  const kept = ['ObjectOfAnother', 'Unknown'].filter((name) => dump.includes(planted.get(name) ?? ''));
  expect(kept).toEqual(['ObjectOfAnother', 'Unknown']);
  expect((await apiOk('GET', `/connections/${connections.bystander}`)).userId).toBe(BYSTANDER);
});

it('keeps the activity under one pseudonym', async () => {
  const { userErasures } = await apiOk('GET', `/projects/${project.id}/user-erasures`);
  const { activity } = await apiOk('GET', `/activity?actorId=${userErasures[0].pseudonym}`);
  expect(activity.map(({ action }: { action: string }) => action)).toContain('connect_session.created');
  expect(activity.every(({ sourceAddress }: { sourceAddress: unknown }) => sourceAddress === null)).toBe(
    true,
  );
});

it('answers the same report when it is asked again, by either id', async () => {
  const again = await api('DELETE', userPath());
  const byId = await api('DELETE', `/projects/${project.id}/users/${endUserId}`);
  expect([again.status, byId.status]).toEqual([202, 202]);
  expect(byId.body.id).toBe(again.body.id);
  expect((await api('GET', userPath())).body.code).toBe('user_not_found');
});

it('lets nothing come back that arrives later', async () => {
  const refused = await proxied(`/good/${plant('LatePath')}`);
  expect(refused.body.code).toBe('token_revoked');
  await sendWebhook([item(ACCOUNT, 'Late')]);
  const waiting = () => countRows('webhook_receipts', { split_at: null });
  await until(async () => (await waiting()) === 0);
  expect(await findPlanted()).toEqual([]);
  expect(await countRows('webhook_receipts', { state: 'unmatched' })).toBe(1);
});

it('finds and erases late rows, such as of an event that was being written', async () => {
  const [erasure] = await db('user_erasures');
  await db('recent_calls').insert({
    ...{
      request_id: newId(),
      project_id: project.id,
      is_sample: false,
      at: new Date(),
      method: 'GET',
      path: plant('LateCall'),
    },
    ...{
      provider: 'good',
      end_user_id: endUserId,
      status: 200,
      origin: 'none',
      attempts: 1,
      duration_ms: 1,
      provider_ms: 1,
    },
    ...{ request_bytes: 0, response_bytes: 0 },
  });
  expect(await findPlanted()).not.toEqual([]);
  await db('job_queue.job')
    .where({ name: 'erase-user' })
    .update({ start_after: new Date(0) });
  await until(async () => (await db('user_erasures').where({ id: erasure.id }).first()).sweeps > 0);
  expect(await findPlanted()).toEqual([]);
});

it('takes the user who comes back for a new one', async () => {
  await until(async () => {
    const again = await callApi(gateway.url, 'GET', '/v1/connections', { bearer: project.userToken(USER) });
    if (again.status === 200) expect(again.body.connections).toEqual([]);
    return again.status === 200;
  });
  expect((await apiOk('GET', userPath())).id).not.toBe(endUserId);
});
