import { startRooms, type TestRooms } from '../support/rooms.ts';
import { insertOwner } from '../support/rows.ts';
import { until } from '../support/until.ts';

let stage: TestRooms;
beforeAll(async () => {
  stage = await startRooms();
});
afterAll(() => stage?.stop());

describe('the integrations', () => {
  it('keep of each client secret when the provider accepted and refused it', async () => {
    const { projectId, integrationId: id } = await insertOwner(stage.db, stage.vault, 'hub');
    const { integrations, listSecrets, noteSecretVerdict } = stage.rooms.integrations;
    const integration = await integrations.find(stage.db, id, [projectId]);
    if (integration === undefined) throw new Error('no integration');
    const { clientSecrets, clientSecretIds } = await integrations.openSecrets(stage.db, integration);
    expect(clientSecrets).toEqual(['client-secret-1']);
    noteSecretVerdict(clientSecretIds[0] ?? '', 'worked');
    const list = () => listSecrets({ id, projectId });
    await until(async () => (await list())[0]?.lastWorkedAt !== null);
    expect(await list()).toMatchObject([{ kind: 'client', lastRefusedAt: null }]);
    noteSecretVerdict(clientSecretIds[0] ?? '', 'refused');
    await until(async () => (await list())[0]?.lastRefusedAt !== null);
  });
});
