import { loadConfig } from '../../src/config.ts';
import { withStore } from '../../src/process/operator-store.ts';
import { quiet } from '../platform/postgres/own-server.ts';
import { createEncryptionKey } from '../support/gateway-environment.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { startTransactionPooler } from '../support/transaction-pooler.ts';

const database = await createTestDatabase();
afterAll(() => database.drop());

describe('a command for operators', () => {
  it('goes past a pooler in transaction mode, since it migrates under a lock of its session', async () => {
    const pooler = await startTransactionPooler(database.url);
    const config = loadConfig(
      {
        ENCRYPTION_KEYS: createEncryptionKey(),
        DATABASE_URL: pooler.url,
        DATABASE_DIRECT_URL: database.url,
      },
      '/nonexistent',
    );
    // Whatever asked it now would fail.
    await pooler.close();
    const found = await withStore(config, quiet, ({ knex }) =>
      knex('knex_migrations').first('name').orderBy('name'),
    );
    expect(found).toBeDefined();
  });
});
