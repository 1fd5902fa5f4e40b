import { join, resolve } from 'node:path';
import type { Log } from '#embedded-postgres/types.ts';
import type { Config } from '../config.ts';
import { OperatorCommandError } from '../operators/gateway/operator-commands.ts';
import { connectForCopy, copyRows, isEmptyDatabase } from '../platform/postgres/copy-database.ts';
import { assertSupportedServer, createDatabase } from '../platform/postgres/database.ts';
import { migrate } from '../platform/postgres/migrations.ts';
import { isTransactionPooler } from '../platform/postgres/pooling.ts';
import { listPresent } from '../platform/postgres/presence.ts';
import { checkCanary } from '../platform/vault-canary.store.ts';
import { withStore } from './operator-store.ts';
import type { Terminal } from './read-password.ts';
import { openVault, readKeyFile, withWrappedKeys } from './store.ts';

const MIGRATIONS_DIRECTORY = resolve(import.meta.dirname, '../../migrations');

/**
 * Copies the store into the empty database at `url`, and proves that the keys open it there. Nothing of the old store is
 * changed. Rejects with OperatorCommandError where the new one cannot be used or a gateway runs on the old one.
 */
export async function moveStore(settings: Config, url: string, terminal: Terminal, log: Log): Promise<void> {
  await assertTarget(url);
  const rows = await withStore(settings, log, async ({ knex }, sourceUrl) => {
    if ((await listPresent(knex)).length > 0)
      throw new OperatorCommandError(
        'A gateway runs on this store. Stop it first: what it writes now would be lost.',
      );
    await migrate({ url, directory: MIGRATIONS_DIRECTORY, log });
    return copyBetween(sourceUrl, url);
  });
  const configured = settings.encryptionKeys ?? readEmbeddedKeys(settings, log);
  await assertKeysOpen(settings, url, configured, log);
  const total = [...rows.values()].reduce((sum, count) => sum + count, 0n);
  terminal.print(
    `${total} rows of ${rows.size} tables are there, and the keys open them. The old store is as it was.`,
  );
  terminal.print('Now start the gateway with DATABASE_URL set to that address and');
  terminal.print(
    settings.encryptionKeys === undefined && configured !== undefined
      ? `  ENCRYPTION_KEYS_FILE=${join(settings.dataDir, 'encryption-keys')}, or the content of that file in ENCRYPTION_KEYS.`
      : '  the same ENCRYPTION_KEYS or ENCRYPTION_KMS as before.',
  );
}

function readEmbeddedKeys({ databaseUrl, dataDir }: Config, log: Log): string | undefined {
  return databaseUrl === undefined ? readKeyFile(join(dataDir, 'encryption-keys'), log) : undefined;
}

async function assertTarget(url: string): Promise<void> {
  if (await isTransactionPooler(url))
    throw new OperatorCommandError('A pooler in transaction mode answers there: name the server itself.');
  const database = createDatabase({ url, applicationName: 'gateway move-store', poolMax: 1 });
  await assertSupportedServer(database.knex).finally(() => database.close());
  const client = await connectForCopy(url);
  const isEmpty = await isEmptyDatabase(client).finally(() => client.end());
  if (!isEmpty)
    throw new OperatorCommandError(
      'The database there is not empty. Name an empty one; one that an earlier attempt has left is dropped and created again.',
    );
}

async function copyBetween(from: string, to: string): Promise<ReadonlyMap<string, bigint>> {
  const [source, target] = [await connectForCopy(from), await connectForCopy(to)];
  try {
    return await copyRows(source, target);
  } finally {
    await Promise.all([source.end(), target.end()]);
  }
}

async function assertKeysOpen(
  settings: Config,
  url: string,
  configured: string | undefined,
  log: Log,
): Promise<void> {
  const database = createDatabase({ url, applicationName: 'gateway move-store', poolMax: 2, log });
  try {
    const keys = await withWrappedKeys(database.knex, settings, log, configured);
    await checkCanary(database.knex, openVault(keys));
  } finally {
    await database.close();
  }
}
