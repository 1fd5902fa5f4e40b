import { writeAccountId } from '../../src/agent-sign-in/account-id.ts';
import { createAddresses } from '../../src/agent-sign-in/addresses.ts';
import { artifactsStore } from '../../src/agent-sign-in/artifacts.store.ts';
import { createAdapters } from '../../src/agent-sign-in/artifacts.ts';
import { consentsStore } from '../../src/agent-sign-in/consents.store.ts';
import { newId } from '../../src/lib/ids.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { createTestVault, insertEndUser, insertProject } from '../support/rows.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function start() {
  const db = database.knex;
  const projectId = await insertProject(db);
  const endUserId = await insertEndUser(db, projectId, 'mia');
  const adapterOf = createAdapters({
    db,
    vault: createTestVault(),
    artifacts: artifactsStore,
    addresses: createAddresses('https://gateway.example'),
    endConsent: async (id) => void (await consentsStore.remove(db, id)),
    findClient: async () => undefined,
    refuseSpent: () => new Error('spent'),
  });
  const addConsent = async () => {
    const id = newId();
    await consentsStore.insert(db, {
      ...{ id, projectId, endUserId, clientId: 'https://desk.example/c.json', clientName: null },
      ...{ access: 'read', rights: {}, signedInAt: new Date() },
    });
    return id;
  };
  const accountId = writeAccountId(projectId, 'mia');
  return { db, projectId, adapterOf, addConsent, accountId };
}

describe('what the authorization server keeps', () => {
  it('can be used once, whoever comes at the same time', async () => {
    const { adapterOf, addConsent, accountId } = await start();
    const codes = adapterOf('AuthorizationCode');
    const grantId = await addConsent();
    for (let round = 0; round < 5; round += 1) {
      const code = `code-${round}`;
      await codes.upsert(code, { accountId, grantId }, 60);
      const uses = await Promise.allSettled(Array.from({ length: 10 }, () => codes.consume(code)));
      expect(uses.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await codes.find(code)).toMatchObject({ accountId, consumed: expect.any(Number) });
    }
  });

  it('is of its kind alone, ends with its time, and with its consent', async () => {
    const { adapterOf, addConsent, accountId } = await start();
    const tokens = adapterOf('RefreshToken');
    const grantId = await addConsent();
    await tokens.upsert('token', { accountId, grantId }, 60);
    await tokens.upsert('old', { accountId, grantId }, -1);
    expect(await tokens.find('token')).toMatchObject({ accountId, grantId });
    expect(await adapterOf('AccessToken').find('token')).toBeUndefined();
    expect(await tokens.find('old')).toBeUndefined();
    await tokens.revokeByGrantId(grantId);
    expect(await tokens.find('token')).toBeUndefined();
  });

  it('is refused where it belongs to no project', async () => {
    const { adapterOf } = await start();
    const interactions = adapterOf('Interaction');
    const params = { resource: 'https://elsewhere.example/projects/x/mcp' };
    await expect(interactions.upsert('uid', { params }, 60)).rejects.toThrow('no project');
  });

  it('is swept once it has expired, with consents whose client has not come back', async () => {
    const { db, adapterOf, addConsent, accountId, projectId } = await start();
    const [left, kept] = [await addConsent(), await addConsent()];
    await adapterOf('RefreshToken').upsert('left', { accountId, grantId: left }, -1);
    await adapterOf('RefreshToken').upsert('kept', { accountId, grantId: kept }, 60);
    await db('agent_consents').update({ created_at: db.raw(`now() - interval '2 hours'`) });
    await consentsStore.purgeOfAnyProject(db, AbortSignal.timeout(60_000));
    const rows = await consentsStore.list(db, { projectIds: [projectId], limit: 10 });
    expect(rows.map(({ id }) => id)).toEqual([kept]);
  });

  it('forgets clients that have registered and are not used', async () => {
    const { db, addConsent, projectId } = await start();
    const clients = ['fresh', 'unused', 'used', 'old', 'allowed'].map((name) => ({ name, id: newId() }));
    const ages: Record<string, [number, number | null]> = {
      ...{ fresh: [0.5, null], unused: [2, null], used: [80, 80], old: [100, 100], allowed: [100, 100] },
    };
    for (const { name, id } of clients) {
      const [created, used] = ages[name] ?? [0, null];
      await db.raw(
        `INSERT INTO agent_clients (id, project_id, metadata, created_at, used_at)
         VALUES (?, ?, '{}', now() - make_interval(hours => ?), now() - make_interval(hours => ?))`,
        [id, projectId, created * 24, used === null ? null : used * 24],
      );
    }
    const consentId = await addConsent();
    const allowed = clients.find(({ name }) => name === 'allowed')?.id;
    await db('agent_consents').where({ id: consentId }).update({ client_id: allowed });
    await consentsStore.purgeOfAnyProject(db, AbortSignal.timeout(60_000));
    const left = await db('agent_clients').where({ project_id: projectId }).select<{ id: string }[]>('id');
    const names = clients.filter(({ id }) => left.some((one) => one.id === id)).map(({ name }) => name);
    expect(names).toEqual(['fresh', 'used', 'allowed']);
  });

  it('holds fifty consents of a user, and lets the one go that was used longest ago', async () => {
    const { db, addConsent, projectId } = await start();
    const first = await addConsent();
    for (let count = 0; count < 50; count += 1) await addConsent();
    const rows = await consentsStore.list(db, { projectIds: [projectId], limit: 100 });
    expect(rows).toHaveLength(50);
    expect(rows.map(({ id }) => id)).not.toContain(first);
  });
});
