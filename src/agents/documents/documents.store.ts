import { newId } from '../../lib/ids.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Operation } from './read-operations.ts';

export type FoundOperation = Operation & { readonly url: string; readonly rank: number };

/** Texts that `to_tsquery` understands: what has to match, and what an operation is the better for. */
export type Search = { readonly match: string; readonly rank: string; readonly limit: number };

/** An operation that matches, without its texts. */
export type RankedOperation = Pick<FoundOperation, 'url' | 'method' | 'path' | 'rank'> & {
  readonly document_id: string;
  readonly position: number;
};

export type DocumentState = { readonly url: string; readonly hasOperations: boolean };

export type DueDocument = { readonly id: string; readonly url: string; readonly hasFailed: boolean };

const ROWS_AT_ONCE = 500;
/** What matches beyond that is not compared: ranking is what a search takes its time for. */
const RANKED_MAX = 1_000;
/** How long one process has to fetch a document before another may try. */
const LEASE = '2 minutes';

/** SQL over the API documents that are named somewhere, and their operations. They belong to no project. */
export function createDocumentsStore({ db }: { readonly db: Db }) {
  return {
    /** Notes that these documents are wanted, and answers what is known of them. */
    async want(urls: readonly string[]): Promise<DocumentState[]> {
      if (urls.length === 0) return [];
      const found = await db('api_documents')
        .whereIn('url', [...urls])
        .select<{ url: string; operations: number; is_stale: boolean }[]>([
          'url',
          'operations',
          db.raw("wanted_at < now() - interval '1 day' AS is_stale"),
        ]);
      const stale = found.flatMap(({ url, is_stale: isStale }) => (isStale ? [url] : []));
      if (stale.length > 0)
        await db('api_documents').whereIn('url', stale).update({ wanted_at: db.fn.now() });
      const known = new Map(found.map(({ url, operations }) => [url, operations > 0]));
      const missing = urls.filter((url) => !known.has(url)).map((url) => ({ id: newId(), url }));
      if (missing.length > 0) await db('api_documents').insert(missing).onConflict('url').ignore();
      return urls.map((url) => ({ url, hasOperations: known.get(url) === true }));
    },

    /** Takes one document that is due, for this process alone; those that failed come behind those that have not. */
    async claimDue(): Promise<DueDocument | undefined> {
      const { rows } = await db.raw<{ rows: DueDocument[] }>(
        `UPDATE api_documents SET next_fetch_at = now() + interval '${LEASE}'
         WHERE id = (SELECT id FROM api_documents WHERE next_fetch_at <= now()
                     ORDER BY error IS NOT NULL, next_fetch_at LIMIT 1 FOR UPDATE SKIP LOCKED)
         RETURNING id, url, error IS NOT NULL AS "hasFailed"`,
      );
      return rows[0];
    },

    /** Replaces the operations of a document by those that it has now. */
    async replace(id: string, operations: readonly Operation[], nextSeconds: number): Promise<void> {
      await db.transaction(async (trx: Db) => {
        const kept = await trx('api_documents')
          .where({ id })
          .update({ operations: operations.length, error: null, next_fetch_at: later(trx, nextSeconds) });
        if (kept === 0) return;
        await trx('api_operations').where({ document_id: id }).delete();
        for (let at = 0; at < operations.length; at += ROWS_AT_ONCE)
          await insertOperations(trx, id, operations.slice(at, at + ROWS_AT_ONCE), at);
      });
    },

    async noteFailure(id: string, error: string, nextSeconds: number): Promise<void> {
      await db('api_documents')
        .where({ id })
        .update({ error, next_fetch_at: later(db, nextSeconds) });
    },

    async purgeUnwanted(days: number): Promise<void> {
      await db('api_documents')
        .where('wanted_at', '<', db.raw('now() - make_interval(days => ?)', [days]))
        .delete();
    },

    /** The best of what matches. */
    search: (urls: readonly string[], search: Search) =>
      select<FoundOperation>('method, path, name, summary, parameters, url, rank', urls, search),

    /** The same by what they are called by, for a caller that shows some of them. */
    rank: (urls: readonly string[], search: Omit<Search, 'limit'>) =>
      select<RankedOperation>('method, path, url, rank, document_id, position', urls, {
        ...search,
        limit: RANKED_MAX,
      }),

    /** With their texts, in the same order; without those that their document has lost meanwhile. */
    async describe(ranked: readonly RankedOperation[]): Promise<FoundOperation[]> {
      if (ranked.length === 0) return [];
      const keys = ranked.map(({ document_id: id, position }) => [id, position]);
      const rows = await db('api_operations')
        .whereIn(['document_id', 'position'], keys)
        .select<(Operation & Pick<RankedOperation, 'document_id' | 'position'>)[]>(
          ...['document_id', 'position', 'method', 'path', 'name', 'summary', 'parameters'],
        );
      const found = new Map(rows.map((row) => [`${row.document_id} ${row.position}`, row]));
      return ranked.flatMap(({ document_id, position, url, rank }) => {
        const row = found.get(`${document_id} ${position}`);
        if (row === undefined) return [];
        const { method, path, name, summary, parameters } = row;
        return [{ method, path, name, summary, parameters, url, rank }];
      });
    },
  };

  /** Short paths come first: those of collections, before what lies below their members. */
  async function select<Row>(
    columns: string,
    urls: readonly string[],
    { match, rank, limit }: Search,
  ): Promise<Row[]> {
    const { rows } = await db.raw<{ rows: Row[] }>(
      `SELECT ${columns} FROM (
         SELECT o.*, d.url,
           ts_rank(o.search, telling, 1) / (2 + length(path) - length(replace(path, '/', ''))) AS rank
         FROM to_tsquery('english', :match) AS wanted, to_tsquery('english', :rank) AS telling, api_operations AS o JOIN api_documents AS d ON d.id = o.document_id
         WHERE d.url = ANY(:urls) AND o.search @@ wanted LIMIT :ranked) AS candidates
       ORDER BY rank DESC, length(path), path LIMIT :limit`,
      { match, rank, urls: [...urls], limit, ranked: RANKED_MAX },
    );
    return rows;
  }
}

