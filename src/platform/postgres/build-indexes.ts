import type { Knex } from 'knex';

/**
 * A migration that queues for a lock has all later queries of the table queue behind it. Those of gateways wait a second for
 * a lock (`lock_timeout` in database.ts): it has to give up before they do.
 */
export const MIGRATION_LOCK_TIMEOUT_MS = 500;

/**
 * Builds indexes while their tables are in use, by name and definition (`table (columns)`), one after the other; for
 * migrations with `transaction: false`, since no transaction can. What is there already is left alone.
 */
export async function buildIndexes(
  knex: Knex,
  indexes: Readonly<Record<string, string | { readonly isUnique: true; readonly on: string }>>,
): Promise<void> {
  const connection = await knex.client.acquireConnection();
  const run = (sql: string) => knex.raw(sql).connection(connection);
  try {
    // A build waits for transactions that are older, a dump for example, and holds up no other work meanwhile.
    await run('SET lock_timeout = 0');
    for (const [name, definition] of Object.entries(indexes)) {
      // A build that was cut off leaves an index behind that is not valid.
      const { rows } = await run(`SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('${name}')`);
      if (rows[0]?.indisvalid === true) continue;
      if (rows.length > 0) await run(`DROP INDEX CONCURRENTLY ${name}`);
      const [kind, on] = typeof definition === 'string' ? ['', definition] : ['UNIQUE', definition.on];
      await run(`CREATE ${kind} INDEX CONCURRENTLY ${name} ON ${on}`);
    }
  } finally {
    // One that broke is let go as well: the end of the pool waits for it, and with it the start that has to fail.
    await run(`SET lock_timeout = ${MIGRATION_LOCK_TIMEOUT_MS}`).finally(() =>
      knex.client.releaseConnection(connection),
    );
  }
}
