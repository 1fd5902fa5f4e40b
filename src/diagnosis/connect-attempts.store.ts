import { z } from 'zod';
import { createIdBound } from '../lib/ids.ts';
import type { Db } from '../platform/postgres/database.ts';

type Owner = { readonly id: string; readonly projectId: string };

/** How far the connect sessions of an integration got. */
export type SignInCounts = {
  readonly opened: number;
  readonly sentToProvider: number;
  readonly cameBack: number;
  readonly completed: number;
  /** Sent to the provider, and expired there. */
  readonly notReturned: number;
  /** Opened, and expired before the provider was asked. */
  readonly abandoned: number;
  readonly lastCompletedAt: Date | null;
};

/** A sign-in that failed, from the activity log. */
export type SignInFailure = {
  readonly connectSessionId: string;
  readonly at: Date;
  /** The application's own id of the user; null once the user is deleted. */
  readonly userId: string | null;
  readonly error: string;
  readonly reason: string | undefined;
  readonly providerCode: string | undefined;
  readonly providerWords: string | undefined;
  readonly requestId: string;
  readonly missingScopes?: readonly string[] | undefined;
  readonly refusedVariable?: string | undefined;
};

/** More sessions than these are not looked at, so that no integration's diagnosis costs more than so much. */
const SESSIONS_MAX = 50_000;

/** The same for the failures of a project. */
const FAILURES_MAX = 2_000;

const failedUsers = z.array(z.object({ id: z.string(), users: z.number() }));

const counts = z.object({
  opened: z.coerce.number(),
  sent: z.coerce.number(),
  back: z.coerce.number(),
  completed: z.coerce.number(),
  lost: z.coerce.number(),
  abandoned: z.coerce.number(),
  last_completed: z.date().nullable(),
});

const failureDetails = z.object({
  code: z.string(),
  reason: z.string().optional(),
  providerCode: z.string().optional(),
  providerWords: z.string().optional(),
  requestId: z.string(),
  missingScopes: z.array(z.string()).optional(),
  refusedVariable: z.string().optional(),
});

/** SQL over an integration's connect sessions and their failures. */
export function createSignInsStore({ db }: { db: Db }) {
  async function count({ id, projectId }: Owner, from: Date): Promise<SignInCounts> {
    const { rows } = await db.raw(
      `SELECT count(*) FILTER (WHERE state <> 'created') AS opened,
              count(*) FILTER (WHERE authorizing_at IS NOT NULL) AS sent,
              count(*) FILTER (WHERE authorizing_at IS NOT NULL AND state IN ('choosing', 'pending', 'completed', 'failed')) AS back,
              count(*) FILTER (WHERE state = 'completed') AS completed,
              count(*) FILTER (WHERE authorizing_at IS NOT NULL AND state = 'authorizing' AND expires_at <= now()) AS lost,
              count(*) FILTER (WHERE authorizing_at IS NULL AND state = 'opened' AND expires_at <= now()) AS abandoned,
              max(created_at) FILTER (WHERE state = 'completed') AS last_completed
       FROM (SELECT state, authorizing_at, expires_at, created_at FROM connect_sessions
             WHERE integration_id = ? AND project_id = ? AND created_at >= ?
             ORDER BY created_at DESC LIMIT ${SESSIONS_MAX}) AS s`,
      [id, projectId, from],
    );
    const row = counts.parse(rows[0]);
    return {
      opened: row.opened,
      sentToProvider: row.sent,
      cameBack: row.back,
      completed: row.completed,
      notReturned: row.lost,
      abandoned: row.abandoned,
      lastCompletedAt: row.last_completed,
    };
  }

  /** The newest first. */
  async function failures({ id, projectId }: Owner, from: Date, limit: number): Promise<SignInFailure[]> {
    const rows = await db('activity AS a')
      .leftJoin('end_users AS u', function joinUser() {
        this.on(
          db.raw(`u.project_id = a.project_id AND u.id = CASE
            WHEN a.details ->> 'integrationUserId' ~ '^[0-9a-f-]{36}$'
            THEN (a.details ->> 'integrationUserId')::uuid END`),
        );
      })
      .where({ 'a.action': 'connect_session.failed', 'a.project_id': projectId })
      .whereRaw(`a.details ->> 'integrationId' = ?`, [id])
      .where('a.id', '>=', createIdBound(from.getTime()))
      .orderBy('a.id', 'desc')
      .limit(limit)
      .select<{ subject_id: string | null; created_at: Date; details: unknown; subject: string | null }[]>(
        'a.subject_id',
        'a.created_at',
        'a.details',
        'u.subject',
      );
    return rows.flatMap((row) => {
      const details = failureDetails.safeParse(row.details);
      if (!details.success || row.subject_id === null) return [];
      const { code: error, reason, providerCode, providerWords, requestId } = details.data;
      const { missingScopes, refusedVariable } = details.data;
      const failure = {
        error,
        reason,
        providerCode,
        providerWords,
        requestId,
        missingScopes,
        refusedVariable,
      };
      return [{ ...failure, connectSessionId: row.subject_id, at: row.created_at, userId: row.subject }];
    });
  }

  /**
   * How many users of each integration failed to connect since `from` and since it was changed last, and have no working
   * connection. Looks at the newest failures of the project only.
   */
  async function countFailedUsers(projectId: string, from: Date): Promise<ReadonlyMap<string, number>> {
    const { rows } = await db.raw(
      `SELECT i.id, count(DISTINCT failed.user_id)::integer AS users
       FROM (SELECT details ->> 'integrationId' AS integration_id, details ->> 'integrationUserId' AS user_id, created_at
             FROM activity WHERE project_id = ? AND action = 'connect_session.failed' AND id >= ?
             ORDER BY id DESC LIMIT ${FAILURES_MAX}) AS failed
       JOIN integrations AS i
         ON i.id::text = failed.integration_id AND i.project_id = ? AND failed.created_at >= i.updated_at
       WHERE NOT EXISTS (SELECT 1 FROM connections AS c
                         WHERE c.project_id = i.project_id AND c.end_user_id::text = failed.user_id
                           AND c.integration_id = i.id AND c.status = 'active')
       GROUP BY i.id`,
      [projectId, createIdBound(from.getTime()), projectId],
    );
    return new Map(failedUsers.parse(rows).map(({ id, users }) => [id, users]));
  }

  return { count, failures, countFailedUsers };
}

export type SignInsStore = ReturnType<typeof createSignInsStore>;
