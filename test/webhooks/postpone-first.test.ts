import { newId } from '../../src/lib/ids.ts';
import { createDataKeys } from '../../src/platform/data-keys.ts';
import { createPostponeFirst } from '../../src/webhooks/processing/postpone-first.ts';
import { lockProject } from '../../src/webhooks/processing/processing.store.ts';
import { insertReceipts } from '../../src/webhooks/receipts/receipts.store.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { createTestVault, insertOwner } from '../support/rows.ts';

const vault = createTestVault();
const FAULT = new Error('no events');

let database: TestDatabase;
let owner: { projectId: string; integrationId: string };
let first: string;
let logged: object[];
let postponeFirst: ReturnType<typeof createPostponeFirst>;

beforeAll(async () => {
  database = await createTestDatabase();
  const log = { warn: (fields: object) => void logged.push(fields) };
  postponeFirst = createPostponeFirst({ db: database.knex, log });
});
afterAll(() => database?.drop());
beforeEach(async () => {
  logged = [];
  owner = await insertOwner(database.knex, vault, 'hub');
  first = await insertReceipt();
  await insertReceipt();
});

async function insertReceipt(): Promise<string> {
  const id = newId();
  const { projectId, integrationId } = owner;
  const message = { method: 'POST', query: '', headers: {}, body: Buffer.from('{}'), bodyBytes: 2 };
  const kept = { id, projectId, integrationId, connectionId: null, state: 'accepted', reason: null } as const;
  await insertReceipts(database.knex, createDataKeys({ vault }), [{ ...kept, ...message }]);
  return id;
}

const listReceipts = () =>
  database
    .knex('webhook_receipts')
    .where({ project_id: owner.projectId })
    .orderBy('id')
    .select('state', 'reason', 'attempts', database.knex.raw('retry_at > now() AS waits'));

const FRESH = { state: 'accepted', reason: null, attempts: 0, waits: null };

describe('a receipt of which no events can be made', () => {
  it('is tried again later', async () => {
    await postponeFirst(owner.projectId, FAULT);
    expect(await listReceipts()).toEqual([{ ...FRESH, attempts: 1, waits: true }, FRESH]);
    expect(logged).toEqual([{ err: FAULT, receiptId: first, isGivenUp: false }]);
  });

  it('is given up after its last attempt', async () => {
    await database.knex('webhook_receipts').where({ id: first }).update({ attempts: 11 });
    await postponeFirst(owner.projectId, FAULT);
    expect((await listReceipts())[0]).toMatchObject({ state: 'rejected', reason: 'not_split', attempts: 12 });
    expect(logged).toEqual([{ err: FAULT, receiptId: first, isGivenUp: true }]);
  });

  it('is left to another process that is at work on the project', async () => {
    await database.knex.transaction(async (trx) => {
      await lockProject(trx, owner.projectId);
      await postponeFirst(owner.projectId, FAULT);
    });
    expect([await listReceipts(), logged]).toEqual([[FRESH, FRESH], []]);
  });
});
