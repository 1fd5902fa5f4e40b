import { isNativeError } from 'node:util/types';
import type { Log } from './logger.ts';
import type { Db } from './postgres/database.ts';
import { type SealContext, type Vault, VaultError } from './vault.ts';
import { SEALED_COLUMNS, type SealedColumn } from './vault-columns.ts';

const COUNT_PAGE_ROWS = 5000;
const BATCH_ROWS = 200;

type RewrapResult = {
  readonly rewrapped: number;
  /**
   * Texts that changed meanwhile, or whose row was locked: the process that changed them sealed them again, else the
   * next run does.
   */
  readonly skipped: number;
  /** Texts that no configured key opens. They are logged and left as they are. */
  readonly unreadable: number;
};

type Row = { keys: string[]; row_id: string; project_id: string; sealed: string | null };

/**
 * Seals everything again that is not sealed with the active key. May be stopped at any point (`signal`), run again, and
 * run in several processes and under traffic: each text is replaced by itself and only while it is still the text that
 * was read, so that a token which was refreshed meanwhile is never overwritten. Rejects as queries do.
 */
export async function rewrapOldRows(options: {
  db: Db;
  vault: Vault;
  /** Rows per read; default 200. */
  batchSize?: number;
  signal?: AbortSignal;
  log: Pick<Log, 'info' | 'error'>;
}): Promise<RewrapResult> {
  const { db, vault, signal, log, batchSize = BATCH_ROWS } = options;
  const total = { rewrapped: 0, skipped: 0, unreadable: 0 };
  for (const column of SEALED_COLUMNS) {
    for await (const row of oldRows(db, column, vault.activeKeyId, batchSize, signal)) {
      total[await rewrapRow({ db, vault, log }, column, row)] += 1;
    }
  }
  if (total.rewrapped + total.unreadable > 0) {
    log.info({ keyId: vault.activeKeyId, ...total }, 'Sealed old rows again with the active encryption key');
  }
  return total;
}

/** How many sealed texts need each key. A key may be removed when it is not named here. The id of a text that is no envelope is ''. */
export async function countRowsByKeyId(db: Db): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const column of SEALED_COLUMNS) {
    // Not the text itself: plaintext that an operator put there must not reach a message.
    const keyId = `CASE WHEN ${column.column} ~ '^v1\\.[A-Za-z0-9_-]{1,32}\\.' THEN split_part(${column.column}, '.', 2)
      WHEN ${column.column} IS NOT NULL THEN '' END`;
    for await (const { sealed } of pages(db, column, keyId, COUNT_PAGE_ROWS)) {
      if (sealed !== null) counts.set(sealed, (counts.get(sealed) ?? 0) + 1);
    }
  }
  return counts;
}

/** `_` is a wildcard to LIKE, and key ids may hold it. */
async function* oldRows(
  db: Db,
  column: SealedColumn,
  activeKeyId: string,
  limit: number,
  signal?: AbortSignal,
): AsyncGenerator<Row & { sealed: string }> {
  const old = `CASE WHEN starts_with(${column.column}, 'v1.${activeKeyId}.') THEN NULL ELSE ${column.column} END`;
  for await (const row of pages(db, column, old, limit, signal)) {
    if (row.sealed !== null) yield { ...row, sealed: row.sealed };
  }
}

/**
 * Every row of a table in the order of its primary key, `expression` as `sealed`. A statement reads a page, whether its
 * rows matter or not: one that looked for old rows among millions of new ones would run into the statement time-out.
 */
async function* pages(
  db: Db,
  column: SealedColumn,
  expression: string,
  limit: number,
  signal?: AbortSignal,
): AsyncGenerator<Row> {
  const key = column.key.join(', ');
  const select = `SELECT ARRAY[${column.key.map((name) => `${name}::text`).join(', ')}] AS keys, ${column.rowId} AS row_id,
    ${column.projectId} AS project_id, ${expression} AS sealed FROM ${column.table}`;
  const after = `WHERE (${key}) > (${column.key.map(() => '?').join(', ')})`;
  let last: string[] | undefined;
  while (!signal?.aborted) {
    const { rows } = await db.raw<{ rows: Row[] }>(
      `${select} ${last ? after : ''} ORDER BY ${key} LIMIT ${limit}`,
      last ?? [],
    );
    for (const row of rows) {
      if (signal?.aborted) return;
      yield row;
    }
    last = rows.at(-1)?.keys;
    if (rows.length < limit) return;
  }
}

async function rewrapRow(
  deps: { db: Db; vault: Vault; log: Pick<Log, 'error'> },
  column: SealedColumn,
  row: Row & { sealed: string },
): Promise<keyof RewrapResult> {
  const { table } = column;
  const context: SealContext = { table, column: column.column, rowId: row.row_id, projectId: row.project_id };
  try {
    const sealed = deps.vault.rewrap(row.sealed, context);
    const own = column.key.map((name) => `${name} = ?`).join(' AND ');
    const { rowCount } = await deps.db.raw<{ rowCount: number | null }>(
      `UPDATE ${table} SET ${column.column} = ? WHERE ${own} AND ${column.column} = ?`,
      [sealed, ...row.keys, row.sealed],
    );
    return rowCount === 1 ? 'rewrapped' : 'skipped';
  } catch (error) {
    if (error instanceof VaultError) {
      deps.log.error({ err: error }, 'A sealed text cannot be opened; check ENCRYPTION_KEYS');
      return 'unreadable';
    }
    if (isLockTimeout(error)) return 'skipped';
    throw error;
  }
}

/**
 * SQLSTATE 55P03: another transaction holds the row. Any other trouble of the store ends the run, which can be
 * repeated.
 */
function isLockTimeout(error: unknown): boolean {
  return isNativeError(error) && 'code' in error && error.code === '55P03';
}
