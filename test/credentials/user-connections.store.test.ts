import { createUserConnectionsStore } from '../../src/credentials/user-connections.store.ts';
import { acmeProvider } from '../support/acme-provider.ts';
import { createTestDatabase } from '../support/postgres.ts';
import {
  createTestVault,
  insertConnection,
  insertEndUser,
  insertIntegration,
  insertProject,
} from '../support/rows.ts';

const { knex: db, drop } = await createTestDatabase();
afterAll(drop);
const vault = createTestVault();
const store = createUserConnectionsStore({ db, vault });
const provider = acmeProvider();

async function connect(subject: string, leftMs = 60_000) {
  const projectId = await insertProject(db);
  const endUserId = await insertEndUser(db, projectId, subject);
  const integrationId = await insertIntegration(db, vault, projectId, provider.id);
  const owner = { projectId, integrationId, endUserId };
  const accessTokenExpiresAt = new Date(Date.now() + leftMs);
  const connectionId = await insertConnection(db, vault, owner, { accessTokenExpiresAt });
  return { projectId, endUserId, integrationId, connectionId };
}

describe('the connections of a user', () => {
  it('are those of the project, where another project has a user of the same name', async () => {
    const [one, two] = [await connect('ada'), await connect('ada')];
    for (const { projectId, endUserId, connectionId } of [one, two]) {
      const found = await store.load(projectId, 'ada', provider);
      expect(found.endUserId).toBe(endUserId);
      expect(found.connections.map((connection) => connection.connectionId)).toEqual([connectionId]);
    }
  });

  it('are none of a user who is not known, beside the integrations that there are', async () => {
    const { projectId, integrationId } = await connect('ada');
    const found = await store.load(projectId, 'eve', provider);
    expect(found).toMatchObject({ endUserId: null, connections: [] });
    expect(found.integrations.map(({ id }) => id)).toEqual([integrationId]);
  });

  it('tell how long their access token still lives, by the clock of the store', async () => {
    const { projectId } = await connect('ada', 600_000);
    const { connections } = await store.load(projectId, 'ada', provider);
    const [{ expiresInMs = null } = {}] = connections;
    expect(Math.abs((expiresInMs ?? 0) - 600_000)).toBeLessThan(60_000);
  });
});

describe('an access token that none follows', () => {
  const reasonOf = async (id: string) => (await db('connections').where({ id }).first()).status_reason;

  it('is told of once it has expired, and where nothing else is', async () => {
    const [serving, expired, other] = [
      await connect('ada'),
      await connect('ben', -1),
      await connect('cem', -1),
    ];
    await db('connections').where({ id: other.connectionId }).update({ status_reason: 'another' });
    for (const each of [serving, expired, other]) await store.noteUnrefreshable(each);
    const reasons = await Promise.all([serving, expired, other].map((each) => reasonOf(each.connectionId)));
    expect(reasons).toEqual([null, expect.stringMatching(/gave no refresh token/), 'another']);
  });
});
