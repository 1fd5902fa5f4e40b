import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../config.ts';
import { prepareSetup } from '../operators/setup.ts';
import type { Logger } from '../platform/logger.ts';
import { assertSupportedServer, createDatabase } from '../platform/postgres/database.ts';
import { migrate } from '../platform/postgres/migrations.ts';
import { isTransientStoreError } from '../platform/postgres/store-errors.ts';
import {
  createVault,
  generateEncryptionKeyFile,
  parseEncryptionKeys,
  type Vault,
} from '../platform/vault.ts';
import { checkCanary } from '../platform/vault-canary.store.ts';

const MIGRATIONS_DIRECTORY = resolve(import.meta.dirname, '../../migrations');

/** A store that is migrated and that the encryption keys fit. */
export type ReadyStore = {
  readonly databaseUrl: string;
  readonly encryptionKeys: string;
  /** The one-time token of the first set-up, while there is no operator. */
  readonly setupToken: string | undefined;
  /** Called once if the embedded Postgres ends for good. */
  onExit(listener: (error: Error) => void): void;
  stop(): Promise<void>;
};

type OpenedStore = Omit<ReadyStore, 'setupToken'>;

/**
 * Starts the embedded Postgres, or takes the one that DATABASE_URL names; migrates it; proves that the encryption keys
 * are those that its rows were sealed with. Rejects with an error whose message says what a person can do.
 */
export async function prepareStore(config: Config, log: Logger): Promise<ReadyStore> {
  // Keys that cannot be read are refused before anything is started.
  if (config.encryptionKeys !== undefined) openVault(config.encryptionKeys);
  const store = config.databaseUrl === undefined ? await embedded(config, log) : external(config);
  const database = createDatabase({
    url: store.databaseUrl,
    applicationName: 'gateway start',
    poolMax: 2,
    log,
  });
  try {
    await assertSupportedServer(database.knex);
    await migrate({ url: store.databaseUrl, directory: MIGRATIONS_DIRECTORY, log });
    await checkCanary(database.knex, openVault(store.encryptionKeys));
    const setup = await prepareSetup(database.knex, { configuredToken: config.setupToken });
    return { ...store, setupToken: setup.token };
  } catch (error) {
    await store.stop();
    throw isTransientStoreError(error) && config.databaseUrl !== undefined ? unreachable(error) : error;
  } finally {
    await database.close();
  }
}

/** The store cannot be used as it was configured; the message names the variable and shows no part of its value. */
class StoreStartError extends Error {
  override readonly name = 'StoreStartError';
}

function unreachable(cause: unknown): StoreStartError {
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? ` (${cause.code})` : '';
  return new StoreStartError(
    `DATABASE_URL: the database cannot be reached${code}. Check host, port, user, password and sslmode, and that it runs.`,
    { cause },
  );
}

/** A file where a directory should be, no permission, a full or read-only disk: the system's code says which. */
function unusableDataDir(cause: unknown, dataDir: string): unknown {
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';
  if (!/^E[A-Z]+$/.test(code)) return cause;
  return new StoreStartError(`DATA_DIR: ${dataDir} cannot be used (${code}). Name a directory to write to.`, {
    cause,
  });
}

export function openVault(encryptionKeys: string): Vault {
  return createVault(parseEncryptionKeys(encryptionKeys));
}

function external(config: Config): OpenedStore {
  return {
    databaseUrl: config.databaseUrl ?? '',
    encryptionKeys: config.encryptionKeys ?? '',
    onExit: () => undefined,
    stop: async () => undefined,
  };
}

async function embedded(config: Config, log: Logger): Promise<OpenedStore> {
  // Loaded only here: an installation with DATABASE_URL needs none of it.
  const { startEmbeddedPostgres } = await import('../platform/postgres/embedded.ts');
  try {
    const encryptionKeys = config.encryptionKeys ?? keyFileIn(config.dataDir);
    const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, log });
    return {
      databaseUrl: postgres.url,
      encryptionKeys,
      onExit: (listener) => postgres.onExit(listener),
      stop: () => postgres.stop(),
    };
  } catch (error) {
    throw unusableDataDir(error, config.dataDir);
  }
}

function keyFileIn(dataDir: string): string {
  mkdirSync(dataDir, { recursive: true });
  const path = join(dataDir, 'encryption-keys');
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : generateEncryptionKeyFile(path);
}
