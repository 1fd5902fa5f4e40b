import { existsSync, readFileSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Config } from '../config.ts';
import { holdRestored, readDataFolder } from '../credentials/restoring/restores.store.ts';
import { StartError } from '../lib/start-error.ts';
import { prepareSetup } from '../operators/gateway/setup.ts';
import { makeDirectories } from '../platform/directories.ts';
import { orderKeys } from '../platform/kms/key-watch.ts';
import { listWrappedKeys } from '../platform/kms/wrapped-keys.store.ts';
import { createWrappedKeys } from '../platform/kms/wrapped-keys.ts';
import type { Logger } from '../platform/logger.ts';
import { assertSupportedServer, createDatabase, type Db } from '../platform/postgres/database.ts';
import { migrate } from '../platform/postgres/migrations.ts';
import { isSameDatabase, isTransactionPooler } from '../platform/postgres/pooling.ts';
import {
  createVault,
  formatEncryptionKeys,
  generateEncryptionKeyFile,
  parseEncryptionKeys,
  type RotatingVault,
} from '../platform/vault.ts';
import { checkCanary } from '../platform/vault-canary.store.ts';
import { countRowsByKeyId } from '../platform/vault-rotation.store.ts';
import { explainStoreFault, type StoreVariable } from './store-faults.ts';

const MIGRATIONS_DIRECTORY = resolve(import.meta.dirname, '../../migrations');

/** A store that is migrated and that the encryption keys fit. */
export type ReadyStore = StoreAccess & {
  /** The one-time token of the first set-up, while there is no operator. */
  readonly setupToken: string | undefined;
  /** Called once if the embedded Postgres ends for good. */
  onExit(listener: (error: Error) => void): void;
  stop(): Promise<void>;
};

/** What a process needs to use the store. */
export type StoreAccess = {
  readonly databaseUrl: string;
  /** Leads past a pooler in transaction mode: for LISTEN and advisory locks. */
  readonly directUrl: string;
  /** `databaseUrl` leads to a pooler in transaction mode. */
  readonly isPooled: boolean;
  readonly encryptionKeys: string;
  /** How many times longer than usual it is waited for, where that is more than once: see createDatabase. */
  readonly patience?: number | undefined;
};

type OpenedStore = Omit<ReadyStore, 'setupToken' | 'encryptionKeys'> & {
  /**
   * The configured keys, once the database can be asked whether they may be new ones. Undefined where a key management
   * service has all.
   */
  readEncryptionKeys(db: Db): Promise<string | undefined>;
};

/**
 * Starts the embedded Postgres, or takes the one that DATABASE_URL names; migrates it; proves that the encryption keys
 * are those that its rows were sealed with. Rejects with an error whose message says what a person can do.
 */
export async function prepareStore(config: Config, log: Logger, patience?: number): Promise<ReadyStore> {
  // Keys that cannot be read are refused before anything is started.
  if (config.encryptionKeys !== undefined) openVault(config.encryptionKeys);
  const store = config.databaseUrl === undefined ? await embedded(config, log) : await external(config);
  const { directUrl: url } = store;
  const database = createDatabase({ url, applicationName: 'gateway start', poolMax: 2, log, patience });
  try {
    await assertSupportedServer(database.knex);
    await migrate({ url, directory: MIGRATIONS_DIRECTORY, log });
    const configured = await store.readEncryptionKeys(database.knex);
    const encryptionKeys = await withWrappedKeys(database.knex, config, log, configured);
    await checkCanary(database.knex, openVault(encryptionKeys));
    if (config.restored !== undefined)
      await holdUntilResumed(database.knex, log, {
        name: config.restored,
        place: config.databaseUrl === undefined ? await findPlace(database.knex) : undefined,
      });
    const setup = await prepareSetup(database.knex, { configuredToken: config.setupToken });
    return { ...store, encryptionKeys, patience, setupToken: setup.token };
  } catch (error) {
    await store.stop();
    if (config.databaseUrl === undefined) throw error;
    throw explainStoreFault(
      error,
      config.databaseDirectUrl === undefined ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL',
    );
  } finally {
    await database.close();
  }
}

/** The configured keys and those that a key management service unwraps, the one that seals first. */
export async function withWrappedKeys(
  db: Db,
  { kms }: Config,
  log: Warn,
  configured: string | undefined,
): Promise<string> {
  if (kms === undefined) {
    await assertNoneWrapped(db);
    return configured ?? '';
  }
  const wrapped = createWrappedKeys({ settings: kms, log });
  const keys = await wrapped.prepare(db, { isOnlyKey: configured === undefined });
  return formatEncryptionKeys(
    orderKeys(keys, configured === undefined ? [] : parseEncryptionKeys(configured)),
  );
}

/** A key that was made and never sealed is nothing to wait for: processes of before the move go on. */
async function assertNoneWrapped(db: Db): Promise<void> {
  const active = (await listWrappedKeys(db)).find(({ state }) => state === 'active');
  if (active === undefined) return;
  throw new StartError(`ENCRYPTION_KMS: the keys of this store are wrapped by ${active.kms}.`, {
    remedy: `Set ENCRYPTION_KMS=${active.kms} and what it takes to ask that service.`,
  });
}

