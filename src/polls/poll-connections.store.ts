import type { PollResource } from '../catalog/provider-polls.schema.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { PollOptions } from './plan-run.ts';
import { NO_PROGRESS, type Progress, progressSchema } from './progress.ts';

/** A poll of one connection, as a worker takes it up. */
export type PollTask = {
  readonly pollId: string;
  readonly connectionId: string;
  readonly projectId: string;
  readonly integrationId: string;
  readonly endUserId: string;
  readonly subject: string;
  readonly serviceProvider: string;
  readonly resourceName: string | null;
  readonly custom: PollResource | null;
  readonly options: PollOptions;
  readonly intervalSeconds: number;
  readonly isPaused: boolean;
  readonly recordSet: string;
  readonly progress: Progress;
  /** Grows with every page; a worker that has lost its claim writes nothing. */
  readonly step: string;
  readonly failures: number;
  /** The store's clock, in milliseconds. */
  readonly nowMs: number;
  /** Until the next run; negative once it is due. */
  readonly dueInMs: number;
};

/** What a client sees of a poll's connection. */
export type PolledConnection = {
  readonly connectionId: string;
  readonly integrationUserId: string;
  readonly userId: string;
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

export type JobKey = { readonly pollId: string; readonly connectionId: string };

type StepEnd = {
  readonly progress: Progress;
  /** The run is over, at this time by the store's clock when it began. */
  readonly isRunOver: boolean;
};

export type PollConnectionsStore = ReturnType<typeof createPollConnectionsStore>;

/** SQL over how far each poll has come with each connection. */
export function createPollConnectionsStore() {
  async function load(db: Db, { pollId, connectionId }: JobKey): Promise<PollTask | undefined> {
    const { rows } = await db.raw(
      `SELECT s.*, p.integration_id, p.resource, p.custom, p.interval_seconds, p.fields, p.parameters, p.backfill,
              p.deletes, p.scan_interval_seconds, p.paused_at IS NOT NULL AS is_paused, i.service_provider,
              c.end_user_id, u.subject, (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms,
              coalesce(extract(epoch FROM s.next_run_at - clock_timestamp()) * 1000, 0)::float8 AS due_in_ms
         FROM poll_connections AS s
         JOIN polls AS p ON p.id = s.poll_id AND p.project_id = s.project_id
         JOIN integrations AS i ON i.id = p.integration_id AND i.project_id = p.project_id
         JOIN connections AS c ON c.id = s.connection_id AND c.project_id = s.project_id
         JOIN end_users AS u ON u.id = c.end_user_id AND u.project_id = c.project_id
        WHERE s.poll_id = ? AND s.connection_id = ?`,
      [pollId, connectionId],
    );
    return rows[0] && toTask(rows[0]);
  }

  /** Locks the row until the transaction ends. False where another worker has gone on meanwhile. */
  async function lockStep(trx: Db, { pollId, connectionId, step }: PollTask): Promise<boolean> {
    const row = await trx('poll_connections')
      .where({ poll_id: pollId, connection_id: connectionId, step })
      .forUpdate()
      .first('step');
    return row !== undefined;
  }

  /** Writes a step down; the row is locked. Answers the task as it now stands. */
  async function saveStep(trx: Db, task: PollTask, { progress, isRunOver }: StepEnd): Promise<PollTask> {
    const { rows } = await trx.raw(
      `UPDATE poll_connections SET progress = ?::jsonb, step = step + 1, records_seen = ?, pages_read = ?,
              failures = 0, error_code = NULL, error_detail = NULL,
              caught_up_at = CASE WHEN ? THEN run_began_at ELSE caught_up_at END,
              last_run_at = CASE WHEN ? THEN now() ELSE last_run_at END,
              run_began_at = CASE WHEN ? THEN NULL ELSE run_began_at END
        WHERE poll_id = ? AND connection_id = ?
        RETURNING step, (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms`,
      [
        JSON.stringify(progress),
        progress.recordsSeen,
        progress.pagesRead,
        isRunOver,
        isRunOver,
        isRunOver,
        task.pollId,
        task.connectionId,
      ],
    );
    return { ...task, progress, step: rows[0].step, nowMs: Number(rows[0].now_ms), failures: 0 };
  }

  /** A worker takes it up. */
  async function noteStart(db: Db, { pollId, connectionId }: JobKey): Promise<void> {
    await db.raw(
      `UPDATE poll_connections SET is_running = true, run_began_at = coalesce(run_began_at, now())
        WHERE poll_id = ? AND connection_id = ?`,
      [pollId, connectionId],
    );
  }

  /** The worker lets go of it. Answers when it is to go on; undefined where it is gone or paused. */
  async function noteEnd(
    db: Db,
    { pollId, connectionId }: JobKey,
    end: { readonly afterSeconds: number; readonly error?: PollError | null },
  ): Promise<Date | undefined> {
    const { error } = end;
    const { rows } = await db.raw(
      `UPDATE poll_connections AS s
          SET is_running = false, next_run_at = now() + make_interval(secs => ?),
              failures = CASE WHEN ? THEN failures + 1 ELSE failures END,
              error_code = CASE WHEN ? THEN ? ELSE error_code END,
              error_detail = CASE WHEN ? THEN ? ELSE error_detail END
         FROM polls AS p
        WHERE p.id = s.poll_id AND s.poll_id = ? AND s.connection_id = ?
        RETURNING s.next_run_at, p.paused_at IS NOT NULL AS is_paused`,
      [
        end.afterSeconds,
        error?.isFailure === true,
        error !== undefined,
        error?.code ?? null,
        error !== undefined,
        error?.detail ?? null,
        pollId,
        connectionId,
      ],
    );
    const row = rows[0];
    return row === undefined || row.is_paused ? undefined : row.next_run_at;
  }

  /**
   * Adds connections that have none yet to their polls: those of one poll, or those made since `sinceId` and those of
   * polls made since then. Answers the keys that are new.
   */
  async function join(
    db: Db,
    which: { pollId: string } | { sinceId: string },
    limit: number,
  ): Promise<JobKey[]> {
    const pollId = 'pollId' in which ? which.pollId : null;
    const sinceId = 'sinceId' in which ? which.sinceId : null;
    const { rows } = await db.raw(
      `INSERT INTO poll_connections (poll_id, connection_id, project_id, object_type, hears_webhooks, progress, next_run_at)
       SELECT p.id, c.id, p.project_id, p.object_type, p.parameters = '{}', ?::jsonb,
              CASE WHEN p.paused_at IS NULL THEN now() END
         FROM polls AS p
         JOIN connections AS c ON c.integration_id = p.integration_id AND c.project_id = p.project_id
        WHERE (p.id = ?::uuid OR p.id > ?::uuid OR c.id > ?::uuid)
          AND NOT EXISTS (SELECT 1 FROM poll_connections AS s WHERE s.poll_id = p.id AND s.connection_id = c.id)
        LIMIT ?
       ON CONFLICT DO NOTHING
       RETURNING poll_id, connection_id`,
      [JSON.stringify(NO_PROGRESS), pollId, sinceId, sinceId, limit],
    );
    return rows.map(toKey);
  }

  /** Those that are due for longer than `overdueSeconds`, and those whose connection works again. */
  async function listOverdueOfAnyProject(db: Db, overdueSeconds: number, limit: number): Promise<JobKey[]> {
    const { rows } = await db.raw(
      `SELECT s.poll_id, s.connection_id FROM poll_connections AS s
         JOIN polls AS p ON p.id = s.poll_id
        WHERE p.paused_at IS NULL AND s.next_run_at < now() - make_interval(secs => ?)
        ORDER BY s.next_run_at LIMIT ?`,
      [overdueSeconds, limit],
    );
    return rows.map(toKey);
  }

  /** Polls that waited for the user to authorize again, and whose connection has been since: due now. */
  async function wakeReauthorizedOfAnyProject(db: Db, limit: number): Promise<JobKey[]> {
    const { rows } = await db.raw(
      `UPDATE poll_connections AS s SET next_run_at = now(), error_code = NULL, error_detail = NULL, failures = 0
        WHERE (s.poll_id, s.connection_id) IN (
          SELECT w.poll_id, w.connection_id FROM poll_connections AS w
            JOIN connections AS c ON c.id = w.connection_id AND c.status = 'active'
           WHERE w.error_code = 'reauthorization_required' LIMIT ? FOR UPDATE OF w SKIP LOCKED)
        RETURNING s.poll_id, s.connection_id`,
      [limit],
    );
    return rows.map(toKey);
  }

  /** All of a poll's connections are due now. Answers the first of them. */
  async function makeDue(trx: Db, pollId: string, limit: number): Promise<JobKey[]> {
    const { rows } = await trx.raw(
      `WITH due AS (UPDATE poll_connections SET next_run_at = now() WHERE poll_id = ? RETURNING poll_id, connection_id)
       SELECT poll_id, connection_id FROM due LIMIT ?`,
      [pollId, limit],
    );
    return rows.map(toKey);
  }

  async function listOfPoll(
    db: Db,
    pollId: string,
    {
      afterId,
      limit,
      connectionId,
    }: { afterId?: string | undefined; limit: number; connectionId?: string | undefined },
  ): Promise<PolledConnection[]> {
    const { rows } = await db.raw(
      `SELECT s.*, p.paused_at IS NOT NULL AS is_paused, c.end_user_id, u.subject, c.account_name,
              extract(epoch FROM now() - s.caught_up_at)::integer AS lag
         FROM poll_connections AS s
         JOIN polls AS p ON p.id = s.poll_id
         JOIN connections AS c ON c.id = s.connection_id AND c.project_id = s.project_id
         JOIN end_users AS u ON u.id = c.end_user_id AND u.project_id = c.project_id
        WHERE s.poll_id = ? AND (?::uuid IS NULL OR s.connection_id < ?::uuid)
          AND (?::uuid IS NULL OR s.connection_id = ?::uuid)
        ORDER BY s.connection_id DESC LIMIT ?`,
      [pollId, afterId ?? null, afterId ?? null, connectionId ?? null, connectionId ?? null, limit],
    );
    return rows.map(toPolledConnection);
  }

  async function listPolledConnectionsOfAnyProject(
    db: Db,
    limit: number,
  ): Promise<{ connectionId: string; integrationId: string; projectId: string; serviceProvider: string }[]> {
    const { rows } = await db.raw(
      `SELECT s.connection_id AS "connectionId", p.integration_id AS "integrationId", p.project_id AS "projectId",
              i.service_provider AS "serviceProvider"
         FROM poll_connections AS s
         JOIN polls AS p ON p.id = s.poll_id
         JOIN integrations AS i ON i.id = p.integration_id AND i.project_id = p.project_id
        WHERE p.paused_at IS NULL ORDER BY s.last_run_at DESC NULLS LAST LIMIT ?`,
      [limit],
    );
    return rows;
  }

  /** The longest time for which changes have not been read, and how many connections fail, over all polls. */
  async function lagOfAnyProject(
    db: Db,
  ): Promise<{ lagSeconds: number; failing: number; connections: number }> {
    const { rows } = await db.raw(
      `SELECT coalesce(max(extract(epoch FROM now() - coalesce(s.caught_up_at, s.created_at))), 0)::float8 AS lag,
              (count(*) FILTER (WHERE s.failures > 0))::integer AS failing, count(*)::integer AS connections
         FROM poll_connections AS s JOIN polls AS p ON p.id = s.poll_id WHERE p.paused_at IS NULL`,
    );
    return { lagSeconds: rows[0].lag, failing: rows[0].failing, connections: rows[0].connections };
  }

  return {
    load,
    lockStep,
    saveStep,
    noteStart,
    noteEnd,
    join,
    listOverdueOfAnyProject,
    wakeReauthorizedOfAnyProject,
    makeDue,
    listOfPoll,
    listPolledConnectionsOfAnyProject,
    lagOfAnyProject,
  };
}

/** Why a poll of a connection does not go on. `isFailure`: it counts, and the pauses get longer. */
export type PollError = {
  readonly code: string;
  readonly detail: string | null;
  readonly isFailure: boolean;
};

function toKey(row: { poll_id: string; connection_id: string }): JobKey {
  return { pollId: row.poll_id, connectionId: row.connection_id };
}

/** A release before this one may have kept less; what is missing begins anew. */
function toProgress(stored: unknown): Progress {
  const parsed = progressSchema.safeParse({ ...NO_PROGRESS, ...(typeof stored === 'object' ? stored : {}) });
  return parsed.success ? parsed.data : NO_PROGRESS;
}

type TaskRow = {
  poll_id: string;
  connection_id: string;
  project_id: string;
  integration_id: string;
  end_user_id: string;
  subject: string;
  service_provider: string;
  resource: string | null;
  custom: PollResource | null;
  backfill: 'none' | 'full';
  deletes: 'none' | 'scan';
  scan_interval_seconds: number;
  fields: string[];
  parameters: Record<string, string>;
  interval_seconds: number;
  is_paused: boolean;
  record_set: string;
  progress: unknown;
  step: string;
  failures: number;
  now_ms: string;
  due_in_ms: number;
};

function toTask(row: TaskRow): PollTask {
  return {
    pollId: row.poll_id,
    connectionId: row.connection_id,
    projectId: row.project_id,
    integrationId: row.integration_id,
    endUserId: row.end_user_id,
    subject: row.subject,
    serviceProvider: row.service_provider,
    resourceName: row.resource,
    custom: row.custom,
    options: {
      backfill: row.backfill,
      deletes: row.deletes,
      scanIntervalMs: row.scan_interval_seconds * 1000,
      fields: row.fields,
      parameters: row.parameters,
    },
    intervalSeconds: row.interval_seconds,
    isPaused: row.is_paused,
    recordSet: row.record_set,
    progress: toProgress(row.progress),
    step: row.step,
    failures: row.failures,
    nowMs: Number(row.now_ms),
    dueInMs: row.due_in_ms,
  };
}

function toPolledConnection(row: {
  connection_id: string;
  end_user_id: string;
  subject: string;
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
