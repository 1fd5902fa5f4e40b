import type { LogChanges } from '../../catalog/schema/provider-polls.schema.ts';
import type { ConnectionClient } from '../../credentials/calling/connection-client.ts';
import { advanceChangeLog } from '../change-log/advance-change-log.ts';
import {
  type ChangeLogPage,
  fetchChangeLogFile,
  readChangeLogEntries,
  readChangeLogResponse,
} from '../change-log/read-change-log.ts';
import { buildListRequest, buildMissingRequests, isSubscribed } from '../change-log/subscriptions.ts';
import { buildAccountValues, requireAccount } from '../pages/account-values.ts';
import { startResync } from '../pages/advance.ts';
import type { FilledRequest } from '../pages/fill-request.ts';
import { pageLimits } from '../pages/page-limits.ts';
import {
  beginPass,
  buildCommonValues,
  type PageRequest,
  planRequest,
  planResync,
} from '../pages/plan-run.ts';
import { describeRefusal, PollFailure } from '../pages/poll-failure.ts';
import type { PollTask } from '../pages/poll-task.ts';
import type { Pass, Phase, Progress } from '../pages/progress.ts';
import type { OpenCaller, ProviderCaller } from '../pages/provider-caller.ts';
import { isCursorExpired, type ProviderResponse } from '../pages/read-response.ts';
import type { PollTarget } from '../records/poll-events.ts';
import type { PageCommit, StepEnd } from './step-end.ts';

/** The address of a file may have expired; then it is asked for once more in the same step. */
const ADDRESSES_MAX = 2;

type Step = { readonly phase: Phase; readonly signal: AbortSignal };
type ChangeLogStep = { readonly task: PollTask; readonly target: PollTarget; readonly changes: LogChanges };

/**
 * One step with a change log: the subscriptions that it lacks are made; or an answer, with the file that it names, is
 * read, and then its events are written in one transaction with the token that follows. Rejects as `TakeStep` does.
 */
export function createChangeLogSteps(deps: {
  openCaller: OpenCaller;
  noteAnswer(task: PollTask, connection: ConnectionClient, answer: ProviderResponse): void;
  save(task: PollTask, progress: Progress): Promise<StepEnd>;
  commitPage(task: PollTask, target: PollTarget, commit: PageCommit): Promise<StepEnd>;
}) {
  return async (task: PollTask, target: PollTarget, { phase, signal }: Step): Promise<StepEnd> => {
    const { resource, connection } = target;
    const { changes } = resource;
    if (changes?.by !== 'log') throw new TypeError('a resource without a change log');
    requireAccount(resource, task.accountId);
    const caller = deps.openCaller(connection, resource);
    const step = { task, target, changes };
    if (phase === 'subscribe') {
      await subscribe(step, caller, signal);
      return deps.save(task, { ...task.progress, todo: task.progress.todo.slice(1) });
    }
    const pass = task.progress.pass ?? beginPass(resource, task.progress, phase, task.nowMs);
    const page = await readPage(step, caller, { phase, pass, signal });
    if (page === 'expired') {
      // How far a file has been read stays noted: it may be the earliest one.
      const { pass: begun } = task.progress;
      const restarted = startResync(task.progress, planResync(resource));
      return deps.save(task, { ...restarted, pass: begun });
    }
    return deps.commitPage(task, target, {
      write: async () => ({ changedRecords: page.entries.length, changes: page.entries }),
      progressAfter: () => advanceChangeLog(task.progress, { pass, page, isStart: phase === 'start' }),
    });
  };

  async function readPage(
    { task, target, changes }: ChangeLogStep,
    caller: ProviderCaller,
    { phase, pass, signal }: Step & { pass: Pass },
  ): Promise<ChangeLogPage | 'expired'> {
    const { resource, connection } = target;
    const { progress, options, nowMs, accountId } = task;
    const variables = buildAccountValues(accountId, connection.variables);
    const request = planRequest({ resource, options, progress, phase, pass, nowMs, variables });
    for (let addresses = 0; addresses < ADDRESSES_MAX; addresses += 1) {
      const answer = await send(task, target, caller, request, signal);
      const isEnd = changes.nothing.includes(answer.status);
      if (!isEnd && progress.token !== null && isCursorExpired(resource, answer)) return 'expired';
      if (!isEnd && answer.status >= 300) throw describeRefusal(answer, caller.secrets());
      const changeLog = await readChangeLogResponse(resource, changes, answer);
      if (changeLog === null) return { entries: [], token: null, nextAt: null };
      if (phase === 'start') return { entries: [], token: changeLog.token, nextAt: null };
      const body =
        changeLog.file === null
          ? answer.body
          : await fetchChangeLogFile(connection, changeLog.file, pageLimits(signal));
      if (body !== undefined) {
        return readChangeLogEntries(resource, changes, { body, token: changeLog.token, pass, accountId });
      }
    }
    throw new PollFailure(
      'provider_unavailable',
      'The provider names a file of its log that it does not give.',
    );
  }

  async function subscribe(
    { task, target, changes }: ChangeLogStep,
    caller: ProviderCaller,
    signal: AbortSignal,
  ): Promise<void> {
    const { subscriptions } = changes;
    if (subscriptions === undefined) return;
    const { options, progress, accountId } = task;
    const variables = buildAccountValues(accountId, target.connection.variables);
    const values = buildCommonValues({ resource: target.resource, options, progress, variables });
    const listing = buildListRequest(subscriptions, values);
    const listed = await send(task, target, caller, asPageRequest(listing), signal);
    if (listed.status >= 300) throw describeRefusal(listed, caller.secrets());
    for (const request of await buildMissingRequests(subscriptions, listed, values)) {
      const answer = await send(task, target, caller, asPageRequest(request), signal);
      if (!isSubscribed(answer)) throw describeRefusal(answer, caller.secrets());
    }
  }

  async function send(
    task: PollTask,
    { connection }: PollTarget,
    caller: ProviderCaller,
    request: PageRequest | undefined,
    signal: AbortSignal,
  ): Promise<ProviderResponse> {
    const answer = await caller.send(request, pageLimits(signal));
    deps.noteAnswer(task, connection, answer);
    return answer;
  }
}

function asPageRequest(request: FilledRequest): PageRequest {
  return { kind: 'request', request };
}
