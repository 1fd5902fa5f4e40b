import type { Db } from '../../platform/postgres/database.ts';
import type { PollError } from '../pages/poll-failure.ts';
import type { PollTask } from '../pages/poll-task.ts';
import { NO_PROGRESS, type Progress } from '../pages/progress.ts';
import { toTask } from './poll-task-row.ts';

export type JobKey = { readonly pollId: string; readonly connectionId: string };

/** A connection of a poll that a job is to work on. */
export type DuePoll = JobKey & { readonly projectId: string };

/** Whose records a connection (`c`) reads: one grant may reach several tenants, whose records are not the same. */
const ACCOUNT = 'coalesce(c.tenant_id, c.account_id)';

/** Whether a poll (`p`) of an integration (`i`) and a project (`o`) does nothing for now. */
export const IS_PAUSED = '(p.paused_at IS NOT NULL OR i.disabled_at IS NOT NULL OR o.frozen_at IS NOT NULL)';

/** A member of the stored progress that only this store knows: a run was asked for, which has not begun. */
const RUN_WANTED = 'isRunWanted';

/** Before every id. */
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

type StepEnd = {
  readonly progress: Progress;
  /** The run is over, at this time by the store's clock when it began. */
  readonly isRunOver: boolean;
};

export type PollProgressStore = ReturnType<typeof createPollProgressStore>;

/** SQL over how far each poll has come with each connection. */
export function createPollProgressStore() {
  return {
    load,
    lockStep,
    restartWhereMoved,
    saveStep,
    noteStart,
    noteEnd,
    join,
    listOverdueOfAnyProject,
    listOfProject,
    wakeReauthorizedOfAnyProject,
    makeDue,
  };
}

async function load(db: Db, { pollId, connectionId }: JobKey): Promise<PollTask | undefined> {
  const { rows } = await db.raw(
    `SELECT s.*, p.integration_id, p.resource, p.custom, p.interval_seconds, p.fields, p.parameters, p.backfill,
            p.deletes, p.scan_interval_seconds, i.service_provider,
            ${IS_PAUSED} AS is_paused,
            i."grant", c.end_user_id, c.account_id, ${ACCOUNT} AS present_account, u.subject, u.organization, (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms,
            coalesce(extract(epoch FROM s.next_run_at - clock_timestamp()) * 1000, 0)::float8 AS due_in_ms
       FROM poll_connections AS s
       JOIN polls AS p ON p.id = s.poll_id AND p.project_id = s.project_id
       JOIN projects AS o ON o.id = s.project_id
       JOIN integrations AS i ON i.id = p.integration_id AND i.project_id = p.project_id AND i.deleted_at IS NULL
       JOIN connections AS c ON c.id = s.connection_id AND c.project_id = s.project_id
       JOIN end_users AS u ON u.id = c.end_user_id AND u.project_id = c.project_id
      WHERE s.poll_id = ? AND s.connection_id = ?`,
    [pollId, connectionId],
  );
  return rows[0] && toTask(rows[0]);
}

/**
 * Locks the row until the transaction ends. False where another worker has gone on meanwhile, or where the connection
 * has moved to another account, so that the page may be of either.
 */
async function lockStep(
  trx: Db,
  { projectId, pollId, connectionId, step, account }: PollTask,
): Promise<boolean> {
  const { rows } = await trx.raw(
    `SELECT 1 FROM poll_connections AS s
       JOIN connections AS c ON c.id = s.connection_id AND c.project_id = s.project_id
      WHERE s.project_id = ? AND s.poll_id = ? AND s.connection_id = ? AND s.step = ? AND ${ACCOUNT} IS NOT DISTINCT FROM ?
        FOR UPDATE OF s`,
    [projectId, pollId, connectionId, step, account],
  );
  return rows.length > 0;
}

/**
 * Polls of a connection that has moved to another account begin again with it, now: nothing is known of its records,
 * and those of the account before are not reported as deleted. Their fingerprints are left to the chore that deletes those
 * of no poll. Answers which polls.
 */
