import { loadCatalog } from '../../src/catalog/loading/catalog.ts';
import { createOutbound } from '../../src/platform/outbound.ts';
import { createDatabase, type Database } from '../../src/platform/postgres/database.ts';
import { fetchChangeLogFile } from '../../src/polls/change-log/read-change-log.ts';
import { dryRunPoll } from '../../src/polls/dry-run/dry-run.ts';
import { type JournalEvent, startJournalServer } from '../support/journal-server.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { createPollStage, type PollStage } from './poll-stage.ts';

const found = loadCatalog({ allowPrivateNetworks: true }).find('hubspot')?.polls['webhooks-journal'];
if (found === undefined) throw new Error('HubSpot has no journal');
const JOURNAL = found;
const PORTAL = '4711';
const STATEMENTS_MAX = 60;

let database: TestDatabase;
/** The store as the poll under test uses it. */
let store: Database;
let statementsLeft = Number.POSITIVE_INFINITY;
let journal: Awaited<ReturnType<typeof startJournalServer>>;

beforeAll(async () => {
  database = await createTestDatabase();
  store = createDatabase({ url: database.url, applicationName: 'journal-crash', poolMax: 4 });
  store.knex.on('query', ({ sql }: { sql: string }) => {
    if (sql.startsWith('ROLLBACK')) return;
    statementsLeft -= 1;
    if (statementsLeft < 0) throw new Error('the process is gone');
  });
});
afterAll(async () => {
  await store?.close();
  await database?.drop();
});
beforeEach(async () => {
  statementsLeft = Number.POSITIVE_INFINITY;
  journal = await startJournalServer();
});
afterEach(() => journal.close());

const eventOf = (objectId: number, action: string, more: JournalEvent = {}): JournalEvent => ({
  type: 'object',
  portalId: Number(PORTAL),
  occurredAt: '2026-11-22T10:00:00.000Z',
  action,
  objectTypeId: '0-1',
  objectId,
  ...more,
});
const stageOf = (options: Parameters<typeof createPollStage>[3] = {}, resource = JOURNAL) =>
  createPollStage(database, journal.url, resource, { accountId: PORTAL, ...options });

async function typesOf({ projectId }: PollStage): Promise<string[]> {
  const rows = await database.knex('events').where({ project_id: projectId }).orderBy('position');
  return rows.map(({ type, object_id }) => `${type} ${object_id}`);
}

/** Connections of a process that ended may still be in the pool. */
async function runToTheEnd(stage: PollStage): Promise<void> {
  const before = stage.outcomes.length;
  for (let slices = 0; slices < 50 && stage.outcomes.length === before; slices += 1) {
    await stage.slice().catch(() => undefined);
  }
}

