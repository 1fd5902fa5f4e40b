import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { createTestVault, insertConnection } from '../support/rows.ts';
import { until } from '../support/until.ts';
import { createProcessingStage, createReceivingProcess } from './processing-stage.ts';
import { buildBatch, describeProvider } from './receiver-stage.ts';

const ACCOUNT = '7';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());

describe('a webhook of an account without a connection', () => {
  /** Stores one of three events, and gives what makes the connection and looks for what waited for it. */
  async function startStage() {
    const stage = await createProcessingStage(database);
    const process = createReceivingProcess(database.knex, stage, describeProvider('hub'));
    await process.store(Buffer.from(JSON.stringify(buildBatch(3, Number(ACCOUNT)))));
    const connect = async () => {
      await insertConnection(database.knex, createTestVault(), stage, { accountId: ACCOUNT });
      await process.matchAll();
    };
    return { process, connect };
  }

  it('is matched when the connection is made after it was processed', async () => {
    const { process, connect } = await startStage();
    await process.processAll();
    expect(await process.readStream()).toEqual([]);
    await connect();
    await until(async () => (await process.readStream()).length === 3);
    await process.close();
  });

  it('is matched when the connection is made while it is processed, and neither sees the other', async () => {
    const { process, connect } = await startStage();
    await process.processSome(connect);
    await until(async () => (await process.readStream()).length === 3);
    await process.close();
  });
});
