import request from 'supertest';
import { newId } from '../../src/lib/ids.ts';
import { createTestApp, PROJECT_ID } from '../http/support.ts';
import { acmeProvider } from '../support/acme-provider.ts';
import { startRooms, type TestRooms } from '../support/rooms.ts';
import { insertConnection, insertEndUser, insertIntegration } from '../support/rows.ts';

let stage: TestRooms;
beforeAll(async () => {
  stage = await startRooms(acmeProvider());
});
afterAll(() => stage?.stop());

/** The endpoints of the door, with what other rooms do for it left out. */
function createApp() {
  const { connections, identity, activity, ownProviders, credentials } = stage.rooms;
  const unused = () => Promise.reject(new Error('no other room is needed'));
  const { app } = createTestApp(
    connections.endpoints({
      access: identity.access,
      recordActivity: activity.recordActivity,
      providers: ownProviders.providers,
      disconnect: unused,
      reachTenants: credentials.reachTenants,
      restartPolls: unused,
      findTagClaims: unused,
      findIntegration: unused,
      secretVariablesOf: unused,
      withClientOf: unused,
      endUserId: unused,
      organizationId: unused,
      logIn: unused,
      clientOf: unused,
    }),
  );
  return app;
}

describe('the connections', () => {
  it('are listed as the store of the door has them, without their credentials', async () => {
    await stage.db('projects').insert({ id: PROJECT_ID, name: 'Project' });
    const integrationId = await insertIntegration(stage.db, stage.vault, PROJECT_ID, 'acme');
    const endUserId = await insertEndUser(stage.db, PROJECT_ID, newId());
    const owner = { projectId: PROJECT_ID, integrationId, endUserId };
    const id = await insertConnection(stage.db, stage.vault, owner, { accountId: 'account-1' });
    await stage.insertConnection('acme');
    const answer = await request(createApp())
      .get(`/v1/projects/${PROJECT_ID}/connections`)
      .set('Authorization', 'Bearer key')
      .expect(200);
    expect(answer.body.connections).toMatchObject([{ id, integrationId, accountId: 'account-1' }]);
    expect(answer.text).not.toContain('access-1');
    const { connections } = stage.rooms.connections;
    expect(await connections.find(stage.db, id, [PROJECT_ID])).toMatchObject({ id, status: 'active' });
  });
});
