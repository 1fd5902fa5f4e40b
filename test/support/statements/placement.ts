import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Distribution, Reach } from './reach.ts';

/** docs/distribution.yaml: where each table would live if one Postgres were several, and what does not fit yet. */
const PLACEMENT = z.strictObject({
  distributed: z.record(z.string(), z.string()),
  keyless: z.record(z.string(), z.string()),
  reference: z.array(z.string()),
  local: z.array(z.string()),
  constraints: z.array(z.string()),
  statements: z.strictObject({
    bySecret: z.array(z.string()),
    byId: z.array(z.string()),
    overAll: z.array(z.string()),
  }),
});
export type Placement = z.infer<typeof PLACEMENT>;

export function readPlacement(): Placement {
  const path = join(import.meta.dirname, '../../../docs/distribution.yaml');
  return PLACEMENT.parse(parse(readFileSync(path, 'utf8')));
}

/** Partitions live with their table. */
const wholeOf = (table: string) => table.replace(/_(?:default|\d{8})$/, '');

const COLUMNS = z.array(z.object({ table: z.string(), column: z.string() }));

export async function describeDistribution(
  { distributed, keyless }: Placement,
  db: Knex,
): Promise<Distribution> {
  const { rows } = await db.raw(
    `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns WHERE table_schema = 'public'`,
  );
  const columns = new Set(COLUMNS.parse(rows).map(({ table, column }) => `${table}.${column}`));
  return {
    keyOf: (table) =>
      distributed[wholeOf(table)] ?? (Object.hasOwn(keyless, table) ? 'project_id' : undefined),
    hasColumn: (table, column) => columns.has(`${table}.${column}`),
  };
}

export type Way = keyof Placement['statements'];
export const WAYS: readonly Way[] = ['bySecret', 'byId', 'overAll'];

/** How a statement finds rows whose shard it does not know, as the file lists it. */
export function describeReach(sql: string, { unnamed }: Reach): { way: Way; shape: string } {
  const bare = sql.replaceAll(/\bfor (?:no key )?update\b|\bon conflict\b.*/gis, '');
  const verbs = ['insert', 'update', 'delete'].filter((verb) => new RegExp(`\\b${verb}\\b`, 'i').test(bare));
  const columns = unnamed.flatMap(({ by }) => by);
  const tables = unnamed.map(
    ({ table, by }) => `${wholeOf(table)}${by.length === 0 ? '' : `(${by.join(', ')})`}`,
  );
  const shape = `${verbs[0] ?? 'select'} ${[...new Set(tables)].sort().join(' ')}`;
  if (columns.some((column) => column.endsWith('_hash'))) return { way: 'bySecret', shape };
  return { way: unnamed.every(({ by }) => by.length > 0) ? 'byId' : 'overAll', shape };
}

const CONSTRAINTS = z.array(
  z.object({
    table: z.string(),
    name: z.string(),
    columns: z.array(z.string()),
    other: z.string().nullable(),
    others: z.array(z.string()),
  }),
);

/** Unique indexes that lack the key of their table, and foreign keys that do not carry it to the table that they name. */
export async function findKeylessConstraints({ keyOf }: Distribution, db: Knex): Promise<string[]> {
  const { rows } = await db.raw(`
    SELECT t.relname AS "table", i.relname AS name, NULL AS other, '{}'::text[] AS others,
      ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = t.oid AND attnum = ANY (x.indkey)) AS columns
    FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
    WHERE x.indisunique AND t.relnamespace = 'public'::regnamespace AND NOT t.relispartition
    UNION ALL
    SELECT t.relname, k.conname, o.relname,
      ARRAY(SELECT attname::text FROM unnest(k.confkey) WITH ORDINALITY AS u (n, at) JOIN pg_attribute ON attrelid = o.oid AND attnum = u.n ORDER BY at),
      ARRAY(SELECT attname::text FROM unnest(k.conkey) WITH ORDINALITY AS u (n, at) JOIN pg_attribute ON attrelid = t.oid AND attnum = u.n ORDER BY at)
    FROM pg_constraint k JOIN pg_class t ON t.oid = k.conrelid JOIN pg_class o ON o.oid = k.confrelid
    WHERE k.contype = 'f' AND t.relnamespace = 'public'::regnamespace AND NOT t.relispartition AND k.conparentid = 0`);
  return CONSTRAINTS.parse(rows)
    .filter(({ table, columns, other, others }) => {
      const key = keyOf(table);
      if (other === null) return key !== undefined && !columns.includes(key);
      const otherKey = keyOf(other);
      if (otherKey === undefined) return false;
      return (
        key === undefined || columns.indexOf(key) === -1 || columns.indexOf(key) !== others.indexOf(otherKey)
      );
    })
    .map(({ table, name }) => `${table}.${name}`)
    .sort();
}
