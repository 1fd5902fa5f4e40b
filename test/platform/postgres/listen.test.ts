import { createChangeListener } from '../../../src/platform/postgres/listen.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';
import {
  afterwards,
  cleanUpAfterTest,
  freeze,
  queryOnce,
  removeCluster,
  startOwnServer,
} from './own-server.ts';

const CHANNEL = 'things_changed';
const NAME = 'listener under test';
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
});
afterEach(cleanUpAfterTest);
afterAll(removeCluster);
afterAll(() => database.drop());

/** A listener that writes down its messages. */
function listen(url: string, keepaliveMs?: number) {
  const messages: string[] = [];
  const listener = createChangeListener({
    url,
    channel: CHANNEL,
    applicationName: NAME,
    ...(keepaliveMs ? { keepaliveMs } : {}),
    onMessage: (payload) => messages.push(payload),
    onLost: () => messages.push('lost'),
    onRestored: () => messages.push('restored'),
  });
  afterwards(() => listener.stop());
  return { messages, listener };
}

describe('createChangeListener', () => {
  it('hands over what is notified on its channel, in order, and nothing of other channels', async () => {
    const { messages, listener } = listen(database.url);
    await listener.start();
    await database.knex.raw(`NOTIFY other, 'no'`);
    for (const payload of ['one', 'two', ''])
      await database.knex.raw('SELECT pg_notify(?, ?)', [CHANNEL, payload]);
    await until(() => messages.length >= 3);
    expect(messages).toEqual(['one', 'two', '']);
  });

  it('tells that it lost its connection, then that it has one again, and listens on', async () => {
    const { messages, listener } = listen(database.url);
    await listener.start();
    await database.knex.raw(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ?',
      [NAME],
    );
    await until(() => messages.includes('restored'));
    await database.knex.raw(`NOTIFY ${CHANNEL}, 'after'`);
    await until(() => messages.includes('after'));
    expect(messages).toEqual(['lost', 'restored', 'after']);
  });

  it('leaves no connection behind when stopped, and tells nothing of it', async () => {
    const { messages, listener } = listen(database.url);
    await listener.start();
    await listener.stop();
    await until(async () => {
      const left = await database.knex('pg_stat_activity').where({ application_name: NAME });
      return left.length === 0;
    });
    expect(messages).toEqual([]);
  });

  it('notices a server that is frozen and neither answers nor hangs up', async () => {
    const server = await startOwnServer();
    const { messages, listener } = listen(server.url, 20);
    await listener.start();
    const thaw = await freeze(server);
    await until(() => messages.includes('lost'));
    thaw();
    await until(() => messages.includes('restored'));
    expect(messages).toEqual(['lost', 'restored']);
  });

  it('keeps trying while there is no server, and starts to listen once there is one', async () => {
    const server = await startOwnServer();
    const elsewhere = server.url.replace('/app?', '/postgres?');
    const allowConnections = (value: boolean) =>
      queryOnce(elsewhere, `ALTER DATABASE app WITH ALLOW_CONNECTIONS ${value}`);
    await allowConnections(false);
    await expect(queryOnce(server.url, 'SELECT 1')).rejects.toThrow(/not currently accepting connections/);
    const { messages, listener } = listen(server.url);
    const started = listener.start();
    await allowConnections(true);
    await started;
    await queryOnce(server.url, `NOTIFY ${CHANNEL}, 'at last'`);
    await until(() => messages.length > 0);
    expect(messages).toEqual(['at last']);
  });
});
