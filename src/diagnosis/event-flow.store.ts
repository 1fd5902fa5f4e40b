import { z } from 'zod';
import type { Db } from '../platform/postgres/database.ts';

/** A poll, by what its connections showed last. */
export type PollFact = {
  readonly pollId: string;
  readonly integrationId: string;
  readonly resource: string | null;
  readonly objectType: string;
  readonly isPaused: boolean;
  readonly someFail: boolean;
  /** Of those that were looked at, every one. */
  readonly allFail: boolean;
};

/** How events of a project come and go. */
export type EventFlow = {
  readonly polls: readonly PollFact[];
  /** Integrations that webhooks came to, with the signatures refused since the last good one. */
  readonly webhooks: readonly { readonly integrationId: string; readonly failures: number }[];
  /** Destinations that took nothing at the last attempt, but for those that an operator disabled. */
  readonly failedDestinations: readonly { readonly id: string; readonly url: string }[];
};

export type ReadEventFlow = (projectId: string) => Promise<EventFlow>;

/** More are not looked at, so that no project's states cost more than so much. */
const POLLS_MAX = 200;
const CONNECTIONS_OF_POLL_MAX = 200;
const INTEGRATIONS_MAX = 1_000;
const DESTINATIONS_MAX = 20;

const polls = z.array(
  z.object({
    id: z.string(),
    integration_id: z.string(),
    resource: z.string().nullable(),
    object_type: z.string(),
    is_paused: z.boolean(),
    some_fail: z.boolean().nullable(),
    all_fail: z.boolean().nullable(),
  }),
);

/** Reads it in three queries, however many there are. */
export function createReadEventFlow({ db }: { readonly db: Db }): ReadEventFlow {
  return async (projectId) => {
    const [pollFacts, webhooks, failedDestinations] = await Promise.all([
      readPolls(db, projectId),
      db('webhook_numbers')
        .where({ project_id: projectId })
        .limit(INTEGRATIONS_MAX)
        .select<{ integration_id: string; failures: number }[]>('integration_id', 'failures'),
      db('event_destinations')
        .where({ project_id: projectId })
        .whereNotNull('last_failure_at')
        .whereRaw(`disabled_reason IS DISTINCT FROM 'operator'`)
        .whereRaw('(last_success_at IS NULL OR last_success_at < last_failure_at)')
        .orderBy('id')
        .limit(DESTINATIONS_MAX)
        .select<{ id: string; url: string }[]>('id', 'url'),
    ]);
    const numbers = webhooks.map((row) => ({ integrationId: row.integration_id, failures: row.failures }));
    return { polls: pollFacts, webhooks: numbers, failedDestinations };
  };
}

async function readPolls(db: Db, projectId: string): Promise<PollFact[]> {
  const { rows } = await db.raw(
    `SELECT p.id, p.integration_id, p.resource, p.object_type, p.paused_at IS NOT NULL AS is_paused,
            c.some_fail, c.all_fail
     FROM polls AS p
     CROSS JOIN LATERAL (SELECT bool_or(failures > 0) AS some_fail, bool_and(failures > 0) AS all_fail
                         FROM (SELECT failures FROM poll_connections WHERE poll_id = p.id
                               LIMIT ${CONNECTIONS_OF_POLL_MAX}) AS looked_at) AS c
     WHERE p.project_id = ? ORDER BY p.id LIMIT ${POLLS_MAX}`,
    [projectId],
  );
  return polls.parse(rows).map((row) => ({
    pollId: row.id,
    integrationId: row.integration_id,
    resource: row.resource,
    objectType: row.object_type,
    isPaused: row.is_paused,
    someFail: row.some_fail ?? false,
    allFail: row.all_fail ?? false,
  }));
}
