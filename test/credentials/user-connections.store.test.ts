import { createUserConnectionsStore } from '../../src/credentials/calling/user-connections.store.ts';
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
      const found = await store.load(projectId, { subject: 'ada' }, provider);
      expect(found.endUserId).toBe(endUserId);
      expect(found.connections.map((connection) => connection.connectionId)).toEqual([connectionId]);
    }
  });

  it('are none of a user who is not known, beside the integrations that there are', async () => {
    const { projectId, integrationId } = await connect('ada');
    const found = await store.load(projectId, { subject: 'eve' }, provider);
    expect(found).toMatchObject({ endUserId: null, connections: [] });
    expect(found.integrations.map(({ id }) => id)).toEqual([integrationId]);
  });

  it('tell how long their access token still lives, by the clock of the store', async () => {
    const { projectId } = await connect('ada', 600_000);
    const { connections } = await store.load(projectId, { subject: 'ada' }, provider);
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

describe('a user with more connections than are read together', () => {
  const COUNT = 25;
  const stage = async () => {
    const one = await connect('ada');
    for (let index = 1; index < COUNT; index += 1) await insertConnection(db, vault, one, {});
    return one;
  };

  it('has some of their ids and their number, and none is unsealed', async () => {
    const { projectId } = await stage();
    const open = (): never => {
      throw new Error('unsealed');
    };
    const found = await createUserConnectionsStore({ db, vault: { ...vault, open } }).load(
      projectId,
      { subject: 'ada' },
      provider,
    );
    expect([found.connections.length, found.tooMany?.connectionCount]).toEqual([0, COUNT]);
    expect(new Set(found.tooMany?.connectionIds).size).toBe(20);
  });

  it('has the one that is named, and none by the name of another’s', async () => {
    const [one, other] = [await stage(), await connect('eve')];
    const idsOf = async (connectionId: string) =>
      (await store.load(one.projectId, { subject: 'ada' }, provider, { connectionId })).connections.map(
        (c) => c.connectionId,
      );
    expect(await idsOf(one.connectionId)).toEqual([one.connectionId]);
    expect(await idsOf(other.connectionId)).toEqual([]);
  });

  it('has those of an integration that is named', async () => {
    const one = await stage();
    const second = await insertIntegration(db, vault, one.projectId, provider.id);
    const owner = { projectId: one.projectId, integrationId: second, endUserId: one.endUserId };
    const connectionId = await insertConnection(db, vault, owner, {});
    const named = await store.load(one.projectId, { subject: 'ada' }, provider, { integrationId: second });
    expect(named.connections.map((c) => c.connectionId)).toEqual([connectionId]);
    const first = await store.load(one.projectId, { subject: 'ada' }, provider, {
      integrationId: one.integrationId,
    });
    expect(first.tooMany?.connectionCount).toBe(COUNT);
    expect((await store.load(one.projectId, { subject: 'ada' }, provider)).tooMany?.connectionCount).toBe(
      COUNT + 1,
    );
  });
});
