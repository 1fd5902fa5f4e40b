import type { Catalog } from '../../src/catalog/loading/catalog.ts';
import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import { composePlatform } from '../../src/compose/platform.ts';
import { composeRooms } from '../../src/compose/rooms.ts';
import { loadConfig } from '../../src/config.ts';
import type { Chore } from '../../src/platform/chores.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { createEncryptionKey } from './gateway-environment.ts';
import { createTestDatabase } from './postgres.ts';
import { createTestVault, insertConnection, insertOwner } from './rows.ts';

export type TestRooms = Awaited<ReturnType<typeof startRooms>>;

/**
 * The rooms of a gateway on a database of their own, with these providers. Nothing listens, and no chore or job runs but
 * those that the test runs.
 */
export async function startRooms(...providers: readonly Provider[]) {
  const database = await createTestDatabase();
  const db = database.knex;
  const env = {
    PUBLIC_URL: 'https://gateway.example',
    DATABASE_URL: database.url,
    ENCRYPTION_KEYS: createEncryptionKey(),
    ALLOW_PRIVATE_NETWORKS: 'true',
  };
  const vault = createTestVault();
  const platform = composePlatform({
    config: loadConfig(env, import.meta.dirname),
    database: { knex: db, patience: 1, close: async () => undefined },
    vault,
    log: createLogger({ level: 'error' }),
  });
  const rooms = composeRooms({
    platform,
    config: loadConfig(env, import.meta.dirname),
    catalog: buildCatalog(providers),
    isDraining: () => false,
  });
  return {
    db,
    vault,
    rooms,
    jobs: platform.jobs,
    changes: platform.changes,
    storeClock: platform.storeClock,
    /** A project with a connection to an integration of the provider. */
    async insertConnection(serviceProvider: string, grant: Parameters<typeof insertConnection>[3] = {}) {
      const owner = await insertOwner(db, vault, serviceProvider);
      return { ...owner, connectionId: await insertConnection(db, vault, owner, grant) };
    },
    async stop(): Promise<void> {
      rooms.proxying.stop();
      rooms.deliveries.stop();
      await Promise.all([platform.jobs.stop(), rooms.webhooks.stop(), platform.outbound.stop()]);
      await database.drop();
    },
  };
}

/** Runs the chore of this name once. */
export async function runChore(chores: readonly Chore[], name: string): Promise<void> {
  const chore = chores.find((one) => one.name === name);
  if (chore === undefined) throw new Error(`no chore is named ${name}`);
  await chore.run(new AbortController().signal);
}

function buildCatalog(providers: readonly Provider[]): Catalog {
  const find = (id: string) => providers.find((provider) => provider.id === id);
  return {
    find,
    ids: () => providers.map(({ id }) => id),
    all: async () => providers,
    findAll: async (ids) => ids.flatMap((id) => find(id) ?? []),
    list: () => providers,
  };
}