async function restartWhereMoved(db: Db, connectionId: string): Promise<DuePoll[]> {
  const { rows } = await db.raw(
    `UPDATE poll_connections AS s
        SET record_set = DEFAULT, account = ${ACCOUNT}, progress = ?::jsonb, step = step + 1, records_seen = 0,
            pages_read = 0, next_run_at = now(), last_run_at = NULL, run_began_at = NULL, caught_up_at = NULL,
            failures = 0, error_code = NULL, error_detail = NULL
       FROM connections AS c
      WHERE c.id = s.connection_id AND c.project_id = s.project_id AND s.connection_id = ?
        AND s.account <> ${ACCOUNT}
      RETURNING s.poll_id, s.connection_id, s.project_id`,
    [JSON.stringify(NO_PROGRESS), connectionId],
  );
  return rows.map(toKey);
}

/** Writes a step down; the row is locked. Answers the task as it now stands. */
async function saveStep(trx: Db, task: PollTask, { progress, isRunOver }: StepEnd): Promise<PollTask> {
  const { rows } = await trx.raw(
    `UPDATE poll_connections
        SET progress = ?::jsonb || jsonb_build_object('${RUN_WANTED}', progress -> '${RUN_WANTED}'), step = step + 1, records_seen = ?, pages_read = ?,
            failures = 0, error_code = NULL, error_detail = NULL,
            caught_up_at = CASE WHEN ? THEN run_began_at ELSE caught_up_at END,
            last_run_at = CASE WHEN ? THEN now() ELSE last_run_at END,
            run_began_at = CASE WHEN ? THEN NULL ELSE run_began_at END
      WHERE project_id = ? AND poll_id = ? AND connection_id = ?
      RETURNING step, (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms`,
    [
      JSON.stringify(progress),
      progress.recordsSeen,
      progress.pagesRead,
      isRunOver,
      isRunOver,
      isRunOver,
      task.projectId,
      task.pollId,
      task.connectionId,
    ],
  );
  return { ...task, progress, step: rows[0].step, nowMs: Number(rows[0].now_ms), failures: 0 };
}

/** A worker takes it up. */
async function noteStart(db: Db, { projectId, pollId, connectionId, account }: PollTask): Promise<void> {
  await db.raw(
    `UPDATE poll_connections SET is_running = true, run_began_at = coalesce(run_began_at, now()),
            account = coalesce(account, ?),
            progress = CASE WHEN run_began_at IS NULL THEN progress - '${RUN_WANTED}' ELSE progress END
      WHERE project_id = ? AND poll_id = ? AND connection_id = ?`,
    [account, projectId, pollId, connectionId],
  );
}

/**
 * The worker lets go of it. Answers when it is to go on; undefined where it is gone or paused. A run that was asked for
 * during this one begins at once when this one is over.
 */
