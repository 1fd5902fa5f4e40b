import type { Integration } from '../../src/integrations/integration.ts';
import { createIntegrationsStore } from '../../src/integrations/integrations.store.ts';
import { createSecretRecordsStore } from '../../src/integrations/secrets/secret-records.store.ts';
import { newId } from '../../src/lib/ids.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { createTestVault, insertIntegration, insertProject } from '../support/rows.ts';

const { knex: db, drop } = await createTestDatabase();
afterAll(drop);
const vault = createTestVault();
const store = createIntegrationsStore({ vault });

async function insert(): Promise<Integration> {
  const projectId = await insertProject(db);
  const id = await insertIntegration(db, vault, projectId, 'acme');
  const found = await store.find(db, id, [projectId]);
  if (found === undefined) throw new Error('not inserted');
  return found;
}

async function rotate(integration: Integration, clientSecret: string): Promise<Integration> {
  const changed = await store.update(db, integration, { clientSecret, updatedBy: newId() });
  if (changed === undefined) throw new Error('not changed');
  return changed;
}

const secretsOf = async (integration: Integration) =>
  (await store.openSecrets(db, integration)).clientSecrets;

describe('the client secrets of an integration', () => {
  it('are the newest one and the one before it, in this order', async () => {
    const integration = await rotate(await insert(), 'second');
    expect(await secretsOf(integration)).toEqual(['second', 'client-secret-1']);
    expect(await secretsOf(await rotate(integration, 'third'))).toEqual(['third', 'second']);
  });

  it('are the newest one alone from seven days after the change on', async () => {
    const integration = await rotate(await insert(), 'second');
    const age = (interval: string) =>
      db('integrations')
        .where({ id: integration.id })
        .update({ client_secret_rotated_at: db.raw('now() - ?::interval', [interval]) });
    await age('6 days 23 hours');
    expect(await secretsOf(integration)).toEqual(['second', 'client-secret-1']);
    await age('7 days');
    expect(await secretsOf(integration)).toEqual(['second']);
  });
});

it('the older client secret is dropped once', async () => {
  const integration = await rotate(await insert(), 'second');
  const records = createSecretRecordsStore();
  expect(await records.dropOlder(db, integration, 'client')).toBe(true);
  expect(await secretsOf(integration)).toEqual(['second']);
  expect(await records.dropOlder(db, integration, 'client')).toBe(false);
});

describe('what cannot be unsealed', () => {
  const spoil = (integration: Integration, column: string) =>
    db('integrations')
      .where({ id: integration.id })
      .update({ [column]: 'v1.spoiled' });

  it('leaves no secret variables in place', async () => {
    const integration = await insert();
    await spoil(integration, 'secret_variables_sealed');
    expect(await store.remainingVariables(db, integration)).toEqual({});
  });

  it('is no older client secret', async () => {
    const integration = await insert();
    await spoil(integration, 'client_secret_sealed');
    expect(await secretsOf(await rotate(integration, 'second'))).toEqual(['second']);
  });
});

describe('two changes of one integration at once', () => {
  it('end in one that is made and one that is told of the other', async () => {
    const integration = await insert();
    const change = (scopes: string[]) => store.update(db, integration, { scopes, updatedBy: newId() });
    const outcomes = await Promise.all([change(['a']), change(['b'])]);
    expect(outcomes.filter((outcome) => outcome === undefined)).toHaveLength(1);
  });
});

describe('the authorization server that was discovered for an integration', () => {
  const server = {
    mcpUrl: 'https://mcp.acme.example',
    resource: 'https://mcp.acme.example',
    issuer: 'https://login.acme.example',
    hasMetadata: true,
    authorizationEndpoint: 'https://login.acme.example/authorize',
    tokenEndpoint: 'https://login.acme.example/token',
    registrationEndpoint: null,
    revocationEndpoint: null,
    authMethods: [],
    takesDocuments: false,
    sendsIssuer: false,
    scopes: [],
    discoveredAt: '2026-01-01T00:00:00.000Z',
    client: null,
  };

  it.each([
    ['scopes', { scopes: ['a'] }, true],
    ['the very same client id', { clientId: 'client-1' }, true],
    ['another client id', { clientId: 'client-2' }, false],
    ['a client secret', { clientSecret: 'client-secret-1' }, false],
    ['another grant', { grant: 'machine' }, false],
  ])('after a change of %s', async (_, change, isKept) => {
    const before = await store.setAuthorizationServer(db, await insert(), server, {
      clientId: 'client-1',
      clientSecret: null,
    });
    if (before === undefined) throw new Error('not set');
    const after = await store.update(db, before, { ...change, updatedBy: newId() });
    expect(after?.authorizationServer?.issuer).toBe(isKept ? server.issuer : undefined);
  });
});
