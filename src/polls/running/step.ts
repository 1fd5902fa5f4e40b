import type { PollResource } from '../../catalog/schema/provider-polls.schema.ts';
import type { ConnectionClient } from '../../credentials/calling/connection-client.ts';
import type { AppendEvents } from '../../events/stream/stream.ts';
import { afterCommit } from '../../platform/postgres/after-commit.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { isChangeLog } from '../change-log/read-change-log.ts';
import { buildAccountValues } from '../pages/account-values.ts';
import { advance, endRun, startResync } from '../pages/advance.ts';
import { pageLimits } from '../pages/page-limits.ts';
import { beginPass, chooseSource, planPhases, planRequest, planResync } from '../pages/plan-run.ts';
import { describeRefusal } from '../pages/poll-failure.ts';
import type { PollTask } from '../pages/poll-task.ts';
import type { Pass, Phase, Progress } from '../pages/progress.ts';
import type { OpenCaller } from '../pages/provider-caller.ts';
import { isCursorExpired, type Page, type ProviderResponse, readPage } from '../pages/read-response.ts';
import { keepLatestById } from '../records/detect-changes.ts';
import { hashRecords } from '../records/fingerprint.ts';
import type { FingerprintsStore } from '../records/fingerprints.store.ts';
import { buildEvents, type PollTarget } from '../records/poll-events.ts';
import { writePage } from '../records/write-page.ts';
import { createChangeLogSteps } from './change-log-steps.ts';
import type { PollProgressStore } from './poll-progress.store.ts';
import type { PageCommit, StepEnd, TakeStep } from './step-end.ts';
import { createSweep } from './sweep.ts';

/**
 * One step of a poll: a page asked for, and then in one transaction its fingerprints, the way that the poll has come,
 * and its events. A crash before the commit leaves nothing of the page, and it is read again. Throws PollFailure,
 * UnreadableAnswerError, OutboundError and refusals of a refresh.
 */
export function createTakeStep(deps: {
  db: Db;
  progressStore: PollProgressStore;
  fingerprints: FingerprintsStore;
  append: AppendEvents;
  openCaller: OpenCaller;
  /** Counts fingerprints that the project makes the store keep. */
  noteAdded(projectId: string, fingerprints: number): void;
  /** Throws PollFailure (`rate_limited`) where the provider refuses for now. */
  noteAnswer(task: PollTask, connection: ConnectionClient, answer: ProviderResponse): void;
}): TakeStep {
  const { db, progressStore, fingerprints } = deps;
  const sweep = createSweep({ ...deps, save });
  const takeChangeLogStep = createChangeLogSteps({ ...deps, save, commitPage });

  return async (given, target, signal) => {
    const task = { ...given, progress: planNewRun(given, target.resource) };
    const [phase] = task.progress.todo;
    if (phase === undefined) return finishRun(task);
    if (phase === 'sweep') return sweep(task, target);
    if (isChangeLog(target.resource)) return takeChangeLogStep(task, target, { phase, signal });
    return readNextPage(task, target, { phase, signal });
  };

  async function readNextPage(
    task: PollTask,
    target: PollTarget,
    { phase, signal }: { phase: Phase; signal: AbortSignal },
  ): Promise<StepEnd> {
    const { connection, resource } = target;
    const { progress, options, nowMs } = task;
    const pass = progress.pass ?? beginPass(resource, progress, phase, nowMs);
    const caller = deps.openCaller(connection, resource);
    const variables = buildAccountValues(task.accountId, connection.variables);
    const request = planRequest({ resource, options, progress, phase, pass, nowMs, variables });
    const answer = await caller.send(request, pageLimits(signal));
    deps.noteAnswer(task, connection, answer);
    if (isCursorExpired(resource, answer)) return save(task, startResync(progress, planResync(resource)));
    if (answer.status >= 300 && answer.status !== 304) throw describeRefusal(answer, caller.secrets());
    const page = await readPage({ resource, phase, progress, pass }, answer);
    return processPage(task, target, { phase, pass, page });
  }

  async function processPage(
    task: PollTask,
    target: PollTarget,
    { phase, pass, page }: { phase: Phase; pass: Pass; page: Page },
  ): Promise<StepEnd> {
    const { resource } = target;
    const records = await hashRecords(
      keepLatestById(page.records, isNewestFirst(resource, phase)),
      resource.record.ignore,
    );
    return commitPage(task, target, {
      write: (trx) => writePage({ trx, fingerprints }, task, resource, { records, phase }),
      progressAfter: (changedRecords) =>
        advance({
          resource,
          progress: task.progress,
          phase,
          pass,
          page,
          changedRecords,
          deletes: task.options.deletes,
          nowMs: task.nowMs,
        }),
    });
  }

  async function commitPage(
    task: PollTask,
    target: PollTarget,
    { write, progressAfter }: PageCommit,
  ): Promise<StepEnd> {
    return db.transaction(async (trx) => {
      if (!(await progressStore.lockStep(trx, task))) return { task, outcome: 'lost' };
      const { changedRecords, added = 0, changes } = await write(trx);
      const progress = progressAfter(changedRecords);
      const isRunOver = progress.todo.length === 0;
      const next = await progressStore.saveStep(trx, task, {
        progress: isRunOver ? endRun(progress) : progress,
        isRunOver,
      });
      afterCommit(trx, () => deps.noteAdded(task.projectId, added));
      await deps.append(trx, task.projectId, buildEvents(task, target, changes));
      return { task: next, outcome: isRunOver ? 'over' : 'more' };
    });
  }

  async function finishRun(task: PollTask): Promise<StepEnd> {
    const end = await save(task, endRun(task.progress), true);
    return { ...end, outcome: end.outcome === 'lost' ? 'lost' : 'over' };
  }

  async function save(task: PollTask, progress: Progress, isRunOver = false): Promise<StepEnd> {
    return db.transaction(async (trx) => {
      if (!(await progressStore.lockStep(trx, task))) return { task, outcome: 'lost' };
      return { task: await progressStore.saveStep(trx, task, { progress, isRunOver }), outcome: 'more' };
    });
  }
}

/** A run that begins gets its phases. */
function planNewRun({ progress, options, nowMs }: PollTask, resource: PollResource): Progress {
  if (progress.todo.length > 0) return progress;
  return { ...progress, todo: [...planPhases(resource, options, progress, nowMs)] };
}

function isNewestFirst(resource: PollResource, phase: Phase): boolean {
  const { changes } = resource;
  return (
    chooseSource(resource, phase) === 'changes' &&
    changes?.by === 'timestamp' &&
    changes.order === 'descending'
  );
}