describe('a journal', () => {
  it('tells what is in it from the earliest file on, in its order, each entry by its own change and object', async () => {
    journal.publish(PORTAL, [
      eventOf(1, 'CREATE'),
      eventOf(1, 'UPDATE', { propertyChanges: { email: 'a@b.example' } }),
      eventOf(2, 'CREATE', { objectTypeId: '0-2' }),
    ]);
    journal.publish(PORTAL, [
      eventOf(1, 'DELETE'),
      eventOf(3, 'SNAPSHOT', { objectTypeId: '0-3' }),
      eventOf(4, 'RESTORE', { objectTypeId: '2-99' }),
      { type: 'app', portalId: Number(PORTAL), action: 'APP_INSTALL' },
    ]);
    journal.publish(PORTAL, [eventOf(7, 'CREATE')]);
    const stage = await stageOf({ backfill: 'full' });
    await stage.run();
    expect(await typesOf(stage)).toEqual([
      'fake-crm.contact.created 1',
      'fake-crm.contact.updated 1',
      'fake-crm.company.created 2',
      'fake-crm.contact.deleted 1',
      'fake-crm.deal.other 3',
      'fake-crm.object.created 4',
      'fake-crm.object.other null',
      'fake-crm.contact.created 7',
    ]);
    expect(await stage.payloads()).toContainEqual(expect.stringContaining('"email":"a@b.example"'));
    // Nothing further: the place stays, and nothing is reported again.
    await stage.run();
    await stage.run();
    expect(await stage.reported()).toHaveLength(8);
    expect((await stage.task()).progress).toMatchObject({ token: `offset-${PORTAL}-3`, recordsSeen: 8 });
    expect(await database.knex('poll_records').select()).toEqual([]);
    journal.publish(PORTAL, [eventOf(5, 'UPDATE')]);
    await stage.run();
    expect((await stage.reported()).slice(8)).toEqual(['updated:5']);
  });

  it('without a backfill tells nothing of what was there, and everything that follows', async () => {
    journal.publish(PORTAL, [eventOf(1, 'CREATE')]);
    journal.publish(PORTAL, [eventOf(2, 'CREATE')]);
    const stage = await stageOf();
    await stage.run();
    expect(await stage.reported()).toEqual([]);
    expect(journal.fileRequests).toEqual([]);
    journal.publish(PORTAL, [eventOf(3, 'CREATE')]);
    await stage.run();
    expect(await stage.reported()).toEqual(['created:3']);
  });

  it('that is empty when the poll begins is told from its first entry on', async () => {
    const stage = await stageOf();
    await stage.run();
    journal.publish(PORTAL, [eventOf(1, 'CREATE')]);
    await stage.run();
    await stage.run();
    expect(await stage.reported()).toEqual(['created:1']);
  });

  it('that has forgotten the place goes on at its earliest file', async () => {
    journal.publish(PORTAL, [eventOf(1, 'CREATE')]);
    const stage = await stageOf({ backfill: 'full' });
    await stage.run();
    for (const id of [2, 3, 4]) journal.publish(PORTAL, [eventOf(id, 'CREATE')]);
    journal.forget(PORTAL, 2);
    await stage.run();
    await stage.run();
    expect(await stage.reported()).toEqual(['created:1', 'created:3', 'created:4']);
  });

  it('with a file of more entries than a page takes is told in parts, once each', async () => {
    const events = Array.from({ length: 4_500 }, (_none, index) => eventOf(index, 'UPDATE'));
    journal.publish(PORTAL, events);
    journal.publish(PORTAL, [eventOf(9_999, 'DELETE')]);
    const stage = await stageOf({ backfill: 'full' });
    await stage.run();
    expect(await stage.reported()).toEqual([
      ...events.map(({ objectId }) => `updated:${objectId}`),
      'deleted:9999',
    ]);
  });

  it('that forgets the place while a file is told in parts repeats no part', async () => {
    journal.publish(PORTAL, [eventOf(1, 'CREATE')]);
    const stage = await stageOf({ backfill: 'full' });
    await stage.run();
    const events = Array.from({ length: 2_500 }, (_none, index) => eventOf(index, 'UPDATE'));
    journal.publish(PORTAL, events);
    const ended = new AbortController();
    journal.state.beforeFile = () => {
      if (journal.fileRequests.length === 3) ended.abort();
    };
    await stage.slice(ended.signal);
    journal.state.beforeFile = undefined;
    expect(await stage.reported()).toHaveLength(2_001);
    journal.forget(PORTAL, 1);
    await stage.run();
    expect((await stage.reported()).slice(1)).toEqual(events.map(({ objectId }) => `updated:${objectId}`));
  });

  it('is told once, after whichever statement the process ended', async () => {
    for (const file of [1, 2]) {
      journal.publish(PORTAL, [eventOf(file * 10, 'CREATE'), eventOf(file * 10 + 1, 'UPDATE')]);
    }
    const stage = await stageOf({ backfill: 'full', db: store.knex });
    const expected = [1, 2].flatMap((file) => [`created:${file}0`, `updated:${file}1`]);
    const faults: unknown[] = [];
    let hasCrashed = true;
    let statements = 0;
    for (; hasCrashed && statements < STATEMENTS_MAX; statements += 1) {
      await stage.forgetAll();
      statementsLeft = statements;
      await stage.slice().catch(() => undefined);
      hasCrashed = statementsLeft < 0;
      if (hasCrashed) {
        await database.knex.raw(
          `SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity
            WHERE application_name LIKE 'journal-crash%' AND state LIKE 'idle in transaction%'`,
        );
      }
      statementsLeft = Number.POSITIVE_INFINITY;
      if (hasCrashed) await runToTheEnd(stage);
      const reported = await stage.reported();
      if (reported.join() !== expected.join()) faults.push({ statements, reported });
    }
    expect(faults).toEqual([]);
    expect(hasCrashed).toBe(false);
    expect(statements).toBeGreaterThan(10);
  });

  it('is read again where the process ended between the file and the commit', async () => {
    journal.publish(PORTAL, [eventOf(1, 'CREATE')]);
    const stage = await stageOf({ backfill: 'full', db: store.knex });
    journal.state.beforeFile = () => {
      statementsLeft = 0;
    };
    await stage.slice().catch(() => undefined);
    statementsLeft = Number.POSITIVE_INFINITY;
    journal.state.beforeFile = undefined;
    expect(await stage.reported()).toEqual([]);
    await runToTheEnd(stage);
    expect(journal.fileRequests).toHaveLength(2);
    expect(await stage.reported()).toEqual(['created:1']);
  });

  it('of two connections tells each only of its own account', async () => {
    journal.publish(PORTAL, [eventOf(1, 'CREATE'), eventOf(99, 'CREATE', { portalId: 1234 })]);
    journal.publish('1234', [eventOf(2, 'CREATE', { portalId: 1234 })]);
    const stages = [
      await stageOf({ backfill: 'full' }),
      await stageOf({ backfill: 'full', accountId: '1234' }),
    ];
    for (const stage of stages) await stage.run();
    expect(await Promise.all(stages.map((stage) => stage.reported()))).toEqual([
      ['created:1'],
      ['created:2'],
    ]);
  });

  it('is not read for a connection that does not know its account', async () => {
    journal.publish('', [eventOf(1, 'CREATE')]);
    const stage = await createPollStage(database, journal.url, JOURNAL, { backfill: 'full' });
    await stage.slice();
    expect(await stage.shown()).toMatchObject({ errorCode: 'account_unknown' });
    expect(journal.requests).toEqual([]);
  });
});

