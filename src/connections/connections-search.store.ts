import type { Db } from '../platform/postgres/database.ts';

/** Of each kind of name. A beginning that more names share finds the first ones, so that no search takes long. */
const MATCHES_MAX = 2_000;

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
  const { rows } = await db.raw(
    `SELECT found.id FROM unnest(CAST(:projects AS uuid[])) AS p (id) CROSS JOIN LATERAL (
       (SELECT c.id FROM connections AS c
        WHERE c.project_id = p.id AND c.account_name IS NOT NULL AND ${beginsWithText('c.account_name')}
        ORDER BY lower(c.account_name) COLLATE "C" LIMIT :limit)
       UNION (SELECT c.id FROM connections AS c
        WHERE c.project_id = p.id AND c.account_id IS NOT NULL AND ${beginsWithText('c.account_id')}
        ORDER BY lower(c.account_id) COLLATE "C" LIMIT :limit)
       UNION (SELECT c.id FROM (
          SELECT u.id FROM end_users AS u WHERE u.project_id = p.id AND ${beginsWithText('u.subject')}
          ORDER BY lower(u.subject) COLLATE "C" LIMIT :limit) AS users
        JOIN connections AS c ON c.project_id = p.id AND c.end_user_id = users.id LIMIT :limit)
       UNION (SELECT c.id FROM (
          SELECT u.id FROM end_users AS u
          WHERE u.project_id = p.id AND u.organization IS NOT NULL AND ${beginsWithText('u.organization')}
          ORDER BY lower(u.organization) COLLATE "C" LIMIT :limit) AS organizations
        JOIN connections AS c ON c.project_id = p.id AND c.end_user_id = organizations.id LIMIT :limit)
       UNION (SELECT c.id FROM connections AS c
        WHERE c.project_id = p.id AND c.id >= CAST(:firstId AS uuid) AND c.id <= CAST(:lastId AS uuid)
        LIMIT :limit)) AS found
     LIMIT :total`,
    {
      text,
      projects: [...projectIds],
      last: LAST,
      limit: MATCHES_MAX,
      total: 5 * MATCHES_MAX,
      ...idsBeginningWith(text),
    },
  );
  return rows.map(({ id }: { id: string }) => id);
}

/** True for names that begin with `:text`, in a form for which the indexes of migration 0022 serve. */
function beginsWithText(column: string): string {
  const first = 'lower(CAST(:text AS text)) COLLATE "C"';
  return `lower(${column}) COLLATE "C" >= ${first} AND lower(${column}) COLLATE "C" < ${first} || :last`;
}

/** The range of ids that begin with the text; one that holds none where the text is no beginning of an id. */
function idsBeginningWith(text: string): { firstId: string; lastId: string } {
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
