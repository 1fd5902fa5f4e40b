import type { Db } from '../platform/postgres/database.ts';
import type { ErasedPersonFacts, WalkStep } from './walks.store.ts';

const REPLIES = 200;
const UUIDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
/** Sorts after every key of a principal. */
const SEPARATOR = '\n';

type Row = { principal: string; key: string; owner: string; reply_sealed: string | null };

/**
 * Deletes the replies kept for repeats that the person got, or that name them: of the project's keys and members, whose
 * other replies are opened and left alone. A repeat of such a request does its work again.
 */
export async function walkStoredReplies(
  db: Db,
  person: ErasedPersonFacts,
  after: string,
  openReply: (sealed: string, rowId: string) => string,
): Promise<WalkStep> {
  const [principal = '', key = ''] = after.split(SEPARATOR);
  const { rows } = await db.raw<{ rows: Row[] }>(
    `SELECT principal, key, owner, reply_sealed FROM idempotency_keys
      WHERE owner IN (
        SELECT 'end_user:' || :endUserId UNION ALL
        SELECT 'api_key:' || id FROM api_keys WHERE project_id = :projectId UNION ALL
        SELECT 'operator:' || operator_id FROM project_members WHERE project_id = :projectId)
        AND (principal, key) > (:principal, :key)
      ORDER BY principal, key LIMIT ${REPLIES}`,
    { endUserId: person.endUserId, projectId: person.projectId, principal, key },
  );
  const named = new Set(await findNaming(db, person, rows, openReply));
  for (const row of named) {
    await db('idempotency_keys').where({ principal: row.principal, key: row.key }).delete();
  }
  const last = rows.at(-1);
  const isOver = last === undefined || rows.length < REPLIES;
  return { last: isOver ? null : `${last.principal}${SEPARATOR}${last.key}`, count: named.size };
}

async function findNaming(
  db: Db,
  { endUserId, userId, erasureId }: ErasedPersonFacts,
  rows: readonly Row[],
  openReply: (sealed: string, rowId: string) => string,
): Promise<Row[]> {
  const texts = rows.map((row) => {
    const reply = row.reply_sealed === null ? '' : openReply(row.reply_sealed, `${row.principal} ${row.key}`);
    return { row, text: `${row.principal} ${reply}` };
  });
  const idsOf = (text: string) => (text.match(UUIDS) ?? []).map((id) => id.toLowerCase());
  const ids = [...new Set(texts.flatMap(({ text }) => idsOf(text)))];
  const connections = new Set<string>(
    await db('user_erasure_connections')
      .where({ erasure_id: erasureId })
      .whereIn('connection_id', ids)
      .pluck('connection_id'),
  );
  const isNaming = (text: string) =>
    idsOf(text).some((id) => id === endUserId || connections.has(id)) ||
    (userId !== null && names(text, userId));
  return texts.flatMap(({ row, text }) => (isNaming(text) ? [row] : []));
}

/** Replies are kept as JSON whose body is a JSON text itself. */
function names(text: string, userId: string): boolean {
  const once = JSON.stringify(userId);
  return text.includes(once) || text.includes(JSON.stringify(once).slice(1, -1));
}
