import { pickWaitRules } from '../../catalog/facts/read-retry-after.ts';
import type { Provider } from '../../catalog/schema/provider.schema.ts';
import type { PollResource } from '../../catalog/schema/provider-polls.schema.ts';
import type { OpenConnection } from '../../credentials/calling/connection-client.ts';
import { isUuid } from '../../lib/ids.ts';
import type { JobHandler } from '../../platform/job-queue.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Providers } from '../../providers/custom-providers.ts';
import { PollFailure, pauseAfter, toPollFailure } from '../pages/poll-failure.ts';
import { hasMoved, type PollTask } from '../pages/poll-task.ts';
import type { Allowances } from '../rate-limits/rate-budgets.ts';
import type { JobKey, PollConnectionsStore } from './poll-progress.store.ts';
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

const STORAGE_WORDS =
  'The project keeps as much in the gateway as it may; it goes on when there is room again.';

/** The resource of a poll: its own, or one of the provider's. */
export function resourceOf(
  poll: { readonly custom: PollResource | null; readonly resource: string | null },
  provider: Pick<Provider, 'polls'> | undefined,
): PollResource | undefined {
  if (poll.custom !== null) return poll.custom;
  const { polls = {} } = provider ?? {};
  return poll.resource !== null && Object.hasOwn(polls, poll.resource) ? polls[poll.resource] : undefined;
}

/** Whose allowance the calls of a connection use up. */
export function allowanceIdOf(
  { rateLimit }: Pick<Provider, 'rateLimit'>,
  owner: { readonly connectionId: string; readonly integrationId: string },
): string {
  return rateLimit?.of === 'integration' ? owner.integrationId : owner.connectionId;
}

export function jobKeyOf({ pollId, connectionId }: JobKey): string {
  return `${pollId}:${connectionId}`;
}

export type RunPoll = JobHandler;

/**
 * The job `poll`: takes steps with one connection until the run is over or the slice is, and answers when to go on.
 * Rejects only for trouble of the gateway's own, such as a store that is away.
 */
export function createRunPoll(deps: {
  db: Db;
  providers: Providers;
  connections: PollConnectionsStore;
  openConnection: OpenConnection;
  allowances: Pick<Allowances, 'watch' | 'waitMs'>;
  takeStep: TakeStep;
  /** Whether the project keeps as much in the store as it may. */
  isFull(projectId: string): Promise<boolean>;
  countRun(outcome: string): void;
  random(): number;
  log: { warn(fields: object, message: string): void };
}): RunPoll {
  const { db, connections, allowances } = deps;

  async function runSlice(task: PollTask, signal: AbortSignal): Promise<{ afterSeconds: number }> {
    const { connectionId, projectId, integrationId } = task;
    const provider = await deps.providers.find(projectId, task.serviceProvider, task.grant);
    const resource = resourceOf({ custom: task.custom, resource: task.resourceName }, provider);
    if (provider === undefined || resource === undefined) {
      throw new PollFailure('resource_unknown', 'The catalog has no such resource any more.');
    }
    const connection = await deps.openConnection({ connectionId, projectId });
    const allowanceId = allowanceIdOf(provider, { connectionId, integrationId });
    allowances.watch(connectionId, { allowanceId, rules: pickWaitRules(provider) });
    const endsAt = performance.now() + SLICE_MS_MAX;
    let current = task;
    for (
      let pages = 0;
      pages < SLICE_PAGES_MAX && performance.now() < endsAt && !signal.aborted;
      pages += 1
    ) {
      const waitMs = await allowances.waitMs(allowanceId);
      if (waitMs > 0) throw new PollFailure('rate_limited', null, waitMs);
      if (await deps.isFull(projectId)) {
        throw new PollFailure('project_storage_full', STORAGE_WORDS, STORAGE_PAUSE_MS);
      }
      const end = await deps.takeStep(current, { connection, resource }, signal);
      if (end.outcome === 'over') {
        deps.countRun('completed');
        return { afterSeconds: task.intervalSeconds * (1 - deps.random() / 50) };
      }
      if (end.outcome === 'lost') break;
      current = end.task;
    }
    return { afterSeconds: 0 };
  }

  async function endFailed(task: PollTask, thrown: unknown): Promise<Date | undefined> {
    const failure = toPollFailure(thrown);
    deps.countRun(failure.code);
    if (failure.code === 'page_too_large' && (await halvePages(task))) {
      return connections.noteEnd(db, task, { afterSeconds: 0 });
    }
    const { afterSeconds, error } = pauseAfter(failure, task.failures, deps.random());
    const fields = { pollId: task.pollId, connectionId: task.connectionId, code: failure.code };
    if (error.isFailure) deps.log.warn(fields, 'a poll failed and will be tried again');
    return connections.noteEnd(db, task, { afterSeconds, error });
  }

  async function halvePages({ pollId, connectionId }: PollTask): Promise<boolean> {
    const task = await connections.load(db, { pollId, connectionId });
    if (task === undefined) return false;
    const provider = await deps.providers.find(task.projectId, task.serviceProvider, task.grant);
    const resource = resourceOf({ custom: task.custom, resource: task.resourceName }, provider);
    // The file of a log is as long as it is.
    if (resource?.changes?.by === 'log') return false;
    const size = task.progress.pageSize ?? resource?.pageSize ?? PAGE_SIZE_MIN;
    if (size <= PAGE_SIZE_MIN) return false;
    const pageSize = Math.max(PAGE_SIZE_MIN, Math.floor(size / 2));
    return db.transaction(async (trx) => {
      if (!(await connections.lockStep(trx, task))) return true;
      await connections.saveStep(trx, task, { progress: { ...task.progress, pageSize }, isRunOver: false });
      return true;
    });
  }

  return async (key, signal) => {
    const [pollId = '', connectionId = ''] = key.split(':');
    if (!isUuid(pollId) || !isUuid(connectionId)) return undefined;
    const task = await connections.load(db, { pollId, connectionId });
    if (task === undefined || task.isPaused) return undefined;
    const { projectId } = task;
    if (hasMoved(task)) {
      await connections.beginAnewWhereMoved(db, connectionId);
      return { runAgainAt: new Date(task.nowMs), projectId };
    }
    if (task.dueInMs > EARLY_MS) return { runAgainAt: new Date(task.nowMs + task.dueInMs), projectId };
    await connections.noteStart(db, task);
    const runAgainAt = await runSlice(task, signal).then(
      ({ afterSeconds }) => connections.noteEnd(db, task, { afterSeconds, error: null }),
      (error: unknown) => {
        // The process stops, or another one works on it.
        if (signal.aborted) return connections.noteEnd(db, task, { afterSeconds: 0 });
        return endFailed(task, error);
      },
    );
    return runAgainAt && { runAgainAt, projectId };
  };
}
