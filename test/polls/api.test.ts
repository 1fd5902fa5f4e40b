import { loadCatalog } from '../../src/catalog/loading/catalog.ts';
import { createCatalogDir } from '../support/catalog-dir.ts';
import {
  callApi,
  callApiOk,
  type Gateway,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';
import { startJournalServer } from '../support/journal-server.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { spawnGateway } from '../support/spawn-gateway.ts';
import { until } from '../support/until.ts';
import { type FakeCrm, startFakeCrm } from './fake-crm.ts';
import { listFaults, NO_FAULTS } from './poll-stage.ts';

const JOURNAL = loadCatalog({ allowPrivateNetworks: true }).find('hubspot')?.polls['webhooks-journal'];
const CUSTOM = {
  object: 'person',
  pageSize: 5,
  record: { id: 'id', updatedAt: { path: 'updatedAt' }, createdAt: { path: 'createdAt' } },
  changes: {
    by: 'timestamp',
    request: {
      method: 'POST',
      path: '/search',
      body: { from: '{since}', limit: '{limit}', after: '{page}' },
    },
    tie: {
      method: 'POST',
      path: '/search',
      body: { at: '{at}', aboveId: '{afterId}', limit: '{limit}', sort: 'id' },
    },
    paging: { by: 'token', path: 'next' },
    items: 'results',
    format: 'epoch-ms',
    order: 'ascending',
  },
};

let crm: FakeCrm;
let journal: Awaited<ReturnType<typeof startJournalServer>>;
let gateway: Gateway;
let database: TestDatabase;
let project: Project;
let integrationId: string;
const cleanUps: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  crm = await startFakeCrm();
  cleanUps.push(crm.close);
  const file = {
    id: 'fake-crm',
    name: 'Fake CRM',
    auth: 'api-key',
    apiBaseUrl: crm.url,
    polls: { people: CUSTOM },
  };
  const apiKey = { in: 'header', name: 'X-Key', template: 'Key {apiKey}' };
  journal = await startJournalServer();
  cleanUps.push(journal.close);
  const journaling = {
    id: 'fake-journal',
    name: 'Fake journal',
    auth: 'oauth2',
    authorizationUrl: `${journal.url}/authorize`,
    tokenUrl: `${journal.url}/token`,
    apiBaseUrl: journal.url,
    polls: { journal: JOURNAL },
  };
  const catalog = await createCatalogDir({
    'fake-crm': JSON.stringify({ ...file, apiKey }),
    'fake-journal': JSON.stringify(journaling),
  });
  cleanUps.push(catalog.remove);
  database = await createTestDatabase();
  cleanUps.push(database.drop);
  gateway = await startGateway({ catalogDir: catalog.path, databaseUrl: database.url });
  cleanUps.push(() => gateway.stop());
  project = await provision(gateway);
  ({ id: integrationId } = await api('POST', '/v1/integrations', { serviceProvider: 'fake-crm' }));
  await importUser('first');
});
afterAll(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
});

const api = (method: string, path: string, body?: object) =>
  callApiOk(gateway.url, method, path, { bearer: project.apiKey, ...(body && { body }) });
const refusal = async (body: object) =>
  (await callApi(gateway.url, 'POST', '/v1/polls', { bearer: project.apiKey, body })).body;
const importUser = (userId: string) =>
  api('POST', '/v1/connections', { integrationId, userId, credentials: { apiKey: 'very-secret-key' } });

async function readReportedTypes(): Promise<string[]> {
  const { events } = await api('GET', '/v1/events?types=fake-crm.*');
  return events.map(({ type, userId, object }: { type: string; userId: string; object: { id: string } }) =>
    [userId, type, object.id].join(' '),
  );
}

