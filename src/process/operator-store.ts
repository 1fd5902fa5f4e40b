import { resolve } from 'node:path';
import type { Log } from '#embedded-postgres/types.ts';
import type { Config } from '../config.ts';
import { assertSupportedServer, createDatabase, type Database } from '../platform/postgres/database.ts';
import { migrate } from '../platform/postgres/migrations.ts';

const MIGRATIONS_DIRECTORY = resolve(import.meta.dirname, '../../migrations');

type Store = { readonly url: string; close(): Promise<void> };

/**
 * Runs `work` on the gateway's store, whether a gateway is running or not: the Postgres of DATABASE_URL, the embedded
 * one that a running gateway has started, or else the embedded one, started for this. Migrates it first, as a start of
 * the gateway would. Rejects with errors whose message says what a person can do.
 */
export async function withStore<Result>(
  config: Config,
  log: Log,
  work: (database: Database, url: string) => Promise<Result>,
): Promise<Result> {
  const store = await openStore(config, log);
  const database = createDatabase({
    url: store.url,
    applicationName: 'gateway operator command',
    poolMax: 2,
    log,
  });
  try {
    await assertSupportedServer(database.knex);
    await migrate({ url: store.url, directory: MIGRATIONS_DIRECTORY, log });
    return await work(database, store.url);
  } finally {
    await database.close();
    await store.close();
  }
}

async function openStore(config: Config, log: Log): Promise<Store> {
  const { databaseUrl, databaseDirectUrl = databaseUrl, dataDir } = config;
  // Migrating needs a lock that a session holds, which a pooler in transaction mode would lose.
  if (databaseDirectUrl !== undefined) return { url: databaseDirectUrl, close: async () => undefined };
  // Loaded only here: an installation with DATABASE_URL needs none of it.
  const { findRunningStore, startEmbeddedStore } = await import('./embedded-store.ts');
  const running = await findRunningStore(dataDir);
  if (running) return { url: running.url, close: running.cleanUp };
  const started = await startEmbeddedStore(dataDir, log);
  return { url: started.url, close: () => started.stop() };
}
