import type { Db } from '../platform/postgres/database.ts';

/** Of each kind of name. A beginning that more names share finds the first ones, so that no search takes long. */
export const MATCHES_MAX = 2_000;

/** Sorts after every text in the byte order of "C". */
const LAST = '\u{10ffff}';
const ID_BEGINNING = /^[0-9a-f]{8}(?:[0-9a-f-]{0,28})$/i;

/**
 * Ids of connections whose user id, account name or account id begins with the text, in any case, or whose own id does.
 * Each kind is found by an index of its own.
 */
export async function findByBeginning(
  db: Db,
  projectIds: readonly string[],
  text: string,
): Promise<string[]> {
  const projects = [...projectIds];
  const { rows } = await db.raw(
    `WITH asked AS MATERIALIZED (SELECT lower(CAST(:text AS text)) COLLATE "C" AS first)
     SELECT id FROM (
       SELECT id FROM connections, asked
       WHERE project_id = ANY (:projects) AND account_name IS NOT NULL
         AND lower(account_name) COLLATE "C" >= asked.first
         AND lower(account_name) COLLATE "C" < asked.first || :last
       ORDER BY project_id, lower(account_name) COLLATE "C" LIMIT :limit) AS by_name
     UNION SELECT id FROM (
       SELECT id FROM connections, asked
       WHERE project_id = ANY (:projects) AND account_id IS NOT NULL
         AND lower(account_id) COLLATE "C" >= asked.first
         AND lower(account_id) COLLATE "C" < asked.first || :last
       ORDER BY project_id, lower(account_id) COLLATE "C" LIMIT :limit) AS by_account
     UNION SELECT id FROM (
       SELECT c.id FROM (
         SELECT id, project_id FROM end_users, asked
         WHERE project_id = ANY (:projects)
           AND lower(subject) COLLATE "C" >= asked.first
           AND lower(subject) COLLATE "C" < asked.first || :last
         ORDER BY project_id, lower(subject) COLLATE "C" LIMIT :limit) AS u
       JOIN connections AS c ON c.project_id = u.project_id AND c.end_user_id = u.id
       LIMIT :limit) AS by_user
     UNION SELECT id FROM (
       SELECT id FROM connections
       WHERE project_id = ANY (:projects) AND id >= CAST(:firstId AS uuid) AND id <= CAST(:lastId AS uuid)
       LIMIT :limit) AS by_id`,
    { text, projects, last: LAST, limit: MATCHES_MAX, ...idsBeginningWith(text) },
  );
  return rows.map(({ id }: { id: string }) => id);
}

/** The range of ids that begin with the text; one that holds none where the text is no beginning of an id. */
export function idsBeginningWith(text: string): { firstId: string; lastId: string } {
  const digits = text.replaceAll('-', '');
  if (!ID_BEGINNING.test(text) || digits.length > 32)
    return { firstId: withHyphens('f'.repeat(32)), lastId: withHyphens('0'.repeat(32)) };
  return { firstId: withHyphens(digits.padEnd(32, '0')), lastId: withHyphens(digits.padEnd(32, 'f')) };
}

function withHyphens(digits: string): string {
  return digits.replace(/^(.{8})(.{1,4})?(.{1,4})?(.{1,4})?(.{1,12})?$/, (_all, ...parts: unknown[]) =>
    parts
      .slice(0, 5)
      .filter((part) => typeof part === 'string')
      .join('-'),
  );
}