/** Tokens that were rotated after the backup are spent: the gateway must not act on its own with what it holds. */
async function holdUntilResumed(
  db: Db,
  log: Logger,
  restore: { readonly name: string; readonly place: string | undefined },
): Promise<void> {
  const { state, resumedAt } = await holdRestored(db, restore);
  if (state === 'resumed')
    log.warn(
      { resumedAt },
      'RESTORED is set, and this restore was resumed: remove it, or, after another restore, set a word of its own, such as its date',
    );
  else
    log.warn(
      { restore: state },
      'restored: nothing is refreshed, delivered or polled until an owner resumes the gateway',
    );
}

/** Which files an embedded store has: no copy of them has the number and the time of making of the first. */
async function findPlace(db: Db): Promise<string> {
  const { ino, birthtimeNs } = await stat(join(await readDataFolder(db), 'PG_VERSION'), { bigint: true });
  return `${ino}.${birthtimeNs}`;
}

/** A file where a directory should be, no permission, a full or read-only disk: the system's code says which. */
function unusableDataDir(cause: unknown, dataDir: string): unknown {
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';
  if (!/^E[A-Z]+$/.test(code)) return cause;
  return new StartError(`DATA_DIR: ${dataDir} cannot be used (${code}).`, {
    remedy: 'Name a directory to write to.',
    cause,
  });
}

export function openVault(encryptionKeys: string): RotatingVault {
  return createVault(parseEncryptionKeys(encryptionKeys));
}

async function external(config: Config): Promise<OpenedStore> {
  const { databaseUrl = '', databaseDirectUrl, encryptionKeys } = config;
  const isPooled = await isTransactionPooler(databaseUrl).catch((error: unknown) => {
    throw explainStoreFault(error, 'DATABASE_URL');
  });
  if (isPooled && databaseDirectUrl === undefined) throw poolerRefused('DATABASE_URL');
  if (databaseDirectUrl !== undefined) await assertDirect(databaseUrl, databaseDirectUrl);
  return {
    databaseUrl,
    directUrl: databaseDirectUrl ?? databaseUrl,
    isPooled,
    readEncryptionKeys: async () => encryptionKeys,
    onExit: () => undefined,
    stop: async () => undefined,
  };
}

/** Refuses a direct address that is invalid, or that leads to another database. */
async function assertDirect(databaseUrl: string, directUrl: string): Promise<void> {
  const isDirect = async () => !(await isTransactionPooler(directUrl));
  try {
    if (!(await isDirect())) throw poolerRefused('DATABASE_DIRECT_URL');
    if (await isSameDatabase(databaseUrl, directUrl)) return;
  } catch (error) {
    throw explainStoreFault(error, 'DATABASE_DIRECT_URL');
  }
  throw new StartError('DATABASE_DIRECT_URL: it leads to another database than DATABASE_URL.', {
    remedy: 'Name the same database in both, once by way of the pooler and once at the server itself.',
  });
}

function poolerRefused(variable: StoreVariable): StartError {
  return new StartError(
    `${variable}: a connection pooler in transaction mode answers there. LISTEN and advisory locks do not work through it.`,
    {
      remedy:
        'Set DATABASE_DIRECT_URL to the server itself and leave DATABASE_URL as it is, or let the pooler keep sessions ' +
        '(PgBouncer: pool_mode = session). See docs/operations.md.',
    },
  );
}

async function embedded(config: Config, log: Logger): Promise<OpenedStore> {
  const { dataDir } = config;
  // Loaded only here: an installation with DATABASE_URL needs none of it.
  const { startEmbeddedStore } = await import('./embedded-store.ts');
  try {
    makeDirectories(dataDir);
    const keyFile = join(dataDir, 'encryption-keys');
    const found = config.encryptionKeys ?? readKeyFile(keyFile, log);
    if (found !== undefined) openVault(found);
    const postgres = await startEmbeddedStore(dataDir, log);
    return {
      databaseUrl: postgres.url,
      directUrl: postgres.url,
      isPooled: false,
      readEncryptionKeys: async (db) =>
        found ?? (config.kms === undefined ? newKeyFile(keyFile, db) : undefined),
      onExit: (listener) => postgres.onExit(listener),
      stop: () => postgres.stop(),
    };
  } catch (error) {
    throw unusableDataDir(error, dataDir);
  }
}

type Warn = { warn(fields: object, message: string): void };

const READABLE_BY_ALL = 0o004;

/** The configured keys of an embedded store; undefined where there are none yet. */
export function readKeyFile(path: string, log: Warn): string | undefined {
  if (!existsSync(path)) return undefined;
  if ((statSync(path).mode & READABLE_BY_ALL) !== 0) {
    log.warn(
      { path },
      'Every user of this machine can read the file of encryption keys: run chmod 600 on it',
    );
  }
  return readFileSync(path, 'utf8').trim();
}

/** A new key is of no use to a database whose secrets were sealed with another one. */
async function newKeyFile(path: string, db: Db): Promise<string> {
  const sealed = await countRowsByKeyId(db);
  if (sealed.size === 0) return generateEncryptionKeyFile(path);
  throw new StartError(
    `DATA_DIR: the key file ${path} is missing, and the database was sealed with its keys.`,
    {
      remedy:
        'Put the file back from your backup, or its content into ENCRYPTION_KEYS. Without it the stored credentials ' +
        'cannot be read: to begin again, move DATA_DIR away.',
    },
  );
}
