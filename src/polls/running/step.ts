import type { PollResource } from '../../catalog/schema/provider-polls.schema.ts';
import type { ConnectionClient } from '../../credentials/calling/connection-client.ts';
import type { AppendEvents } from '../../events/stream/stream.ts';
import { afterCommit } from '../../platform/postgres/after-commit.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { subjectValues } from '../pages/account-values.ts';
import { advance, endRun, startResync } from '../pages/advance.ts';
import { pageLimits } from '../pages/page-limits.ts';
import { beginPass, nextAsk, sourceOf, tasksOf, tasksOfResync } from '../pages/plan-run.ts';
import { refusalOf } from '../pages/poll-failure.ts';
import type { PollTask } from '../pages/poll-task.ts';
import type { Pass, Progress, Task } from '../pages/progress.ts';
import type { CallerOf } from '../pages/provider-caller.ts';
import { isCursorExpired, type Page, type ProviderAnswer, readPage } from '../pages/read-answer.ts';
import { latestById } from '../records/detect-changes.ts';
import { hashRecords } from '../records/fingerprint.ts';
import type { FingerprintsStore } from '../records/fingerprints.store.ts';
import { eventsOf, type Subject } from '../records/poll-events.ts';
import { writePage } from '../records/write-page.ts';
import { createLogSteps, isLogTask } from './change-log-steps.ts';
import type { PollConnectionsStore } from './poll-progress.store.ts';
import type { StepEnd, TakeStep, Telling } from './step-end.ts';
import { createSweep } from './sweep.ts';

/**
 * One step of a poll: a page asked for, and then in one transaction its fingerprints, the way that the poll has come,
 * and its events. A crash before the commit leaves nothing of the page, and it is read again. Throws PollFailure,
 * UnreadableAnswerError, OutboundError and refusals of a refresh.
 */
export function createTakeStep(deps: {
  db: Db;
  connections: PollConnectionsStore;
  fingerprints: FingerprintsStore;
  append: AppendEvents;
  callerOf: CallerOf;
  /** Counts fingerprints that the project makes the store keep. */
  noteAdded(projectId: string, fingerprints: number): void;
  /** Throws PollFailure (`rate_limited`) where the provider refuses for now. */
  noteAnswer(task: PollTask, connection: ConnectionClient, answer: ProviderAnswer): void;
}): TakeStep {
  const { db, connections, fingerprints } = deps;
  const sweep = createSweep({ ...deps, save });
  const takeLogStep = createLogSteps({ ...deps, save, tell });

  return async (given, subject, signal) => {
    const task = { ...given, progress: withTasks(given, subject.resource) };
    const [current] = task.progress.todo;
    if (current === undefined) return endOfRun(task);
    if (current === 'sweep') return sweep(task, subject);
    if (isLogTask(subject.resource)) return takeLogStep(task, subject, { current, signal });
    const pass = task.progress.pass ?? beginPass(subject.resource, task.progress, current, task.nowMs);
    const caller = deps.callerOf(subject.connection, subject.resource);
    const answer = await askProvider(task, subject, { current, pass, signal, caller });
    if (isCursorExpired(subject.resource, answer)) {
      return save(task, startResync(task.progress, tasksOfResync(subject.resource)));
    }
    if (answer.status >= 300 && answer.status !== 304) throw refusalOf(answer, caller.secrets());
    const page = await readPage(
      { resource: subject.resource, task: current, progress: task.progress, pass },
      answer,
    );
    return tellPage(task, subject, { current, pass, page });
  };

  async function askProvider(
    task: PollTask,
    { connection, resource }: Subject,
    {
      current,
      pass,
      signal,
      caller,
    }: { current: Task; pass: Pass; signal: AbortSignal; caller: ReturnType<CallerOf> },
  ): Promise<ProviderAnswer> {
    const { progress, options, nowMs } = task;
    const variables = subjectValues(task.accountId, connection.variables);
    const ask = nextAsk({ resource, options, progress, task: current, pass, nowMs, variables });
    const answer = await caller.send(ask, pageLimits(signal));
    deps.noteAnswer(task, connection, answer);
    return answer;
  }

  async function tellPage(
    task: PollTask,
    subject: Subject,
    { current, pass, page }: { current: Task; pass: Pass; page: Page },
  ): Promise<StepEnd> {
    const { resource } = subject;
    const records = await hashRecords(
      latestById(page.records, isNewestFirst(resource, current)),
      resource.record.ignore,
    );
    return tell(task, subject, {
      write: (trx) => writePage({ trx, fingerprints }, task, resource, { records, current }),
      progressAfter: (news) =>
        advance({
          resource,
          progress: task.progress,
          task: current,
          pass,
          page,
          news,
          deletes: task.options.deletes,
          nowMs: task.nowMs,
        }),
    });
  }

  async function tell(task: PollTask, subject: Subject, { write, progressAfter }: Telling): Promise<StepEnd> {
    return db.transaction(async (trx) => {
      if (!(await connections.lockStep(trx, task))) return { task, outcome: 'lost' };
      const { news, added = 0, changes } = await write(trx);
      const progress = progressAfter(news);
      const isRunOver = progress.todo.length === 0;
      const next = await connections.saveStep(trx, task, {
        progress: isRunOver ? endRun(progress) : progress,
        isRunOver,
      });
      afterCommit(trx, () => deps.noteAdded(task.projectId, added));
      await deps.append(trx, task.projectId, eventsOf(task, subject, changes));
      return { task: next, outcome: isRunOver ? 'over' : 'more' };
    });
  }

  async function endOfRun(task: PollTask): Promise<StepEnd> {
    const end = await save(task, endRun(task.progress), true);
    return { ...end, outcome: end.outcome === 'lost' ? 'lost' : 'over' };
  }

  async function save(task: PollTask, progress: Progress, isRunOver = false): Promise<StepEnd> {
    return db.transaction(async (trx) => {
      if (!(await connections.lockStep(trx, task))) return { task, outcome: 'lost' };
      return { task: await connections.saveStep(trx, task, { progress, isRunOver }), outcome: 'more' };
    });
  }
}

/** A run that begins gets its tasks. */
function withTasks({ progress, options, nowMs }: PollTask, resource: PollResource): Progress {
  if (progress.todo.length > 0) return progress;
  return { ...progress, todo: [...tasksOf(resource, options, progress, nowMs)] };
}

function isNewestFirst(resource: PollResource, task: Task): boolean {
  const { changes } = resource;
  return (
    sourceOf(resource, task) === 'changes' && changes?.by === 'timestamp' && changes.order === 'descending'
  );
}