describe('a file of a journal', () => {
  it('is fetched without a credential', async () => {
    journal.publish(PORTAL, [eventOf(1, 'CREATE')]);
    const stage = await stageOf({ backfill: 'full' });
    await stage.run();
    const [{ headers } = { headers: {} }] = journal.fileRequests;
    expect(headers).toMatchObject({ accept: 'application/json' });
    expect(headers).not.toHaveProperty('authorization');
    expect(headers).not.toHaveProperty('cookie');
    const asked = journal.requests.filter(({ path }) => path !== '/token');
    expect(new Set(asked.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer app-token-1']));
  });

  it('whose address has expired is asked for again', async () => {
    journal.publish(PORTAL, [eventOf(1, 'CREATE')]);
    journal.state.expiredAddresses = 1;
    const stage = await stageOf({ backfill: 'full' });
    await stage.run();
    expect(await stage.reported()).toEqual(['created:1']);
    expect(journal.fileRequests).toHaveLength(2);
  });

  it('that is never there fails the run, and is told later', async () => {
    journal.publish(PORTAL, [eventOf(1, 'CREATE')]);
    journal.state.expiredAddresses = 2;
    const stage = await stageOf({ backfill: 'full' });
    await stage.slice();
    expect(await stage.shown()).toMatchObject({ errorCode: 'provider_unavailable', failures: 1 });
    await stage.run();
    expect(await stage.reported()).toEqual(['created:1']);
  });

  it.each(['ftp://files.example/x', 'http://user:password@127.0.0.1/x', 'nonsense'])(
    'at %s is not fetched',
    async (address) => {
      journal.publish(PORTAL, [eventOf(1, 'CREATE')]);
      journal.state.fileAddress = address;
      const stage = await stageOf({ backfill: 'full' });
      await stage.slice();
      const shown = await stage.shown();
      expect(shown).toMatchObject({ errorCode: 'answer_unreadable' });
      expect(shown.errorDetail).not.toContain('password');
    },
  );

  it.each(['http://files.example/x', 'https://127.0.0.1:1/x', 'https://[::1]:1/x'])(
    'at %s is not fetched where private networks are not allowed',
    async (address) => {
      const { request } = createOutbound({ allowPrivateNetworks: false });
      const connection = { fetchFile: (url: string) => request({ url }) };
      const limits = { timeoutMs: 5_000, responseBytesMax: 1_000, signal: new AbortController().signal };
      await expect(fetchChangeLogFile(connection, address, limits)).rejects.toMatchObject({
        code: 'answer_unreadable',
        detail: expect.stringContaining('https, and public'),
      });
    },
  );

  it('that is longer than a page says so, and is not asked for again and again', async () => {
    journal.publish(PORTAL, [eventOf(1, 'CREATE', { note: 'x'.repeat(2_200_000) })]);
    const stage = await stageOf({ backfill: 'full' });
    await stage.slice();
    const again = await stage.slice();
    expect(await stage.shown()).toMatchObject({ errorCode: 'page_too_large', failures: 2 });
    expect(again?.runAgainAt.getTime()).toBeGreaterThan(Date.now());
    expect(journal.fileRequests).toHaveLength(2);
  });
});

describe('the token of the application', () => {
  it('is asked for once, and again when the provider no longer takes it', async () => {
    journal.publish(PORTAL, [eventOf(1, 'CREATE')]);
    const stage = await stageOf({ backfill: 'full' });
    await stage.run();
    await stage.run();
    expect(journal.state.tokens).toBe(1);
    expect(journal.requests[0]).toMatchObject({
      method: 'POST',
      path: '/token',
      body: expect.stringContaining('grant_type=client_credentials'),
    });
    expect(decodeURIComponent(journal.requests[0]?.body ?? '')).toContain('developer.webhooks_journal.read');
    journal.publish(PORTAL, [eventOf(2, 'CREATE')]);
    journal.state.faults.push({ status: 401, body: '{"message":"The token has expired"}' });
    await stage.run();
    expect(journal.state.tokens).toBe(2);
    expect(await stage.reported()).toEqual(['created:1', 'created:2']);
  });

  it('is asked for once by connections that want it at the same time', async () => {
    const stage = await stageOf({ backfill: 'full' });
    const connection = await stage.openConnection(stage);
    const caller = stage.openCaller(connection, JOURNAL);
    const request = { method: 'GET', path: '/x', query: '', headers: {}, body: undefined } as const;
    const limits = { timeoutMs: 5_000, responseBytesMax: 1_000, signal: new AbortController().signal };
    await Promise.all([1, 2, 3].map(() => caller.send({ kind: 'request', request }, limits)));
    expect(journal.state.tokens).toBe(1);
  });

  it('that the provider refuses fails the poll with its words and the scopes that it needs', async () => {
    journal.state.tokenRefusal = { error: 'invalid_scope', error_description: 'Scopes are not granted' };
    const stage = await stageOf();
    await stage.slice();
    const { errorCode, errorDetail } = await stage.shown();
    expect(errorCode).toBe('client_token_refused');
    expect(errorDetail).toContain('Scopes are not granted');
    expect(errorDetail).toContain('developer.webhooks_journal.subscriptions.write');
    expect(errorDetail).not.toContain('client-secret-1');
  });
});

describe('subscriptions', () => {
  it('are made once for what is missing, by the account and its object types', async () => {
    journal.subscriptions.push(
      { subscriptionType: 'OBJECT', portalId: Number(PORTAL), objectTypeId: '0-2' },
      { subscriptionType: 'OBJECT', portalId: 1234, objectTypeId: '0-1' },
    );
    const stage = await stageOf();
    await stage.run();
    await stage.run();
    expect(journal.subscriptions.slice(2)).toEqual(
      ['0-1', '0-3', '0-5'].map((objectTypeId) => ({
        subscriptionType: 'OBJECT',
        portalId: Number(PORTAL),
        objectTypeId,
        actions: ['CREATE', 'UPDATE', 'DELETE', 'MERGE', 'RESTORE'],
      })),
    );
    const listed = journal.pathsAsked().filter((asked) => asked.startsWith('GET /webhooks-journal/subsc'));
    expect(listed).toHaveLength(1);
  });

  it('that the provider refuses fail the poll before anything is read', async () => {
    journal.state.faults.push({ status: 403, body: '{"message":"This app may not subscribe"}' });
    const stage = await stageOf();
    await stage.slice();
    expect(await stage.shown()).toMatchObject({
      errorCode: 'provider_refused',
      errorDetail: 'The provider answered 403: This app may not subscribe',
    });
    expect(journal.pathsAsked().some((asked) => asked.includes('journal-local'))).toBe(false);
    await stage.run();
    expect(journal.subscriptions).toHaveLength(4);
  });
});

describe('a dry run of a journal', () => {
  it('shows every request without a secret, and creates nothing', async () => {
    journal.publish(PORTAL, [eventOf(1, 'CREATE'), eventOf(2, 'DELETE')]);
    journal.publish(PORTAL, [eventOf(3, 'CREATE')]);
    const stage = await stageOf();
    const connection = await stage.openConnection(stage);
    const { options } = await stage.task();
    const given = {
      connectionId: stage.connectionId,
      accountId: PORTAL,
      connection,
      resource: JOURNAL,
      options,
    };
    const shown = await dryRunPoll(given, {
      nowMs: Date.now(),
      signal: new AbortController().signal,
      openCaller: stage.openCaller,
    });
    const base = `${journal.url}/webhooks-journal`;
    const at = (place: string) => `${base}/journal-local/2026-03/${place}?installPortalId=${PORTAL}`;
    const create = { purpose: 'subscribe', url: `${base}/subscriptions/2026-03`, status: null, error: null };
    expect(shown.requests).toMatchObject([
      { purpose: 'token', url: `${journal.url}/token`, status: null },
      { purpose: 'subscriptions', url: `${base}/subscriptions/2026-03`, status: 200 },
      create,
      create,
      create,
      create,
      { purpose: 'start', url: at('latest'), headers: { Authorization: 'Bearer <accessToken>' } },
      { purpose: 'changes', url: at('earliest'), status: 200 },
      { purpose: 'file', url: `${journal.filesUrl}/journal/offset-${PORTAL}-1.json?…`, status: 200 },
      { purpose: 'changes', url: at(`offset/offset-${PORTAL}-2/next`), status: 204, error: null },
    ]);
    expect(shown.records).toMatchObject([
      { id: '1', eventType: 'fake-crm.contact.created', isDeleted: false },
      { id: '2', eventType: 'fake-crm.contact.deleted', isDeleted: true },
    ]);
    expect(shown.notes).toEqual([expect.stringContaining('only shows it')]);
    const text = JSON.stringify(shown);
    for (const secret of [
      'client-secret-1',
      'access-1',
      'app-token',
      'secret-of-the-file',
      btoa('client-1:'),
    ])
      expect(text).not.toContain(secret);
    expect(journal.subscriptions).toEqual([]);
  });
});
