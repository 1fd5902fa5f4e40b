import { loadConfig } from '../../src/config.ts';
import { explainRefusal, StartError } from '../../src/lib/start-error.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { prepareStore } from '../../src/process/store.ts';
import { createEncryptionKey } from '../support/gateway.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { relayTargetOf, startTcpRelay, type TcpRelay, urlThroughRelay } from '../support/tcp-relay.ts';
import { startTransactionPooler } from '../support/transaction-pooler.ts';

const SECRET = 'sw0rdfish-never-to-be-shown';

let database: TestDatabase;
let relay: TcpRelay;
beforeAll(async () => {
  database = await createTestDatabase();
  relay = await startTcpRelay(relayTargetOf(database.url));
});
afterAll(async () => {
  await relay.close();
  await database.drop();
});

/** What a person reads who starts a gateway with these variables. */
async function refusalOf(env: Record<string, string>): Promise<string> {
  const config = loadConfig({ ENCRYPTION_KEYS: createEncryptionKey(), ...env }, '/nonexistent');
  const outcome = await prepareStore(config, createLogger({ level: 'silent' })).catch(
    (error: unknown) => error,
  );
  expect(outcome).toBeInstanceOf(StartError);
  const said = explainRefusal(outcome);
  expect(said).not.toContain(SECRET);
  return said;
}

describe('a DATABASE_URL', () => {
  it.each([
    ['of a database that does not exist', { pathname: '/none' }, 'Create it'],
    ['that wants TLS of a server without', { search: '?sslmode=require' }, 'sslmode=disable'],
    ['with an unknown sslmode', { search: '?sslmode=none' }, 'sslmode must be'],
    [
      'with a file that is missing',
      { search: '?sslmode=verify-full&sslrootcert=/none' },
      'sslrootcert cannot be read',
    ],
    ['where no server listens', { port: '1' }, 'that it runs'],
    ['with a name that does not exist', { hostname: 'db.invalid' }, 'host'],
  ])('%s is refused with what to do', async (_what, change, remedy) => {
    const url = Object.assign(
      new URL(urlThroughRelay(database.url, relay.port)),
      { password: SECRET },
      change,
    );
    const said = await refusalOf({ DATABASE_URL: url.href });
    expect(said).toContain(remedy);
    expect(said).toMatch(/DATABASE_URL|Postgres URL/);
  });

  it('that leads to a pooler in transaction mode is refused without a direct address', async () => {
    const pooler = await startTransactionPooler(database.url);
    const DATABASE_URL = pooler.url;
    expect(await refusalOf({ DATABASE_URL })).toMatch(
      /DATABASE_URL: .*transaction mode[\s\S]*DATABASE_DIRECT_URL/,
    );
    const said = await refusalOf({ DATABASE_URL, DATABASE_DIRECT_URL: pooler.url });
    expect(said).toContain('DATABASE_DIRECT_URL: a connection pooler');
    await pooler.close();
  });

  it('is refused with a direct address of another database', async () => {
    const other = await createTestDatabase();
    const urls = { DATABASE_URL: database.url, DATABASE_DIRECT_URL: other.url };
    expect(await refusalOf(urls)).toContain('another database');
    await other.drop();
  });
});
