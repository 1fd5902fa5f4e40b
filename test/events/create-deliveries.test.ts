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
});
afterAll(async () => {
  await stage?.stop();
  await receiver?.close();
});

describe('deliveries', () => {
  it('bring the events of a project to its destinations', async () => {
    const projectId = await insertProject(stage.db);
    await createDestinationsStore(stage).insert(stage.db, {
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
    const event = {
      type: 'hub.contact.created',
      source: 'webhook' as const,
      integrationId: null,
      connectionId: null,
      integrationUserId: null,
      userId: null,
      dataText: '{"id":"7"}',
    };
    await stage.db.transaction((trx) => stage.rooms.events.append(trx, projectId, [event]));
    await stage.jobs.start();
    await runChore(stage.rooms.deliveries.chores, 'neglected event destinations');
    await until(() => receiver.received.length > 0);
    expect(receiver.received).toHaveLength(1);
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({ type: 'hub.contact.created' });
  });
});