async function noteEnd(
  db: Db,
  { projectId, pollId, connectionId }: JobKey & Pick<PollTask, 'projectId'>,
  end: { readonly afterSeconds: number; readonly error?: PollError | null },
): Promise<Date | undefined> {
  const { error } = end;
  const { rows } = await db.raw(
    `UPDATE poll_connections AS s
        SET is_running = false,
            next_run_at = now() + make_interval(
              secs => CASE WHEN run_began_at IS NULL AND progress -> '${RUN_WANTED}' = 'true' THEN 0 ELSE ?::float8 END),
            failures = CASE WHEN ? THEN failures + 1 ELSE failures END,
            error_code = CASE WHEN ? THEN ? ELSE error_code END,
            error_detail = CASE WHEN ? THEN ? ELSE error_detail END
       FROM polls AS p
      WHERE p.id = s.poll_id AND p.project_id = s.project_id
        AND s.project_id = ? AND s.poll_id = ? AND s.connection_id = ?
      RETURNING s.next_run_at, p.paused_at IS NOT NULL AS is_paused`,
    [
      end.afterSeconds,
      error?.isFailure === true,
      error !== undefined,
      error?.code ?? null,
      error !== undefined,
      error?.detail ?? null,
      projectId,
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
): Promise<DuePoll[]> {
  // One condition for both ages would read every connection that there is.
  const missing =
    'pollId' in which
      ? selectMissing('p.id = :pollId')
      : `${selectMissing('p.id > :sinceId')} UNION ${selectMissing('c.id > :sinceId')}`;
  const { rows } = await db.raw(
    `INSERT INTO poll_connections (poll_id, connection_id, project_id, object_type, hears_webhooks, progress, next_run_at)
     SELECT p.id, m.connection_id, p.project_id, p.object_type, p.parameters = '{}', CAST(:progress AS jsonb),
            CASE WHEN p.paused_at IS NULL THEN now() END
       FROM (${missing}) AS m JOIN polls AS p ON p.id = m.poll_id
      LIMIT :limit
     ON CONFLICT DO NOTHING
     RETURNING poll_id, connection_id, project_id`,
    { progress: JSON.stringify(NO_PROGRESS), limit, ...which },
  );
  return rows.map(toKey);
}

const selectMissing = (condition: string) => `(
  SELECT p.id AS poll_id, c.id AS connection_id
    FROM polls AS p
    JOIN connections AS c ON c.integration_id = p.integration_id AND c.project_id = p.project_id
   WHERE ${condition}
     AND NOT EXISTS (SELECT 1 FROM poll_connections AS s WHERE s.poll_id = p.id AND s.connection_id = c.id)
   LIMIT :limit)`;

/** Those that are due for longer than `overdueSeconds`, such as of integrations that were switched off for a while, and those whose connection works again. */
async function listOverdueOfAnyProject(db: Db, overdueSeconds: number, limit: number): Promise<DuePoll[]> {
  const { rows } = await db.raw(
    `SELECT s.poll_id, s.connection_id, s.project_id FROM poll_connections AS s
       JOIN polls AS p ON p.id = s.poll_id
       JOIN integrations AS i ON i.id = p.integration_id AND i.disabled_at IS NULL
       JOIN projects AS o ON o.id = s.project_id AND o.frozen_at IS NULL
      WHERE p.paused_at IS NULL AND s.next_run_at < now() - make_interval(secs => ?)
      ORDER BY s.next_run_at LIMIT ?`,
    [overdueSeconds, limit],
  );
  return rows.map(toKey);
}

/** Polls of a project, due or not; `after` is the last one of the page before. */
async function listOfProject(
  db: Db,
  { projectId, after }: { readonly projectId: string; readonly after: DuePoll | undefined },
  limit: number,
): Promise<DuePoll[]> {
  const { rows } = await db.raw(
    `SELECT s.poll_id, s.connection_id, s.project_id FROM poll_connections AS s
       JOIN polls AS p ON p.id = s.poll_id AND p.project_id = s.project_id AND p.paused_at IS NULL
      WHERE s.project_id = ? AND (s.poll_id, s.connection_id) > (?, ?)
      ORDER BY s.poll_id, s.connection_id LIMIT ?`,
    [projectId, after?.pollId ?? BEFORE_ALL, after?.connectionId ?? BEFORE_ALL, limit],
  );
  return rows.map(toKey);
}

/** Polls that waited for the user to authorize again, and whose connection has been since: due now. */
async function wakeReauthorizedOfAnyProject(db: Db, limit: number): Promise<DuePoll[]> {
  const { rows } = await db.raw(
    `UPDATE poll_connections AS s SET next_run_at = now(), error_code = NULL, error_detail = NULL, failures = 0
      WHERE (s.poll_id, s.connection_id) IN (
        SELECT w.poll_id, w.connection_id FROM poll_connections AS w
          JOIN connections AS c ON c.id = w.connection_id AND c.status = 'active'
         WHERE w.error_code = 'reauthorization_required' LIMIT ? FOR UPDATE OF w SKIP LOCKED)
      RETURNING s.poll_id, s.connection_id, s.project_id`,
    [limit],
  );
  return rows.map(toKey);
}

/** All of a poll's connections are due now, and once more after a run that is under way. Answers the first of them. */
async function makeDue(trx: Db, pollId: string, limit: number): Promise<DuePoll[]> {
  const { rows } = await trx.raw(
    `WITH due AS (
       UPDATE poll_connections SET next_run_at = now(), progress = progress || '{"${RUN_WANTED}": true}'
        WHERE poll_id = ? RETURNING poll_id, connection_id, project_id)
     SELECT poll_id, connection_id, project_id FROM due LIMIT ?`,
    [pollId, limit],
  );
  return rows.map(toKey);
}

function toKey(row: { poll_id: string; connection_id: string; project_id: string }): DuePoll {
  return { pollId: row.poll_id, connectionId: row.connection_id, projectId: row.project_id };
}
