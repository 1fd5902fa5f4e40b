import type { Db } from '../platform/postgres/database.ts';
import type { Pseudonymize } from '../platform/pseudonyms.ts';
import { readWaiting, takeBytes, type WaitingReceipt } from '../webhooks/processing/processing.store.ts';
import type { ErasedPersonFacts, WalkStep } from './walks.store.ts';

/** Receipts that one step looks at, and the bytes of the bodies that it opens at a time. */
const RECEIPTS = 500;
const BYTES_AT_ONCE = 1024 * 1024;

type Head = {
  readonly id: string;
  readonly created_at: Date;
  readonly bytes: number;
  readonly is_own: boolean;
  readonly may_name: boolean;
};

/**
 * Deletes the person's receipts among the next ones of the project: those of their own addresses, and those with an item of
 * an account of theirs. Receipts that wait to be split are left to that, which knows erased accounts too.
 */
export async function walkReceipts(
  db: Db,
  person: ErasedPersonFacts,
  after: string,
  tools: {
    readonly pseudonymize: Pseudonymize;
    readAccounts(receipt: WaitingReceipt): Promise<readonly string[]>;
  },
): Promise<WalkStep> {
  const { projectId, erasureId } = person;
  const { rows: heads } = await db.raw<{ rows: Head[] }>(
    `SELECT id, created_at, length(body_sealed) AS bytes,
       connection_id IN (SELECT connection_id FROM user_erasure_connections WHERE erasure_id = :erasureId) IS TRUE AS is_own,
       (connection_id IS NULL AND split_at IS NOT NULL
         AND integration_id IN (SELECT integration_id FROM erased_accounts WHERE project_id = :projectId)) AS may_name
     FROM webhook_receipts WHERE project_id = :projectId AND id > :after ORDER BY id LIMIT ${RECEIPTS}`,
    { projectId, erasureId, after },
  );
  const own = heads.filter((head) => head.is_own);
  const naming = await findNaming(
    db,
    projectId,
    heads.filter((head) => head.may_name),
    tools,
  );
  const count = await deleteReceipts(db, projectId, [...own, ...naming]);
  return { last: heads.length < RECEIPTS ? null : (heads.at(-1)?.id ?? null), count };
}

async function findNaming(
  db: Db,
  projectId: string,
  heads: readonly Head[],
  tools: Parameters<typeof walkReceipts>[3],
): Promise<Head[]> {
  const found: Head[] = [];
  for (let rest = heads; rest.length > 0; ) {
    const group = takeBytes(rest, BYTES_AT_ONCE);
    rest = rest.slice(group.length);
    for (const receipt of await readWaiting(db, group)) {
      const accounts = await tools.readAccounts(receipt);
      const names = [...new Set(accounts)].map((account) => tools.pseudonymize('account', account));
      const isNaming = await isAnyErased(db, projectId, receipt.integration_id, names);
      const head = isNaming && heads.find(({ id }) => id === receipt.id);
      if (head) found.push(head);
    }
  }
  return found;
}

async function isAnyErased(
  db: Db,
  projectId: string,
  integrationId: string,
  names: readonly string[],
): Promise<boolean> {
  if (names.length === 0) return false;
  const row = await db('erased_accounts')
    .where({ project_id: projectId, integration_id: integrationId })
    .whereIn('account_pseudonym', names)
    .first('project_id');
  return row !== undefined;
}

async function deleteReceipts(
  db: Db,
  projectId: string,
  heads: readonly Pick<Head, 'id' | 'created_at'>[],
): Promise<number> {
  if (heads.length === 0) return 0;
  const { rowCount } = await db.raw(
    `DELETE FROM webhook_receipts AS r USING unnest(?::uuid[], ?::timestamptz[]) AS g (id, created_at)
     WHERE r.id = g.id AND r.created_at = g.created_at AND r.project_id = ?`,
    [heads.map(({ id }) => id), heads.map(({ created_at }) => created_at), projectId],
  );
  return rowCount;
}
