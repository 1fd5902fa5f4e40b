import { setImmediate as nextTurn } from 'node:timers/promises';
import { pickWaitRules } from '../../catalog/facts/read-retry-after.ts';
import type { Provider } from '../../catalog/schema/provider.schema.ts';
import type { PollResource } from '../../catalog/schema/provider-polls.schema.ts';
import type { OpenConnection } from '../../credentials/calling/connection-client.ts';
import { isUuid } from '../../lib/ids.ts';
import { CLAIM_LOST, type JobHandler } from '../../platform/job-worker.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Providers } from '../../providers/custom-providers.ts';
import { isChangeLog } from '../change-log/read-change-log.ts';
import { returnToFirstPage } from '../pages/advance.ts';
import { PollFailure, pauseAfter, toPollFailure } from '../pages/poll-failure.ts';
import { hasMoved, type PollTask } from '../pages/poll-task.ts';
import type { Progress } from '../pages/progress.ts';
import { findRateBudgetId } from '../rate-limits/rate-budget.ts';
import type { RateBudgets } from '../rate-limits/rate-budgets.ts';
import type { JobKey, PollProgressStore } from './poll-progress.store.ts';
import type { TakeStep } from './step-end.ts';

/** One connection of a poll works so long at a time; then others of the queue have their turn. */
const SLICE_PAGES_MAX = 20;
const SLICE_MS_MAX = 10_000;
/** Pages that are too large get fewer records, down to one. */
const PAGE_SIZE_MIN = 1;
/** When a poll of a project that keeps as much as it may looks again. */
const STORAGE_PAUSE_MS = 900_000;
/** A job that comes this much too early is not made to wait. */
const EARLY_MS = 5_000;
/** Refusals in a row, over some quarter of an hour, after which a page counts as forgotten by the provider. */
const REFUSALS_OF_PAGE_MAX = 6;

const STORAGE_WORDS =
  'The project keeps as much in the gateway as it may; it goes on when there is room again.';

/** The resource of a poll: its own, or one of the provider's. */
export function findResource(
  poll: { readonly custom: PollResource | null; readonly resource: string | null },
  provider: Pick<Provider, 'polls'> | undefined,
): PollResource | undefined {
  if (poll.custom !== null) return poll.custom;
  const { polls = {} } = provider ?? {};
  return poll.resource !== null && Object.hasOwn(polls, poll.resource) ? polls[poll.resource] : undefined;
}

export function formatJobKey({ pollId, connectionId }: JobKey): string {
  return `${pollId}:${connectionId}`;
}

export type RunPoll = JobHandler;

/** When the poll goes on. `error` left out: what it was before stays noted. */
type SliceEnd = { readonly afterSeconds: number; readonly error?: null };

/**
 * The job `poll`: takes steps with one connection until the run is over or the slice is, and answers when to go on.
 * Rejects only for trouble of the gateway's own, such as a store that is away.
 */
