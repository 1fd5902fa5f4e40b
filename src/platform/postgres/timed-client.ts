import knexModule, { type Knex } from 'knex';
import type { StatementNames } from './statement-names.ts';
import { countStoreTime, waitForStore } from './store-time.ts';

/** A query as knex hands it to its client; `options` go to pg. */
type DriverQuery = { sql?: string; options?: object };

/** A transaction that is done with its work must know how it ended. */
const END_OF_TRANSACTION = /^\s*(?:COMMIT|ROLLBACK)\b/i;

/**
 * knex's client for Postgres, which counts what a request waits for connections and queries, and cuts a wait when the
 * request has no time left for it: see store-time.ts. `queryTimeoutMs` is the limit of one query all the same. With `names`
 * connections keep the statements that are used often.
 */
export function createTimedClient(
  queryTimeoutMs: number,
  names?: Pick<StatementNames, 'find'>,
): typeof Knex.Client {
  // A knex instance is the only way to its client class.
  const PostgresClient: typeof Knex.Client = knexModule({ client: 'pg' }).client.constructor;

  return class TimedClient extends PostgresClient {
    override acquireConnection(): Promise<unknown> {
      return countStoreTime((leftMs) => {
        const acquired: Promise<unknown> = super.acquireConnection();
        if (leftMs === undefined) return acquired;
        // The pool has no way to learn how long this caller waits. A connection that comes too late goes back to it.
        const giveBack = (connection: unknown) => this.releaseConnection(connection);
        return waitForStore(leftMs, acquired, () => acquired.then(giveBack, () => undefined));
      });
    }

    override query(connection: unknown, given: DriverQuery | string): Promise<unknown> {
      const query = typeof given === 'string' ? { sql: given } : given;
      const name = query.sql === undefined ? undefined : names?.find(query.sql);
      if (name !== undefined) query.options = { ...query.options, name };
      if (END_OF_TRANSACTION.test(query.sql ?? '')) return super.query(connection, query);
      return countStoreTime((leftMs) => {
        if (leftMs !== undefined) {
          const query_timeout = Math.ceil(Math.min(leftMs, queryTimeoutMs));
          query.options = { ...query.options, query_timeout };
        }
        return super.query(connection, query);
      });
    }
  };
}
