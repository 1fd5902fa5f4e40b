import { z } from 'zod';
import type { Db } from '../platform/postgres/database.ts';

/** So many of a project's newest calls under mandates are looked at. */
const CALLS_MAX = 10_000;
/** A project may have as many mandates by name. */
const MANDATES_MAX = 1_000;

/** Of a project's newest kept calls under mandates, each once for each mandate that it was judged by. */
const JUDGED = `
WITH newest AS (
  SELECT mandates, actors, subject, provider, at FROM recent_calls
  WHERE project_id = ? AND mandates IS NOT NULL
  ORDER BY request_id DESC LIMIT ${CALLS_MAX}
), judged AS (
  SELECT mandate ->> 'id' AS mandate_id, mandate -> 'entry' = 'null'::jsonb AS is_refused,
    actors -> 0 AS actor, subject, provider, at
  FROM newest, jsonb_array_elements(mandates) AS mandate
)`;

const counts = {
  calls: z.coerce.number(),
  refused: z.coerce.number(),
  last_at: z.date(),
};

const SUMMARIES = z.array(z.object({ mandate_id: z.string(), users: z.coerce.number(), ...counts }));

/** How often each mandate by name was used, the one used last first. */
export async function sumMandates(db: Db, projectId: string) {
  const { rows } = await db.raw(
    `${JUDGED}
     SELECT mandate_id, count(DISTINCT subject) AS users, count(*) AS calls,
       count(*) FILTER (WHERE is_refused) AS refused, max(at) AS last_at
     FROM judged WHERE mandate_id IN (SELECT id::text FROM mandates WHERE project_id = ?)
     GROUP BY mandate_id ORDER BY last_at DESC, mandate_id LIMIT ${MANDATES_MAX}`,
    [projectId, projectId],
  );
  return SUMMARIES.parse(rows);
}

const USES = z.array(
  z.object({
    subject: z.string().nullable(),
    actor: z.object({ id: z.string(), name: z.string().optional() }).nullable(),
    provider: z.string(),
    ...counts,
  }),
);

/** Who used the mandate at which provider, the latest use first. */
export async function listUses(
  db: Db,
  { projectId, mandateId, limit }: { projectId: string; mandateId: string; limit: number },
) {
  const { rows } = await db.raw(
    `${JUDGED}
     SELECT subject, actor, provider, count(*) AS calls, count(*) FILTER (WHERE is_refused) AS refused,
       max(at) AS last_at
     FROM judged WHERE mandate_id = ?
     GROUP BY subject, actor, provider ORDER BY last_at DESC, subject, provider, actor LIMIT ?`,
    [projectId, mandateId, limit],
  );
  return USES.parse(rows);
}