export function createRunPoll(deps: {
  db: Db;
  providers: Providers;
  progressStore: PollProgressStore;
  openConnection: OpenConnection;
  rateBudgets: Pick<RateBudgets, 'watch' | 'waitMs'>;
  takeStep: TakeStep;
  /** Nothing of the project is polled for now. */
  isHeld?(projectId: string): boolean;
  /** Whether the project keeps as much in the store as it may. */
  isFull(projectId: string): Promise<boolean>;
  countRun(outcome: string): void;
  random(): number;
  log: { warn(fields: object, message: string): void };
}): RunPoll {
  const { db, progressStore, rateBudgets } = deps;

  async function runSlice(task: PollTask, signal: AbortSignal): Promise<SliceEnd> {
    const provider = await deps.providers.find(task.projectId, task.serviceProvider, task.grant);
    const resource = findResource({ custom: task.custom, resource: task.resourceName }, provider);
    if (provider === undefined || resource === undefined) {
      throw new PollFailure('resource_unknown', 'The catalog has no such resource any more.');
    }
    return takeSteps(task, { provider, resource }, signal).catch(async (error: unknown) => {
      if (signal.aborted) throw error;
      const { code, isRequestRefused } = toPollFailure(error);
      const goesOn =
        (code === 'page_too_large' && (await halvePages(task, resource))) ||
        (isRequestRefused && (await leaveForgottenPage(task, resource)));
      if (!goesOn) throw error;
      deps.countRun(code);
      return { afterSeconds: 0 };
    });
  }

  async function takeSteps(
    task: PollTask,
    { provider, resource }: { provider: Provider; resource: PollResource },
    signal: AbortSignal,
  ): Promise<SliceEnd> {
    const { connectionId, projectId } = task;
    const connection = await deps.openConnection({ connectionId, projectId });
    const budgetId = findRateBudgetId(provider, task);
    rateBudgets.watch(connectionId, { budgetId, rules: pickWaitRules(provider) });
    const endsAt = performance.now() + SLICE_MS_MAX;
    let current = task;
    for (
      let pages = 0;
      pages < SLICE_PAGES_MAX && performance.now() < endsAt && !signal.aborted;
      pages += 1
    ) {
      if (deps.isHeld?.(projectId)) break;
      await assertMayRead(projectId, budgetId);
      const end = await deps.takeStep(current, { connection, resource }, signal);
      if (end.outcome === 'over') {
        deps.countRun('completed');
        return { afterSeconds: task.intervalSeconds * (1 - deps.random() / 50), error: null };
      }
      if (end.outcome === 'lost') break;
      current = end.task;
    }
    return { afterSeconds: 0, error: null };
  }

  /** Throws PollFailure where the provider's rate limit or the project's storage leaves no room for a page. */
  async function assertMayRead(projectId: string, budgetId: string): Promise<void> {
    const waitMs = await rateBudgets.waitMs(budgetId);
    if (waitMs > 0) throw new PollFailure('rate_limited', null, waitMs);
    if (await deps.isFull(projectId)) {
      throw new PollFailure('project_storage_full', STORAGE_WORDS, STORAGE_PAUSE_MS);
    }
  }

  async function endFailed(task: PollTask, thrown: unknown): Promise<Date | undefined> {
    const failure = toPollFailure(thrown);
    deps.countRun(failure.code);
    const { afterSeconds, error } = pauseAfter(failure, task.failures, deps.random());
    const fields = { pollId: task.pollId, connectionId: task.connectionId, code: failure.code };
    if (error.isFailure) deps.log.warn(fields, 'a poll failed and will be tried again');
    return progressStore.noteEnd(db, task, { afterSeconds, error });
  }

  /** False where pages cannot be smaller. */
  async function halvePages({ pollId, connectionId }: PollTask, resource: PollResource): Promise<boolean> {
    // The file of a change log is as long as it is.
    if (isChangeLog(resource)) return false;
    const task = await progressStore.load(db, { pollId, connectionId });
    if (task === undefined) return false;
    const size = task.progress.pageSize ?? resource.pageSize;
    if (size <= PAGE_SIZE_MIN) return false;
    const pageSize = Math.max(PAGE_SIZE_MIN, Math.floor(size / 2));
    await save(task, { ...task.progress, pageSize });
    return true;
  }

  /** A provider keeps the token of a page for a while, and refuses it from then on. False where the page may still be known. */
  async function leaveForgottenPage({ pollId, connectionId }: PollTask, resource: PollResource) {
    const task = await progressStore.load(db, { pollId, connectionId });
    if (task === undefined || task.failures < REFUSALS_OF_PAGE_MAX) return false;
    const progress = returnToFirstPage(task.progress, resource);
    if (progress === undefined) return false;
    await save(task, progress);
    return true;
  }

  async function save(task: PollTask, progress: Progress): Promise<void> {
    await db.transaction(async (trx) => {
      if (!(await progressStore.lockStep(trx, task))) return;
      await progressStore.saveStep(trx, task, { progress, isRunOver: false });
    });
  }

  return async (key, signal) => {
    const [pollId = '', connectionId = ''] = key.split(':');
    if (!isUuid(pollId) || !isUuid(connectionId)) return undefined;
    const task = await progressStore.load(db, { pollId, connectionId });
    if (task === undefined || task.isPaused) return undefined;
    const { projectId } = task;
    // Found again as overdue once the project goes on.
    if (deps.isHeld?.(projectId)) return undefined;
    if (hasMoved(task)) {
      await progressStore.restartWhereMoved(db, connectionId);
      return { runAgainAt: new Date(task.nowMs), projectId };
    }
    if (task.dueInMs > EARLY_MS) return { runAgainAt: new Date(task.nowMs + task.dueInMs), projectId };
    await progressStore.noteStart(db, task);
    const runAgainAt = await runSlice(task, signal).then(
      (end) => progressStore.noteEnd(db, task, end),
      async (error: unknown) => {
        // In a process that stood still, the timer that ended the request may come before the one that finds the claim lost.
        await nextTurn();
        // What another process notes of it stays.
        if (signal.reason === CLAIM_LOST) throw error;
        if (signal.aborted) return progressStore.noteEnd(db, task, { afterSeconds: 0 });
        return endFailed(task, error);
      },
    );
    return runAgainAt && { runAgainAt, projectId };
  };
}
