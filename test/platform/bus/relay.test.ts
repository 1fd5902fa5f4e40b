import { relayStore } from '../../../src/platform/bus/relay.store.ts';
import { createRelay } from '../../../src/platform/bus/relay.ts';
import { CHANGE_CHANNEL } from '../../../src/platform/change-notices.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';

let database: TestDatabase;
const stops: (() => Promise<void>)[] = [];
beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await relayStore.setRelayed(database.knex, 0);
  await database.knex('change_notices').delete();
});
afterAll(() => database.drop());

/** The relay of a process, with the bus that a test makes of it. */
function startRelay(processKey: number, peers: readonly number[]) {
  const bus = { isUp: true, silent: new Set<number>(), isRefusing: false, sent: [] as string[] };
  const states: boolean[] = [];
  const relay = createRelay({
    db: database.knex,
    bus: {
      isUp: () => bus.isUp,
      isHeard: (key) => !bus.silent.has(key),
      publish: async (payloads) => {
        if (bus.isRefusing) throw new Error('away');
        bus.sent.push(...payloads);
      },
    },
    processKey,
    listPeers: () => peers,
    onState: (hasNotices) => states.push(hasNotices),
    log: { warn: () => undefined },
  });
  stops.push(relay.stop);
  return { bus, states, relay };
}

const isRelayed = () => relayStore.isRelayed(database.knex);
const writeDown = (...payloads: string[]) =>
  database.knex('change_notices').insert(payloads.map((payload) => ({ payload })));
const count = async () => Number((await database.knex('change_notices').count())[0]?.count);

describe('the relay of notices', () => {
  it('has triggers write them down while every process is on the bus, and publishes them', async () => {
    const { bus, relay } = startRelay(1, [1, 2]);
    await relay.start();
    expect(await isRelayed()).toBe(true);
    await writeDown('a', 'b');
    await until(() => bus.sent.length === 2);
    expect(bus.sent.toSorted()).toEqual(['a', 'b']);
    // They are gone with the end of the transaction that published them.
    await until(async () => (await count()) === 0);
  });

  it('leaves it to triggers to notify while one process is not on the bus', async () => {
    const { bus, relay } = startRelay(1, [1, 2]);
    bus.silent.add(2);
    await relay.start();
    expect(await isRelayed()).toBe(false);
    bus.silent.clear();
    await until(isRelayed);
  });

  it('notifies of what the bus did not take, so that nothing is lost', async () => {
    const { bus, relay } = startRelay(1, [1]);
    const heard: string[] = [];
    const client = await database.knex.client.acquireConnection();
    client.on('notification', ({ payload }: { payload: string }) => heard.push(payload));
    await client.query(`LISTEN ${CHANGE_CHANNEL}`);
    bus.isRefusing = true;
    await relay.start();
    await writeDown('kept');
    await until(() => heard.includes('kept'));
    await until(async () => (await count()) === 0);
    client.removeAllListeners('notification');
    await client.query(`UNLISTEN ${CHANGE_CHANNEL}`);
    await database.knex.client.releaseConnection(client);
  });

  it('is the work of the process with the smallest key alone', async () => {
    const { bus, relay } = startRelay(2, [1, 2]);
    await relay.start();
    expect(await isRelayed()).toBe(false);
    await writeDown('for the first');
    await relay.stop();
    expect([bus.sent, await count()]).toEqual([[], 1]);
  });

  it('tells a process that lost the bus that it hears nothing, until triggers notify again', async () => {
    const first = startRelay(1, [1, 2]);
    const second = startRelay(2, [1, 2]);
    await first.relay.start();
    await second.relay.start();
    second.bus.isUp = false;
    second.relay.handleDoubt(false);
    expect(second.states).toEqual([false]);
    first.bus.silent.add(2);
    await until(() => second.states.at(-1) === true);
    expect(await isRelayed()).toBe(false);
  });
});
