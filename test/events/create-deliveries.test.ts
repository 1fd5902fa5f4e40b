import { createDestinationsStore } from '../../src/events/destinations/destinations.store.ts';
import { newId } from '../../src/lib/ids.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { runChore, startRooms, type TestRooms } from '../support/rooms.ts';
import { insertProject } from '../support/rows.ts';
import { until } from '../support/until.ts';

let stage: TestRooms;
let receiver: Receiver;
beforeAll(async () => {
  [stage, receiver] = await Promise.all([startRooms(), startReceiver()]);
  await stage.jobs.start();
});
afterAll(async () => {
  await stage?.stop();
  await receiver?.close();
});

const insertDestination = (projectId: string) =>
  createDestinationsStore(stage).insert(stage.db, {
    projectId,
    url: receiver.url,
    types: ['*'],
    connectionIds: null,
    tags: {},
    description: null,
    ordered: 'none',
    format: 'standard',
    kafka: null,
    createdBy: newId(),
  });

const append = (projectId: string) => {
  const event = {
    type: 'hub.contact.created',
    source: 'webhook' as const,
    integrationId: null,
    connectionId: null,
    integrationUserId: null,
    userId: null,
    dataText: '{"id":"7"}',
  };
  return stage.db.transaction((trx) => stage.rooms.events.append(trx, projectId, [event]));
};

describe('deliveries', () => {
  it('bring the events of a project to its destinations', async () => {
    const projectId = await insertProject(stage.db);
    await insertDestination(projectId);
    await append(projectId);
    await runChore(stage.rooms.deliveries.chores, 'neglected event destinations');
    await until(() => receiver.received.length > 0);
    expect(receiver.received).toHaveLength(1);
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({ type: 'hub.contact.created' });
  });

  it('go on when a pause that another machine has noted is over by the clock of the store', async () => {
    stage.storeClock.note(-300);
    const projectId = await insertProject(stage.db);
    const { destination } = await insertDestination(projectId);
    const holdUntil = new Date(Date.now() + 200_000);
    await stage.db('event_destinations').where({ id: destination.id }).update({ hold_until: holdUntil });
    receiver.received.length = 0;
    await append(projectId);
    await runChore(stage.rooms.deliveries.chores, 'neglected event destinations');
    await until(() => receiver.received.length > 0);
    expect(receiver.received).toHaveLength(1);
  });
});
