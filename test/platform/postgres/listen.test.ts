import { createDatabase } from '../../../src/platform/postgres/database.ts';
import { createChangeListener } from '../../../src/platform/postgres/listen.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';
import { afterwards, cleanUpAfterTest, freeze, startOwnServer } from './own-server.ts';

const CHANNEL = 'things_changed';
const NAME = 'listener under test';
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
});
afterEach(cleanUpAfterTest);
afterAll(() => database.drop());

/** A listener that writes down what it is told. */
function listen(url: string, keepaliveMs?: number) {
  const told: string[] = [];
  const listener = createChangeListener({
    url,
    channel: CHANNEL,
    applicationName: NAME,
    ...(keepaliveMs ? { keepaliveMs } : {}),
    onMessage: (payload) => told.push(payload),
    onLost: () => told.push('lost'),
    onRestored: () => told.push('restored'),
  });
  afterwards(() => listener.stop());
  return { told, listener };
}

describe('createChangeListener', () => {
  it('hands over what is notified on its channel, in order, and nothing of other channels', async () => {
    const { told, listener } = listen(database.url);
    await listener.start();
    await database.knex.raw(`NOTIFY other, 'no'`);
    for (const payload of ['one', 'two', ''])
      await database.knex.raw('SELECT pg_notify(?, ?)', [CHANNEL, payload]);
    await until(() => told.length >= 3);
    expect(told).toEqual(['one', 'two', '']);
  });

  it('tells that it lost its connection, then that it has one again, and listens on', async () => {
    const { told, listener } = listen(database.url);
    await listener.start();
    await database.knex.raw(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ?',
      [NAME],
    );
    await until(() => told.includes('restored'));
    await database.knex.raw(`NOTIFY ${CHANNEL}, 'after'`);
    await until(() => told.includes('after'));
    expect(told).toEqual(['lost', 'restored', 'after']);
  });

  it('leaves no connection behind when stopped, and tells nothing of it', async () => {
    const { told, listener } = listen(database.url);
    await listener.start();
    await listener.stop();
    await until(async () => {
      const left = await database.knex('pg_stat_activity').where({ application_name: NAME });
      return left.length === 0;
    });
    expect(told).toEqual([]);
  });

  it('notices a server that is frozen and neither answers nor hangs up', async () => {
    const server = await startOwnServer();
    const { told, listener } = listen(server.url, 20);
    await listener.start();
    const thaw = await freeze(server);
    await until(() => told.includes('lost'));
    thaw();
    await until(() => told.includes('restored'));
    expect(told).toEqual(['lost', 'restored']);
  });

  it('keeps trying while there is no server, and starts to listen once there is one', async () => {
    const server = await startOwnServer();
    const scratch = createDatabase({ url: server.url, applicationName: 'test', poolMax: 1 });
    afterwards(scratch.close);
    await scratch.knex.raw('ALTER DATABASE app WITH CONNECTION LIMIT 0');
    await scratch.knex.raw('CREATE ROLE limited LOGIN');
    const url = server.url.replace('app@', 'limited@');
    const { told, listener } = listen(url);
    const started = listener.start();
    await scratch.knex.raw('ALTER DATABASE app WITH CONNECTION LIMIT -1');
    await started;
    await scratch.knex.raw(`NOTIFY ${CHANNEL}, 'at last'`);
    await until(() => told.length > 0);
    expect(told).toEqual(['at last']);
  });
});