export type DocumentsStore = ReturnType<typeof createDocumentsStore>;

function later(db: Db, seconds: number) {
  return db.raw('now() + make_interval(secs => ?)', [seconds]);
}

async function insertOperations(
  trx: Db,
  id: string,
  operations: readonly Operation[],
  from: number,
): Promise<void> {
  await trx.raw(
    `INSERT INTO api_operations (document_id, position, method, path, name, summary, parameters, search)
     SELECT :id, :from + row.position, method, path, name, summary, parameters,
       setweight(to_tsvector('english', words), 'A') || setweight(to_tsvector('english', summary), 'B')
     FROM ROWS FROM (json_to_recordset(:rows) AS
       (position int, method text, path text, name text, summary text, parameters jsonb, words text)) AS row`,
    {
      id,
      from,
      rows: JSON.stringify(
        operations.map((operation, position) => ({ ...operation, position, words: wordsOf(operation) })),
      ),
    },
  );
}

/** What an operation is found by beside its summary: the words of its name, method and path. */
function wordsOf({ name, path, method }: Operation): string {
  const split = `${name} ${path}`.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[^A-Za-z0-9]+/g, ' ');
  if (method === 'GET') return `${split} get read fetch ${path.endsWith('}') ? '' : 'list'}`;
  return `${split} ${VERBS[method] ?? ''}`;
}

/** What people call these methods. */
const VERBS: Readonly<Record<string, string>> = {
  POST: 'create add',
  PUT: 'update replace edit',
  PATCH: 'update change edit',
  DELETE: 'delete remove',
};
