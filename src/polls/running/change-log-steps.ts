import type { LogChanges, PollResource } from '../../catalog/schema/provider-polls.schema.ts';
import type { ConnectionClient } from '../../credentials/calling/connection-client.ts';
import { advanceLog } from '../change-log/advance-log.ts';
import { fetchLogFile, type LogPage, readLogAnswer, readLogEntries } from '../change-log/read-log.ts';
import { isSubscribed, missingSubscriptions, subscriptionsRequest } from '../change-log/subscriptions.ts';
import { requireAccount, subjectValues } from '../pages/account-values.ts';
import { startResync } from '../pages/advance.ts';
import type { FilledRequest } from '../pages/fill-request.ts';
import { pageLimits } from '../pages/page-limits.ts';
import { type Ask, beginPass, commonValues, nextAsk, tasksOfResync } from '../pages/plan-run.ts';
import { PollFailure, refusalOf } from '../pages/poll-failure.ts';
import type { PollTask } from '../pages/poll-task.ts';
import type { Pass, Progress, Task } from '../pages/progress.ts';
import type { Caller, CallerOf } from '../pages/provider-caller.ts';
import { isCursorExpired, type ProviderAnswer } from '../pages/read-answer.ts';
import type { Subject } from '../records/poll-events.ts';
import type { StepEnd, Telling } from './step-end.ts';

/** The address of a file may have expired; then it is asked for once more in the same step. */
const ADDRESSES_MAX = 2;

type Step = { readonly current: Task; readonly signal: AbortSignal };
type LogSubject = { readonly task: PollTask; readonly subject: Subject; readonly changes: LogChanges };

/** Whether a resource is a log, whose steps are those of this module. */
export function isLogTask({ changes }: PollResource): boolean {
  return changes?.by === 'log';
}

/**
 * One step with a log: what it needs to be told is told; or an answer, with the file that it names, is read, and then its
 * events are written in one transaction with the token that follows. Rejects as `TakeStep` does.
 */
export function createLogSteps(deps: {
  callerOf: CallerOf;
  noteAnswer(task: PollTask, connection: ConnectionClient, answer: ProviderAnswer): void;
  save(task: PollTask, progress: Progress): Promise<StepEnd>;
  tell(task: PollTask, subject: Subject, telling: Telling): Promise<StepEnd>;
}) {
  return async (task: PollTask, subject: Subject, { current, signal }: Step): Promise<StepEnd> => {
    const { resource, connection } = subject;
    const { changes } = resource;
    if (changes?.by !== 'log') throw new TypeError('a resource that is no log');
    requireAccount(resource, task.accountId);
    const caller = deps.callerOf(connection, resource);
    const log = { task, subject, changes };
    if (current === 'subscribe') {
      await subscribe(log, caller, signal);
      return deps.save(task, { ...task.progress, todo: task.progress.todo.slice(1) });
    }
    const pass = task.progress.pass ?? beginPass(resource, task.progress, current, task.nowMs);
    const page = await readPage(log, caller, { current, pass, signal });
    if (page === 'expired') {
      // What is told already of a file stays noted: that file may be the earliest one.
      const { pass: begun } = task.progress;
      const restarted = startResync(task.progress, tasksOfResync(resource));
      return deps.save(task, { ...restarted, pass: begun });
    }
    return deps.tell(task, subject, {
      write: async () => ({ news: page.entries.length, changes: page.entries }),
      progressAfter: () => advanceLog(task.progress, { pass, page, isStart: current === 'start' }),
    });
  };

  async function readPage(
    { task, subject, changes }: LogSubject,
    caller: Caller,
    { current, pass, signal }: Step & { pass: Pass },
  ): Promise<LogPage | 'expired'> {
    const { resource, connection } = subject;
    const { progress, options, nowMs, accountId } = task;
    const variables = subjectValues(accountId, connection.variables);
    const ask = nextAsk({ resource, options, progress, task: current, pass, nowMs, variables });
    for (let addresses = 0; addresses < ADDRESSES_MAX; addresses += 1) {
      const answer = await send(task, subject, caller, ask, signal);
      const isEnd = changes.nothing.includes(answer.status);
      if (!isEnd && progress.token !== null && isCursorExpired(resource, answer)) return 'expired';
      if (!isEnd && answer.status >= 300) throw refusalOf(answer, caller.secrets());
      const log = await readLogAnswer(resource, changes, answer);
      if (log === null) return { entries: [], token: null, nextAt: null };
      if (current === 'start') return { entries: [], token: log.token, nextAt: null };
      const body =
        log.file === null ? answer.body : await fetchLogFile(connection, log.file, pageLimits(signal));
      if (body !== undefined) {
        return readLogEntries(resource, changes, { body, token: log.token, pass, accountId });
      }
    }
    throw new PollFailure(
      'provider_unavailable',
      'The provider names a file of its log that it does not give.',
    );
  }

  async function subscribe(
    { task, subject, changes }: LogSubject,
    caller: Caller,
    signal: AbortSignal,
  ): Promise<void> {
    const { subscriptions } = changes;
    if (subscriptions === undefined) return;
    const { options, progress, accountId } = task;
    const variables = subjectValues(accountId, subject.connection.variables);
    const values = commonValues({ resource: subject.resource, options, progress, variables });
    const listing = asAsk(subscriptionsRequest(subscriptions, values));
    const listed = await send(task, subject, caller, listing, signal);
    if (listed.status >= 300) throw refusalOf(listed, caller.secrets());
    for (const request of await missingSubscriptions(subscriptions, listed, values)) {
      const answer = await send(task, subject, caller, asAsk(request), signal);
      if (!isSubscribed(answer)) throw refusalOf(answer, caller.secrets());
    }
  }

  async function send(
    task: PollTask,
    { connection }: Subject,
    caller: Caller,
    ask: Ask | undefined,
    signal: AbortSignal,
  ): Promise<ProviderAnswer> {
    const answer = await caller.send(ask, pageLimits(signal));
    deps.noteAnswer(task, connection, answer);
    return answer;
  }
}

function asAsk(request: FilledRequest): Ask {
  return { kind: 'request', request };
}
