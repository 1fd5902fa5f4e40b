import type { Db } from '../../platform/postgres/database.ts';
import { type Progress, toProgress } from '../pages/progress.ts';
import { IS_PAUSED } from './poll-progress.store.ts';

/** What a client sees of a poll's connection. */
export type PolledConnection = {
  readonly connectionId: string;
  readonly integrationUserId: string;
  readonly userId: string | null;
  readonly organization: string | null;
  readonly accountName: string | null;
  readonly progress: Progress;
  readonly isPaused: boolean;
  readonly isRunning: boolean;
  readonly failures: number;
  readonly lastRunAt: Date | null;
  readonly nextRunAt: Date | null;
  readonly lagSeconds: number | null;
  readonly errorCode: string | null;
  readonly errorDetail: string | null;
};

export type PollStatusStore = ReturnType<typeof createPollStatusStore>;

/** SQL that shows how polls come on, and changes nothing. */
export function createPollStatusStore() {
  async function listOfPoll(
    db: Db,
    pollId: string,
    {
      afterId,
      limit,
      connectionId,
      tags = {},
    }: {
      afterId?: string | undefined;
      limit: number;
      connectionId?: string | undefined;
      tags?: Readonly<Record<string, string>> | undefined;
    },
  ): Promise<PolledConnection[]> {
    const { rows } = await db.raw(
      `SELECT s.*, ${IS_PAUSED} AS is_paused, c.end_user_id, u.subject, u.organization, c.account_name,
              extract(epoch FROM now() - s.caught_up_at)::integer AS lag
         FROM poll_connections AS s
         JOIN polls AS p ON p.id = s.poll_id
         JOIN projects AS o ON o.id = s.project_id
         JOIN integrations AS i ON i.id = p.integration_id AND i.project_id = p.project_id
         JOIN connections AS c ON c.id = s.connection_id AND c.project_id = s.project_id
         JOIN end_users AS u ON u.id = c.end_user_id AND u.project_id = c.project_id
        WHERE s.poll_id = ? AND (?::uuid IS NULL OR s.connection_id < ?::uuid)
          AND (?::uuid IS NULL OR s.connection_id = ?::uuid) AND c.tags @> ?::jsonb
        ORDER BY s.connection_id DESC LIMIT ?`,
      [
        ...[pollId, afterId ?? null, afterId ?? null, connectionId ?? null, connectionId ?? null],
        ...[JSON.stringify(tags), limit],
      ],
    );
    return rows.map(toPolledConnection);
  }

  async function listPolledConnectionsOfAnyProject(
    db: Db,
    limit: number,
  ): Promise<
    {
      connectionId: string;
      integrationId: string;
      projectId: string;
      serviceProvider: string;
      grant: string | null;
    }[]
  > {
    const { rows } = await db.raw(
      `SELECT s.connection_id AS "connectionId", p.integration_id AS "integrationId", p.project_id AS "projectId",
              i.service_provider AS "serviceProvider", i."grant"
         FROM poll_connections AS s
         JOIN polls AS p ON p.id = s.poll_id
         JOIN integrations AS i ON i.id = p.integration_id AND i.project_id = p.project_id
        WHERE p.paused_at IS NULL ORDER BY s.last_run_at DESC NULLS LAST LIMIT ?`,
      [limit],
    );
    return rows;
  }

  /** The longest time for which changes have not been read, and how many connections fail, over all polls. */
  async function measureLagOfAnyProject(
    db: Db,
  ): Promise<{ lagSeconds: number; failing: number; connections: number }> {
    const { rows } = await db.raw(
      `SELECT coalesce(max(extract(epoch FROM now() - coalesce(s.caught_up_at, s.created_at))), 0)::float8 AS lag,
              (count(*) FILTER (WHERE s.failures > 0))::integer AS failing, count(*)::integer AS connections
         FROM poll_connections AS s JOIN polls AS p ON p.id = s.poll_id WHERE p.paused_at IS NULL`,
    );
    return { lagSeconds: rows[0].lag, failing: rows[0].failing, connections: rows[0].connections };
  }

  return { listOfPoll, listPolledConnectionsOfAnyProject, measureLagOfAnyProject };
}

function toPolledConnection(row: {
  connection_id: string;
  end_user_id: string;
  subject: string | null;
  organization: string | null;
  account_name: string | null;
  progress: unknown;
  is_paused: boolean;
  is_running: boolean;
  failures: number;
  last_run_at: Date | null;
  next_run_at: Date | null;
  lag: number | null;
  error_code: string | null;
  error_detail: string | null;
}): PolledConnection {
  return {
    connectionId: row.connection_id,
    integrationUserId: row.end_user_id,
    userId: row.subject,
    organization: row.organization,
    accountName: row.account_name,
    progress: toProgress(row.progress),
    isPaused: row.is_paused,
    isRunning: row.is_running,
    failures: row.failures,
    lastRunAt: row.last_run_at,
    nextRunAt: row.next_run_at,
    lagSeconds: row.lag,
    errorCode: row.error_code,
    errorDetail: row.error_detail,
  };
}
