import { setTimeout as delay } from 'node:timers/promises';
import { isNativeError } from 'node:util/types';
import knexModule, { type Knex } from 'knex';
import type pg from 'pg';
import { z } from 'zod';
import { connectionSettings } from './connection.ts';
import { createStatementNames } from './statement-names.ts';
import { isConnectionFailure, isStatementLost } from './store-errors.ts';
import { createTimedClient } from './timed-client.ts';

/** What a store runs its queries on: the pool, or the transaction that its caller has open. */
export type Db = Knex | Knex.Transaction;

export interface Database {
  knex: Knex;
  /** How many times longer than usual it is waited for. */
  patience: number;
  /** Waits for running queries, at most 5 s or `limitMs`, then closes every connection. */
  close(limitMs?: number): Promise<void>;
}

/** The oldest server that the SQL is written for and tested with. */
const OLDEST_VERSION_NUM = 150_000;
const CLOSE_LIMIT_MS = 5000;

/**
 * Each limit surfaces the store's trouble to the caller within about 3 s. The server gives up on a statement before
 * we give up on the server, so that only a server that does not answer at all costs us the connection.
 */
const limits = (patience: number) => ({
  // Just less than a query waits for a connection, so that its error names the cause.
  connectionTimeoutMillis: 1900 * patience,
  query_timeout: 3000 * patience,
  keepAlive: true,
});
/** By a query and not as parameters of the connection's start, which poolers refuse. */
const sessionSettings = (patience: number) =>
  Object.entries({
    statement_timeout: 2500 * patience,
    lock_timeout: 1000 * patience,
    idle_in_transaction_session_timeout: 5000 * patience,
    // Query parameters hold sealed secrets and end users' names: none of them may reach the server's log.
    log_parameter_max_length_on_error: 0,
  })
    .map(([name, value]) => `SET ${name} = ${value}`)
    .join('; ');
const ACQUIRE_TIMEOUT_MS = 2000;
/** A pool that outlives a failover must find the new primary behind the same name. */
const CONNECTION_LIFETIME_MS = 5 * 60_000;

/** What the database needs of a logger. */
export type DatabaseLog = Readonly<
  Record<'debug' | 'info' | 'warn', (fields: object, message: string) => void>
>;

/**
 * A pool of at most `poolMax` connections to the Postgres at `url` (see connectionSettings for TLS). timestamptz comes
 * back as Date, bigint as number where that is exact, else as string. Connects lazily: a server that is down rejects
 * queries, see isTransientStoreError.
 */
export function createDatabase(options: {
  url: string;
  applicationName: string;
  poolMax: number;
  /** The URL leads to a pooler in transaction mode, where a setting would stay behind for another client. */
  isPooled?: boolean;
  log?: DatabaseLog;
  /** How many times longer than usual this pool waits: for tests, which say nothing about a busy machine. */
  patience?: number | undefined;
}): Database {
  const { url, applicationName, poolMax, isPooled = false, log, patience = 1 } = options;
  const clients = new Map<string, pg.Client>();
  const { query_timeout, ...connecting } = limits(patience);
  // Behind a pooler in transaction mode a statement may come to another session than the one that keeps it.
  const names = isPooled ? undefined : createStatementNames();
  const knex = knexModule({
    client: createTimedClient(query_timeout, names),
    // Spares a query per connection; knex only asks whether it is new enough for what we do not use.
    version: '15.0',
    connection: {
      ...connectionSettings(url),
      ...connecting,
      query_timeout,
      application_name: applicationName,
    },
    // Else an error's message quotes the query with its values.
    compileSqlOnError: false,
    acquireConnectionTimeout: ACQUIRE_TIMEOUT_MS * patience,
    pool: {
      min: 0,
      max: poolMax,
      maxConnectionLifetimeMillis: CONNECTION_LIFETIME_MS,
      maxConnectionLifetimeJitterMillis: CONNECTION_LIFETIME_MS / 5,
      afterCreate: (client: KnexClient, done: (error: Error | null, client: KnexClient) => void) => {
        clients.set(client.__knexUid, client);
        client.once('end', () => clients.delete(client.__knexUid));
        if (isPooled) done(null, client);
        else
          applySettings(client, patience, (error) => {
            // The pool forgets a connection that could not be prepared, and would leave it open, here and at the server.
            if (error) client.connection.stream.destroy();
            done(error, client);
          });
      },
    },
    log: createKnexLog(log),
  });
  knex.on('query-error', (error: unknown, query: { __knexUid?: string }) => {
    if (!isNativeError(error)) return;
    const isLost = isStatementLost(error);
    if (isLost) {
      log?.warn({ err: error }, 'Postgres could not run a prepared statement; none is kept from now on');
      names?.stop();
    }
    if (isLost || isConnectionFailure(error)) discard(clients.get(query.__knexUid ?? ''), error);
  });
  return {
    knex,
    patience,
    close: async (limitMs = CLOSE_LIMIT_MS) => {
      const abort = new AbortController();
      await Promise.race([
        knex.destroy(),
        delay(limitMs, undefined, { signal: abort.signal }).catch(() => undefined),
      ]);
      abort.abort();
      for (const client of clients.values()) client.connection.stream.destroy();
    },
  };
}

/** A pg client as knex's pool keeps it. */
type KnexClient = pg.Client & { __knexUid: string; __knex__disposed?: Error };

function applySettings(client: pg.Client, patience: number, done: (error: Error | null) => void): void {
  client.query(sessionSettings(patience), (error: Error | null) => {
    done(error && isConnectionFailure(error) ? error : null);
  });
}

/**
 * Takes a connection out of use that broke or timed out. pg itself would keep it, with the unanswered query still on
 * it, and the next borrower would wait behind that (node-postgres#2650, knex#5186).
 */
function discard(client: pg.Client | undefined, error: Error): void {
  if (!client) return;
  Object.assign(client, { __knex__disposed: error });
  client.connection.stream.destroy();
}

/**
 * knex would write to the console. What it says (a connection broke, the pool is exhausted) also reaches the caller as
 * an error, so it is for debugging only; its first line, since stacks follow.
 */
export function createKnexLog(log: Pick<DatabaseLog, 'debug'> | undefined) {
  const write = (message: unknown) =>
    log?.debug({ knex: String(message).split('\n')[0] }, 'The connection pool said');
  return { warn: write, error: write, deprecate: write, debug: write };
}

const VERSION = z.tuple([z.object({ number: z.coerce.number(), text: z.string() })]);

/** Throws an Error that names both versions when the server is older than Postgres 15. Rejects as a query does. */
export async function assertSupportedServer(db: Db): Promise<void> {
  const { rows } = await db.raw(
    `SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS text`,
  );
  const [version] = VERSION.parse(rows);
  if (version.number >= OLDEST_VERSION_NUM) return;
  throw new Error(
    `The Postgres at DATABASE_URL is ${version.text}; the gateway needs 15 or newer. Upgrade the server.`,
  );
}
