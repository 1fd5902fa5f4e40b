import type { Knex } from 'knex';

type Plan = { 'Actual Rows': number; 'Rows Removed by Filter'?: number; Plans?: Plan[] };

const rowsOf = (plan: Plan): number =>
  plan['Actual Rows'] +
  (plan['Rows Removed by Filter'] ?? 0) +
  (plan.Plans ?? []).reduce((sum, part) => sum + rowsOf(part), 0);

/** What the work answers, and how many rows Postgres read at most in any of its queries, by its own account. */
export async function countRowsRead<Result>(
  db: Knex,
  work: () => Promise<Result>,
): Promise<{ result: Result; read: number }> {
  const queries: { sql: string; bindings: readonly unknown[] }[] = [];
  const note = (query: { sql: string; bindings: unknown[] }) => queries.push(query);
  db.on('query', note);
  const result = await work();
  db.off('query', note);
  const counts: number[] = [];
  for (const { sql, bindings } of queries) {
    const client = sql.replaceAll(/\$\d+/g, '?');
    const { rows } = await db.raw(`EXPLAIN (ANALYZE, FORMAT JSON) ${client}`, [...bindings] as string[]);
    counts.push(rowsOf(rows[0]['QUERY PLAN'][0].Plan));
  }
  return { result, read: Math.max(...counts) };
}
