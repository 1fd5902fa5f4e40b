import type { Knex } from 'knex';
import { type ApiAnswer, callApi, callApiOk } from '../support/gateway.ts';
import { createTestDatabase, waitForLockQueue } from '../support/postgres.ts';
import { integrateDemoCrm, type Stage, startStage } from '../support/stage.ts';

const database = await createTestDatabase();
let stage: Stage;
let bearer: string;

beforeAll(async () => {
  stage = await startStage({ gateway: { databaseUrl: database.url } });
  bearer = stage.project.apiKey;
});
afterAll(async () => {
  await stage?.close();
  await database.drop();
});

type Call = { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> };

const ask = (method: string, path: string, call: Call = {}) =>
  callApi(stage.gateway.url, method, path, { bearer, ...call });
const make = (path: string, body: unknown) => callApiOk(stage.gateway.url, 'POST', path, { bearer, body });
const codeOf = ({ status, body }: ApiAnswer) => [status, body?.code];

/** The answer to a request that has read what is there, and waits to write, while another change of it commits. */
async function overtake(
  change: (trx: Knex.Transaction) => Promise<unknown>,
  request: () => Promise<ApiAnswer>,
): Promise<ApiAnswer> {
  const trx = await database.knex.transaction();
  await change(trx);
  const answer = request();
  await waitForLockQueue(trx, database.knex);
  await trx.commit();
  return answer;
}

const makeIntegration = async () => (await integrateDemoCrm(stage.gateway, stage.project, stage.crm)).id;
const makeConnection = (integrationId: string) => make('/v1/connections', toImport(integrationId));
const makeDestination = () =>
  make('/v1/event-destinations', { url: 'http://127.0.0.1:9/', types: ['none.*'] });
const toImport = (integrationId: string) => ({
  ...{ integrationId, userId: 'u', accountId: 'northwind' },
  credentials: { accessToken: 'of-the-user' },
});
const toPoll = (integrationId: string) => ({
  ...{ integrationId, intervalSeconds: 3600 },
  custom: { object: 'thing', record: { id: 'id' }, list: { request: { path: '/things' } } },
});

const erase = (table: string, id: string) => (trx: Knex.Transaction) => trx(table).where({ id }).delete();
const hide = (id: string) => async (trx: Knex.Transaction) => {
  await trx('integrations').where({ id }).forUpdate().first('id');
  await trx('integrations').where({ id }).update({ deleted_at: trx.fn.now() });
};
const raise = (table: string, id: string) => (trx: Knex.Transaction) =>
  trx(table).where({ id }).increment('version', 1);

describe('what a request names and another one erases meanwhile', () => {
  it('is answered like what was never there', async () => {
    const connection = await makeConnection(stage.integration.id);
    const session = { connectionId: connection.id, userId: 'u' };
    const begun = await overtake(erase('connections', connection.id), () =>
      ask('POST', '/v1/connect-sessions', { body: session }),
    );
    expect(codeOf(begun)).toEqual([404, 'connection_not_found']);
    const erased = await makeIntegration();
    const imported = await overtake(erase('integrations', erased), () =>
      ask('POST', '/v1/connections', { body: toImport(erased), headers: { 'Idempotency-Key': 'erased' } }),
    );
    expect(codeOf(imported)).toEqual([404, 'integration_not_found']);
  });

  it('is answered so while its integration is being erased, too', async () => {
    const integrationId = await makeIntegration();
    const imported = await overtake(hide(integrationId), () =>
      ask('POST', '/v1/connections', { body: toImport(integrationId) }),
    );
    expect(codeOf(imported)).toEqual([404, 'integration_not_found']);
    const polled = await makeIntegration();
    const poll = await overtake(hide(polled), () => ask('POST', '/v1/polls', { body: toPoll(polled) }));
    expect(codeOf(poll)).toEqual([404, 'integration_not_found']);
    const changed = await makeIntegration();
    const change = await overtake(hide(changed), () =>
      ask('PATCH', `/v1/integrations/${changed}`, { body: { scopes: [] } }),
    );
    expect(codeOf(change)).toEqual([404, 'integration_not_found']);
  });
});

describe('a deletion', () => {
  it('is refused where another change came between, and the caller has not seen it', async () => {
    const poll = await make('/v1/polls', toPoll(await makeIntegration()));
    const destination = await makeDestination();
    for (const [table, path] of [
      ['polls', `/v1/polls/${poll.id}`],
      ['event_destinations', `/v1/event-destinations/${destination.id}`],
    ] as const) {
      const etag = (await ask('GET', path)).headers.get('etag') ?? '';
      const id = path.slice(path.lastIndexOf('/') + 1);
      const refused = await overtake(raise(table, id), () =>
        ask('DELETE', path, { headers: { 'If-Match': etag } }),
      );
      expect([path, ...codeOf(refused)]).toEqual([path, 412, 'precondition_failed']);
      const done = await overtake(raise(table, id), () => ask('DELETE', path));
      expect([path, done.status]).toEqual([path, 204]);
    }
  });

  it('is of one caller alone', async () => {
    const poll = await make('/v1/polls', toPoll(await makeIntegration()));
    const late = await overtake(erase('polls', poll.id), () => ask('DELETE', `/v1/polls/${poll.id}`));
    expect(codeOf(late)).toEqual([404, 'poll_not_found']);
    const destination = await makeDestination();
    const path = `/v1/event-destinations/${destination.id}`;
    const second = await overtake(erase('event_destinations', destination.id), () => ask('DELETE', path));
    expect(codeOf(second)).toEqual([404, 'destination_not_found']);
  });
});

describe('a project that has room for one poll more', () => {
  it('gets no second one by requests that come together', async () => {
    const integrationId = await makeIntegration();
    await database.knex.raw(
      `INSERT INTO polls (id, project_id, integration_id, resource, object_type, interval_seconds, backfill, deletes,
         scan_interval_seconds, created_by, updated_by)
       SELECT new_time_ordered_id(), i.project_id, i.id, 'r' || n, 'r' || n, 3600, 'none', 'none', 86400, i.created_by,
         i.created_by
       FROM integrations AS i, generate_series(1, 199) AS n WHERE i.id = ?`,
      [integrationId],
    );
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((object) => {
        const { custom, ...poll } = toPoll(integrationId);
        return ask('POST', '/v1/polls', { body: { ...poll, custom: { ...custom, object } } });
      }),
    );
    const [made, ...refused] = answers.map(codeOf).toSorted(([one], [other]) => one - other);
    expect(made?.[0]).toBe(201);
    expect(refused).toEqual(Array(5).fill([409, 'limit_reached']));
  });
});
