import type { Db } from '../../platform/postgres/database.ts';
import type { UnplacedRow } from './sealed-events.ts';

/** An insert of so many rows is built within a few milliseconds. */
const ROWS_PER_INSERT = 500;

/**
 * Gives the rows of one project their positions and appends them. The project's head stays locked until `trx` commits,
 * which is what makes positions visible in their order: so this must be the last thing that a transaction does, and a
 * transaction may do it for one project only, else two of them may wait for each other.
 */
export async function placeEvents(trx: Db, rows: readonly UnplacedRow[]): Promise<void> {
  const [first] = rows;
  const last = rows.at(-1);
  if (first === undefined || last === undefined) return;
  const { rows: heads } = await trx.raw<{ rows: { position: number | string }[] }>(
    `INSERT INTO event_heads AS head (project_id, position, last_event_id) VALUES (?, ?, ?)
     ON CONFLICT (project_id) DO UPDATE
     SET position = head.position + excluded.position, last_event_id = excluded.last_event_id
     RETURNING position`,
    [first.project_id, rows.length, last.id],
  );
  const before = Number(heads[0]?.position) - rows.length;
  for (let start = 0; start < rows.length; start += ROWS_PER_INSERT) {
    await insertPlaced(trx, rows.slice(start, start + ROWS_PER_INSERT), before + start);
  }
}

/**
 * Four parameters for any number of rows: fourteen for each row cost the server more than the insert. The payloads go as
 * one, in binary, since in an array or in JSON they would be written in hexadecimal.
 */
async function insertPlaced(trx: Db, rows: readonly UnplacedRow[], before: number): Promise<void> {
  let start = 1;
  const described = rows.map(({ data_sealed: { length }, project_id: _project, ...row }) => {
    const own = { ...row, start, length };
    start += length;
    // A lone surrogate is no text, as JSON has it too; drivers replace it in parameters that are texts.
    const { type, subject, organization, object_type, object_id } = row;
    return {
      ...own,
      type: type.toWellFormed(),
      subject: subject?.toWellFormed(),
      organization: organization?.toWellFormed(),
      object_type: object_type?.toWellFormed(),
      object_id: object_id?.toWellFormed(),
    };
  });
  await trx.raw(
    `INSERT INTO events (project_id, id, created_at, position, type, source, integration_id, connection_id, end_user_id,
       subject, organization, object_type, object_id, change, data_sealed)
     SELECT ?::uuid, e.id, e.created_at, ?::bigint + e.n, e.type, e.source, e.integration_id, e.connection_id,
       e.end_user_id, e.subject, e.organization, e.object_type, e.object_id, e.change, substring(?::bytea FROM e.start FOR e.length)
     FROM ROWS FROM (jsonb_to_recordset(?::jsonb) AS (id uuid, created_at timestamptz, type text, source text,
       integration_id uuid, connection_id uuid, end_user_id uuid, subject text,
       organization text, object_type text, object_id text,
       change text, start integer, length integer)) WITH ORDINALITY
       AS e (id, created_at, type, source, integration_id, connection_id, end_user_id, subject, organization, object_type, object_id,
         change, start, length, n)`,
    [
      rows[0]?.project_id ?? null,
      before,
      Buffer.concat(rows.map(({ data_sealed }) => data_sealed)),
      JSON.stringify(described),
    ],
  );
}
