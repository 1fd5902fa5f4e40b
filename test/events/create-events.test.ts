import { readFeed } from '../../src/events/stream/events.store.ts';
import { openEvents } from '../../src/events/stream/sealed-events.ts';
import { runChore, startRooms, type TestRooms } from '../support/rooms.ts';

let stage: TestRooms;
beforeAll(async () => {
  stage = await startRooms();
});
afterAll(() => stage?.stop());

describe('the stream of events', () => {
  it('has in it what the audit log records of connections, sealed in the store', async () => {
    const { projectId, integrationId, connectionId } = await stage.insertConnection('hub');
    const { activity, events } = stage.rooms;
    await stage.db.transaction((trx) =>
      activity.recordActivity(trx, {
        actor: { kind: 'gateway' },
        action: 'connection.reauthorization_required',
        projectId,
        subjectId: connectionId,
        details: { integrationId, reason: 'invalid_grant' },
      }),
    );
    await events.settled();
    await runChore(events.chores, 'events of stopped processes');
    const { rows } = await readFeed(stage.db, { projectId, afterPosition: 0, limit: 10 });
    expect(rows).toMatchObject([{ type: 'connection.reauthorization_required' }]);
    const [text] = await openEvents(stage.db, events.dataKeys, rows);
    expect(text).toContain(connectionId);
  });
});
