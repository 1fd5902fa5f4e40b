import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { z } from 'zod';
import { connectionSettings } from './connection.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const COUNT = z.tuple([z.object({ count: z.coerce.bigint() })]);

/** A table with rows of its own, those of partitions by way of their parent. */
type Table = { readonly name: string; readonly columns: string };

/** A connection without the limits of a gateway's: a table may take minutes. */
export async function connectForCopy(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    ...connectionSettings(url),
    application_name: 'gateway move-store',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Whether a database has no table but Postgres' own and those of extensions. */
export async function isEmptyDatabase(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT 1 FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
        AND n.nspname !~ '^pg_toast' AND NOT EXISTS (
          SELECT FROM pg_depend AS d WHERE d.objid = c.oid AND d.deptype = 'e') LIMIT 1`,
  );
  return rows.length === 0;
}

/**
 * Copies every row of `source` into `target`, which has the same migrations and nothing else: one snapshot of the source,
 * one transaction of the target. Answers how many rows each table has, which were counted on both sides. Rejects, with the
 * target as it was, where a count differs.
 */
export async function copyRows(source: pg.Client, target: pg.Client): Promise<ReadonlyMap<string, bigint>> {
  await source.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await target.query('BEGIN');
  try {
    await makePartitions(source, target);
    const tables = await listTables(source);
    // What migrations put there comes again with the rows.
    await target.query(`TRUNCATE ${tables.map(({ name }) => name).join(', ')}`);
    const restoreKeys = await takeForeignKeys(target);
    const counts = new Map<string, bigint>();
    for (const table of tables) counts.set(table.name, await copyTable(source, target, table));
    await restoreKeys();
    await copySequences(source, target);
    await target.query('COMMIT');
    return counts;
  } catch (error) {
    await target.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    await source.query('ROLLBACK').catch(() => undefined);
  }
}

async function copyTable(source: pg.Client, target: pg.Client, { name, columns }: Table): Promise<bigint> {
  // Triggers would announce and count each row once more.
  await target.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`);
  await pipeline(
    source.query(copyTo(`COPY (SELECT ${columns} FROM ${name}) TO STDOUT (FORMAT binary)`)),
    target.query(copyFrom(`COPY ${name} (${columns}) FROM STDIN (FORMAT binary)`)),
  );
  await target.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`);
  const [before, after] = [await countRows(source, name), await countRows(target, name)];
  if (before !== after) throw new Error(`${name} has ${before} rows, and ${after} arrived`);
  return after;
}

async function countRows(client: pg.Client, table: string): Promise<bigint> {
  const { rows } = await client.query(`SELECT count(*)::text AS count FROM ${table}`);
  return COUNT.parse(rows)[0].count;
}

const TABLES = z.array(z.object({ name: z.string(), columns: z.string() }));

async function listTables(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query(
    `SELECT format('%I.%I', n.nspname, c.relname) AS name,
            (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FROM pg_attribute AS a
              WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns
       FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname IN ('public', 'job_queue')
      ORDER BY 1`,
  );
  return TABLES.parse(rows);
}

const PARTITIONS = z.array(z.object({ name: z.string(), parent: z.string(), bound: z.string() }));

/** Those that the source has made since its migrations. */
async function makePartitions(source: pg.Client, target: pg.Client): Promise<void> {
  const list = async (client: pg.Client) =>
    PARTITIONS.parse(
      (
        await client.query(
          `SELECT format('%I.%I', n.nspname, c.relname) AS name, i.inhparent::regclass::text AS parent,
                  pg_get_expr(c.relpartbound, c.oid) AS bound
             FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
             JOIN pg_inherits AS i ON i.inhrelid = c.oid
            WHERE c.relispartition AND c.relkind IN ('r', 'p') AND n.nspname IN ('public', 'job_queue')
            ORDER BY c.oid`,
        )
      ).rows,
    );
  const there = new Set((await list(target)).map(({ name }) => name));
  for (const { name, parent, bound } of await list(source)) {
    if (!there.has(name)) await target.query(`CREATE TABLE ${name} PARTITION OF ${parent} ${bound}`);
  }
}

const KEYS = z.array(z.object({ owner: z.string(), name: z.string(), definition: z.string() }));

/** Takes foreign keys away, so that tables may come in any order. Answers how to put them back, which checks every row. */
async function takeForeignKeys(client: pg.Client): Promise<() => Promise<void>> {
  const { rows } = await client.query(
    `SELECT format('%I.%I', n.nspname, c.relname) AS owner, quote_ident(k.conname) AS name,
            pg_get_constraintdef(k.oid) AS definition
       FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
      WHERE k.contype = 'f' AND k.conparentid = 0 AND n.nspname IN ('public', 'job_queue')
      ORDER BY k.oid`,
  );
  const keys = KEYS.parse(rows);
  for (const { owner, name } of keys) await client.query(`ALTER TABLE ${owner} DROP CONSTRAINT ${name}`);
  return async () => {
    for (const { owner, name, definition } of keys)
      await client.query(`ALTER TABLE ${owner} ADD CONSTRAINT ${name} ${definition}`);
  };
}

const SEQUENCES = z.array(z.object({ name: z.string(), last: z.string() }));

async function copySequences(source: pg.Client, target: pg.Client): Promise<void> {
  const { rows } = await source.query(
    `SELECT format('%I.%I', schemaname, sequencename) AS name, last_value::text AS last FROM pg_sequences
      WHERE schemaname IN ('public', 'job_queue') AND last_value IS NOT NULL`,
  );
  for (const { name, last } of SEQUENCES.parse(rows))
    await target.query('SELECT setval($1::regclass, $2::bigint)', [name, last]);
}
