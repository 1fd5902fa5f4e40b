import { runChore, startRooms, type TestRooms } from '../support/rooms.ts';
import { finishedCall } from './fake-calls.ts';

let stage: TestRooms;
beforeAll(async () => {
  stage = await startRooms();
});
afterAll(() => stage?.stop());

describe('the call log', () => {
  it('counts calls and errors of each integration, once they are written', async () => {
    const { projectId, integrationId, connectionId } = await stage.insertConnection('hub');
    const { callLog } = stage.rooms;
    const user = { projectId, subject: 'user-1' };
    const call = { projectId, integrationId, connectionId };
    callLog.record(finishedCall(call), user);
    callLog.record(finishedCall({ ...call, status: 500 }), user);
    const sum = () =>
      callLog.sumCallsOf({
        integrationIds: [integrationId],
        projectIds: [projectId],
        since: new Date(Date.now() - 3_600_000),
      });
    expect(await sum()).toEqual(new Map());
    await runChore(callLog.chores, 'numbers of calls');
    const numbers = { callsDay: 2, errorsDay: 1, lastCallAt: expect.stringMatching(/Z$/) };
    expect(await sum()).toEqual(new Map([[integrationId, numbers]]));
  });
});
