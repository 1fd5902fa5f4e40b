import { newId } from '../../src/lib/ids.ts';
import { addTallies } from '../../src/webhooks/receipts/webhook-numbers.store.ts';
import { createReadWebhookFacts } from '../../src/webhooks/receiving/read-webhook-facts.ts';
import { ensureSubscription } from '../../src/webhooks/subscriptions/subscriptions.store.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { createTestVault, insertOwner } from '../support/rows.ts';

const AT = new Date();
const vault = createTestVault();

let database: TestDatabase;
let integration: { id: string; projectId: string };

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());
beforeEach(async () => {
  const { integrationId: id, projectId } = await insertOwner(database.knex, vault, 'hub');
  integration = { id, projectId };
});

const read = (owner = integration, flush = async () => {}) =>
  createReadWebhookFacts({ db: database.knex, flush })(owner);

describe('what is known of the webhooks of an integration', () => {
  it('is nothing before any came', async () => {
    const none = { count: 0, lastAt: null };
    expect(await read()).toEqual({
      areWanted: false,
      lastWebhook: null,
      signatureFailures: none,
      unproven: none,
    });
  });

  it('has in it what this process has counted by now', async () => {
    const facts = await read(integration, () =>
      addTallies(database.knex, [
        {
          integrationId: integration.id,
          projectId: integration.projectId,
          lastWebhookAt: null,
          failures: 3,
          lastFailureAt: AT,
          rejected: 3,
        },
      ]),
    );
    expect(facts?.signatureFailures).toEqual({ count: 3, lastAt: AT });
  });

  it.each<[title: string, want: () => Promise<unknown>]>([
    [
      'a secret',
      () =>
        database.knex('integrations').where({ id: integration.id }).update({ webhook_secret_sealed: 's' }),
    ],
    [
      'a subscription',
      () =>
        ensureSubscription(
          database.knex,
          vault,
          { projectId: integration.projectId, integrationId: integration.id, connectionId: null },
          { state: 'active', events: [], parameters: {} },
        ),
    ],
  ])('says that webhooks are wanted where there is %s', async (_title, want) => {
    await want();
    expect(await read()).toMatchObject({ areWanted: true });
  });

  it.each([
    ['another project', () => ({ ...integration, projectId: newId() })],
    ['no such integration', () => ({ ...integration, id: newId() })],
  ])('is not read for %s', async (_title, readOwner) => {
    expect(await read(readOwner())).toBeUndefined();
  });
});