describe('polls', () => {
  it('are refused with every fault and what to do about it', async () => {
    const poll = { integrationId, intervalSeconds: 60 };
    expect(await refusal({ ...poll, intervalSeconds: 5, resource: 'people' })).toMatchObject({
      code: 'invalid_request',
    });
    expect(await refusal({ ...poll, resource: 'peple' })).toMatchObject({
      errors: [{ path: 'body.resource', message: expect.stringContaining('did you mean “people”') }],
    });
    expect(await refusal({ ...poll, resource: 'people', deletes: 'scan' })).toMatchObject({
      errors: [{ path: 'body.deletes', message: expect.stringContaining('list') }],
    });
    const custom = {
      ...CUSTOM,
      changes: { ...CUSTOM.changes, request: { path: '/{apiKey}', query: { a: '{since}' } } },
    };
    expect(await refusal({ ...poll, custom })).toMatchObject({
      errors: [{ path: 'body.custom.changes.request.path', message: expect.stringContaining('{apiKey}') }],
    });
    expect(await refusal({ ...poll, custom: { object: 'person', record: { id: 'id' } } })).toMatchObject({
      errors: [{ path: 'body.custom', message: expect.stringContaining('needs changes, list, or both') }],
    });
  });

  it('of a log are refused where it cannot be read so', async () => {
    const poll = { integrationId, intervalSeconds: 60 };
    const log = {
      object: 'person',
      record: { id: 'id' },
      changes: {
        by: 'log',
        request: { path: '/log' },
        earliest: { path: '/log/{cursor}' },
        latest: { path: '/log/newest' },
        token: 'next',
        change: { path: 'action' },
        subscriptions: {
          each: 'kinds',
          list: { request: { path: '/s' } },
          match: { kind: '{each}' },
          create: { path: '/s' },
        },
      },
    };
    const list = { request: { path: '/people' } };
    expect(await refusal({ ...poll, custom: { ...log, list } })).toMatchObject({
      errors: [
        { path: 'body.custom.changes.earliest.path', message: expect.stringContaining('{cursor}') },
        { path: 'body.custom.changes.request', message: 'must name {cursor}' },
        { path: 'body.custom.list', message: expect.stringContaining('fingerprints') },
        { path: 'body.custom.changes.subscriptions.each', message: 'is none of the parameters' },
      ],
    });
    expect(
      await refusal({ ...poll, custom: { ...CUSTOM, clientToken: { scopes: ['read'] } } }),
    ).toMatchObject({
      errors: [{ path: 'body.custom', message: expect.stringContaining('client id and a client secret') }],
    });
  });

  it('show in a dry run what is asked and answered, without the credential, and leave nothing', async () => {
    const [longNumber, makeNumber] = ['12345678901234567001', Reflect.get(JSON, 'rawJSON')];
    crm.put('shown', { updatedAt: Date.now(), name: makeNumber(longNumber) });
    crm.put('in microseconds', { updatedAt: Date.now() * 1_000 });
    const shown = await api('POST', '/v1/polls?dryRun=true', {
      integrationId,
      intervalSeconds: 60,
      custom: CUSTOM,
    });
    expect(shown.requests).toMatchObject([
      {
        method: 'POST',
        url: `${crm.url}/search`,
        purpose: 'changes',
        status: 200,
        headers: { 'X-Key': 'Key <apiKey>' },
      },
    ]);
    expect(shown.records).toMatchObject([
      { id: 'shown', eventType: 'fake-crm.person.updated', data: { name: longNumber } },
      { id: 'in microseconds', updatedAt: null },
    ]);
    expect(JSON.stringify(shown)).not.toContain('very-secret-key');
    expect(await api('GET', '/v1/polls')).toMatchObject({ polls: [] });
    crm.people.clear();
  });

  it('run for every connection, also for one made later; pause, go on, run at once and end', async () => {
    crm.state.clockMs = Date.now();
    for (let index = 0; index < 12; index += 1) crm.put(`p${index}`);
    const listed = await api('GET', '/v1/providers/fake-crm/poll-resources');
    expect(listed.resources).toMatchObject([
      { name: 'people', object: 'person', changes: 'timestamp', canScan: false },
    ]);
    const body = { integrationId, resource: 'people', intervalSeconds: 3600, backfill: 'full' };
    const poll = await api('POST', '/v1/polls', body);
    expect(poll).toMatchObject({ state: 'running', connections: 1 });
    expect(await refusal(body)).toMatchObject({ code: 'poll_exists' });
    await until(async () => (await readReportedTypes()).length === 12);
    expect(new Set(await readReportedTypes()).size).toBe(12);
    await importUser('second');
    await until(async () => (await readReportedTypes()).length === 24);
    await until(async () => {
      const { connections } = await api('GET', `/v1/polls/${poll.id}/connections`);
      return connections.every(
        ({ state, lagSeconds }: { state: string; lagSeconds: number | null }) =>
          state === 'waiting' && lagSeconds !== null,
      );
    });
    const { connections } = await api('GET', `/v1/polls/${poll.id}/connections`);
    expect(connections).toMatchObject([
      { userId: 'second', recordsSeen: expect.any(Number), lastError: null, phase: null },
      { userId: 'first', cursor: expect.stringContaining('T') },
    ]);
    expect(await api('POST', `/v1/polls/${poll.id}/pause`, {})).toMatchObject({ state: 'paused' });
    const refused = await callApi(gateway.url, 'POST', `/v1/polls/${poll.id}/run`, {
      bearer: project.apiKey,
    });
    expect(refused.body.code).toBe('poll_paused');
    crm.state.clockMs += 1_000;
    crm.put('p0', { name: 'Changed' });
    expect(await api('POST', `/v1/polls/${poll.id}/resume`, {})).toMatchObject({ state: 'running' });
    await until(async () => (await readReportedTypes()).length === 26);
    expect((await readReportedTypes()).slice(24).sort()).toEqual([
      'first fake-crm.person.updated p0',
      'second fake-crm.person.updated p0',
    ]);
    crm.state.clockMs += 1_000;
    crm.put('late');
    await api('POST', `/v1/polls/${poll.id}/run`, {});
    await until(async () => (await readReportedTypes()).length === 28);
    expect(await api('PATCH', `/v1/polls/${poll.id}`, { intervalSeconds: 900 })).toMatchObject({
      intervalSeconds: 900,
    });
    const gone = await callApi(gateway.url, 'DELETE', `/v1/polls/${poll.id}`, { bearer: project.apiKey });
    expect(gone.status).toBe(204);
    expect(await api('GET', '/v1/polls')).toMatchObject({ polls: [] });
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toContain('gateway_poll_runs_total{outcome="completed"}');
  });

  it('run once more right after a run that is under way, and for a connection made a moment ago', async () => {
    crm.people.clear();
    crm.state.clockMs += 3_600_000;
    for (let index = 0; index < 12; index += 1) crm.put(`q${index}`);
    crm.state.clockMs += 3_600_000;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let listing = 0;
    crm.state.beforeAnswer = async () => {
      if (!crm.requests.at(-1)?.path.startsWith('/people')) return;
      listing += 1;
      await released;
    };
    const list = {
      request: { path: '/people', query: { limit: '{limit}', after: '{page}' } },
      paging: { by: 'token', path: 'next' },
      items: 'results',
    };
    const body = { integrationId, custom: { ...CUSTOM, list }, intervalSeconds: 86_400, deletes: 'scan' };
    const before = (await readReportedTypes()).length;
    const poll = await api('POST', '/v1/polls', body);
    await until(() => listing === 2);
    crm.state.clockMs += 1_000;
    crm.put('q5', { name: 'Changed while all are listed' });
    await api('POST', `/v1/polls/${poll.id}/run`, {});
    release();
    await until(async () => (await readReportedTypes()).length === before + 2);
    expect((await readReportedTypes()).slice(before).sort()).toEqual([
      'first fake-crm.person.updated q5',
      'second fake-crm.person.updated q5',
    ]);
    await importUser('third');
    const run = () =>
      callApi(gateway.url, 'POST', `/v1/polls/${poll.id}/run`, {
        bearer: project.apiKey,
        headers: { 'idempotency-key': 'run-once' },
      });
    expect((await run()).status).toBe(200);
    const { connections } = await api('GET', `/v1/polls/${poll.id}/connections`);
    expect(connections.map(({ userId }: { userId: string }) => userId)).toContain('third');
    const shown = () => api('GET', `/v1/polls/${poll.id}/connections`);
    const areOver = (polled: { state: string; lastRunAt: string | null }[]) =>
      polled.every(({ state, lastRunAt }) => state === 'waiting' && lastRunAt !== null);
    await until(async () => areOver((await shown()).connections));
    // Their next runs stay where they are when the request is repeated.
    const after = await shown();
    expect((await run()).headers.get('idempotency-replayed')).toBe('true');
    const untimed = ({ connections: polled }: { connections: { lagSeconds: number }[] }) =>
      polled.map((one) => ({ ...one, lagSeconds: null }));
    expect(untimed(await shown())).toEqual(untimed(after));
  });

  it('of a journal need no public address, and tell what the account’s journal has', async () => {
    const client = { clientId: 'app', clientSecret: 'very-secret-client' };
    const { id } = await api('POST', '/v1/integrations', { serviceProvider: 'fake-journal', ...client });
    const made = { integrationId: id, userId: 'first', accountId: '4711' };
    await api('POST', '/v1/connections', { ...made, credentials: { accessToken: 'of-the-user' } });
    const entry = { portalId: 4711, action: 'CREATE', objectTypeId: '0-2', objectId: 7 };
    journal.publish('4711', [entry]);
    const body = { integrationId: id, resource: 'journal', intervalSeconds: 60, backfill: 'full' };
    const shown = await api('POST', '/v1/polls?dryRun=true', body);
    expect(shown.records).toMatchObject([
      { id: '7', eventType: 'fake-journal.company.created', data: entry },
    ]);
    expect(JSON.stringify(shown)).not.toMatch(/very-secret-client|of-the-user|app-token/);
    await api('POST', '/v1/polls', body);
    const reported = async () => (await api('GET', '/v1/events?types=fake-journal.*')).events;
    await until(async () => (await reported()).length > 0);
    expect(await reported()).toMatchObject([
      {
        type: 'fake-journal.company.created',
        userId: 'first',
        source: 'poll',
        object: { type: 'company', id: '7', change: 'created' },
        data: entry,
      },
    ]);
    expect(journal.requests.some(({ authorization }) => authorization?.includes('of-the-user'))).toBe(false);
    expect(journal.subscriptions).toHaveLength(4);
  });

  it('whose client secret the provider refuses say so where the secret is shown', async () => {
    const client = { clientId: 'other-app', clientSecret: 'refused-client-secret' };
    const { id } = await api('POST', '/v1/integrations', { serviceProvider: 'fake-journal', ...client });
    const made = { integrationId: id, userId: 'refused', accountId: '4712' };
    await api('POST', '/v1/connections', { ...made, credentials: { accessToken: 'of-another-user' } });
    const readSecret = async () => (await api('GET', `/v1/integrations/${id}/secrets`)).secrets[0];
    expect((await readSecret()).lastRefusedAt).toBeNull();
    journal.state.tokenRefusal = { error: 'invalid_client' };
    await api('POST', '/v1/polls', { integrationId: id, resource: 'journal', intervalSeconds: 60 });
    await until(async () => (await readSecret()).lastRefusedAt !== null);
    journal.state.tokenRefusal = undefined;
  });

  it('go on when their process is killed in the midst of a backfill, and tell each record once', async () => {
    const { port, env, databaseUrl = '' } = gateway;
    const same = { port, env, databaseUrl, catalogDir: env.CATALOG_DIR ?? '' };
    await gateway.stop();
    const doomed = await spawnGateway(same);
    crm.people.clear();
    for (let index = 0; index < 1_000; index += 1) crm.put(`k${String(index).padStart(3, '0')}`);
    const ids = [...crm.people.keys()];
    crm.state.clockMs += 3_600_000;
    const { id } = await api('POST', '/v1/integrations', { serviceProvider: 'fake-crm' });
    const credentials = { apiKey: 'very-secret-key' };
    const user = await api('POST', '/v1/connections', { integrationId: id, userId: 'killed', credentials });
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    // Other polls ask, too.
    const pagesAsked = () => crm.requests.filter(({ path }) => path.includes('of=killed')).length;
    crm.state.beforeAnswer = () => (pagesAsked() > 8 ? held : undefined);
    const request = { path: '/people', query: { limit: '{limit}', after: '{page}', of: 'killed' } };
    const list = { request, paging: { by: 'token', path: 'next' }, items: 'results' };
    const { changes: _none, ...records } = CUSTOM;
    const custom = { ...records, pageSize: 50, list };
    const body = { integrationId: id, custom, intervalSeconds: 3_600, backfill: 'full' };
    const poll = await api('POST', '/v1/polls', body);
    const shown = async () => (await api('GET', `/v1/polls/${poll.id}/connections`)).connections[0];
    const reported = async () => {
      const { events } = await api('GET', `/v1/events?connectionId=${user.id}&types=fake-crm.*&limit=1000`);
      return events.map(
        ({ object }: { object: { change: string; id: string } }) => `${object.change}:${object.id}`,
      );
    };
    await until(() => pagesAsked() > 8);

    const before = await shown();
    expect(before).toMatchObject({ state: 'running', phase: 'backfill', lastRunAt: null });
    expect(before.recordsSeen).toBe((await reported()).length);
    expect(before.recordsSeen).toBeGreaterThan(0);
    await doomed.kill();
    crm.state.beforeAnswer = undefined;
    release();
    gateway = await startGateway(same);
    // Nothing that was read is read again, and what is shown does not go back.
    expect((await shown()).recordsSeen).toBeGreaterThanOrEqual(before.recordsSeen);
    await until(async () => (await shown()).lastRunAt !== null);

    expect(
      listFaults(
        await reported(),
        ids.map((one) => `created:${one}`),
      ),
    ).toEqual(NO_FAULTS);
    expect(await shown()).toMatchObject({
      state: 'waiting',
      phase: null,
      recordsSeen: 1_000,
      lastError: null,
    });
  });
});
