import { createIntegrationsStore } from '../../src/integrations/integrations.store.ts';
import { newId } from '../../src/lib/ids.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { createTestVault, insertIntegration, insertProject } from '../support/rows.ts';

const { knex: db, drop } = await createTestDatabase();
afterAll(drop);
const vault = createTestVault();
const { clients } = createIntegrationsStore({ vault });

/** The client of an organization, of a provider that takes clients with a secret and without. */
async function addClient() {
  const projectId = await insertProject(db);
  const owner = { id: await insertIntegration(db, vault, projectId, 'acme'), projectId };
  const endUserId = newId();
  await db('end_users').insert({ id: endUserId, project_id: projectId, organization: 'acme' });
  const client = await clients.add(db, owner, {
    ...{ endUserId, clientId: 'first', clientSecret: 'secret of the first', scopes: null, by: newId() },
    ...{ variables: { region: 'eu' }, secretVariables: {} },
  });
  if (client === undefined) throw new Error('not added');
  return client;
}

const secretsOf = async (client: Awaited<ReturnType<typeof addClient>> | undefined) =>
  client && (await clients.openSecrets(db, client)).clientSecrets;

describe('the secret of an organization’s client', () => {
  it('is not sent in the name of another client, which may have none', async () => {
    const changed = await clients.change(db, await addClient(), { clientId: 'second', by: newId() });
    expect([changed?.clientId, changed?.hasSecret, await secretsOf(changed)]).toEqual(['second', false, []]);
  });

  it('stays where other variables make another version of the same client', async () => {
    const changed = await clients.change(db, await addClient(), { variables: { region: 'us' }, by: newId() });
    expect([changed?.variables, await secretsOf(changed)]).toEqual([
      { region: 'us' },
      ['secret of the first'],
    ]);
  });
});

describe('the time at which an organization’s client was made', () => {
  it('stays while its versions change, also to one of before', async () => {
    const made = new Date('2026-01-01T00:00:00.000Z');
    const client = await addClient();
    await db('organization_clients').where({ id: client.versionId }).update({ created_at: made });
    const second = await clients.change(db, client, { clientId: 'second', by: newId() });
    const first = second && (await clients.change(db, second, { clientId: 'first', by: newId() }));
    expect([second?.createdAt, first?.createdAt, first?.versionId]).toEqual([made, made, client.versionId]);
  });

  it('is its own where it takes up a version of one that was taken away', async () => {
    const made = new Date('2026-01-01T00:00:00.000Z');
    const client = await addClient();
    await db('organization_clients').where({ id: client.versionId }).update({ created_at: made });
    await clients.retire(db, client);
    const { integrationId: id, projectId, endUserId, variables } = client;
    const added = await clients.add(
      db,
      { id, projectId },
      {
        ...{ endUserId, clientId: 'first', clientSecret: null, scopes: null, by: newId() },
        ...{ variables, secretVariables: {} },
      },
    );
    expect(added?.versionId).toBe(client.versionId);
    expect(added?.createdAt.getTime()).toBeGreaterThan(made.getTime());
  });
});
