import { newId } from '../../src/lib/ids.ts';
import { createPollsStore } from '../../src/polls/api/polls.store.ts';
import { acmeProviderAt } from '../support/acme-provider.ts';
import { runChore, startRooms, type TestRooms } from '../support/rooms.ts';
import { until } from '../support/until.ts';
import { type FakeCrm, PEOPLE, startFakeCrm } from './fake-crm.ts';

let crm: FakeCrm;
let stage: TestRooms;
beforeAll(async () => {
  crm = await startFakeCrm();
  stage = await startRooms(acmeProviderAt(crm.url));
});
afterAll(async () => {
  await stage?.stop();
  await crm?.close();
});

describe('polls', () => {
  it('report what is new at the provider, as soon as a connection has joined', async () => {
    const { projectId, integrationId } = await stage.insertConnection('acme', { accessTokenExpiresAt: null });
    await createPollsStore().insert(stage.db, {
      projectId,
      integrationId,
      resource: null,
      custom: PEOPLE,
      objectType: PEOPLE.object,
      intervalSeconds: 60,
      fields: [],
      parameters: {},
      backfill: 'full',
      deletes: 'none',
      scanIntervalSeconds: 3600,
      createdBy: newId(),
    });
    crm.put('1');
    await stage.jobs.start();
    await runChore(stage.rooms.polls.chores, 'connections that join polls');
    const listTypes = () => stage.db('events').where({ project_id: projectId }).pluck('type');
    await until(async () => (await listTypes()).length > 0);
    expect(await listTypes()).toEqual(['acme.person.created']);
  });
});
