import type { LogChanges, PollResource } from '../../catalog/schema/provider-polls.schema.ts';
import type { RequestLimits } from '../../credentials/calling/api-message.ts';
import { fetchLogFile, type LogEntry, readLogAnswer, readLogEntries } from '../change-log/read-log.ts';
import { missingSubscriptions, subscriptionsRequest } from '../change-log/subscriptions.ts';
import { requireAccount, subjectValues } from '../pages/account-values.ts';
import type { FilledRequest, PollValues } from '../pages/fill-request.ts';
import { beginPass, commonValues, nextAsk } from '../pages/plan-run.ts';
import { refusalOf, toPollFailure } from '../pages/poll-failure.ts';
import { NO_PROGRESS, type Progress } from '../pages/progress.ts';
import type { Caller } from '../pages/provider-caller.ts';
import type { ProviderAnswer } from '../pages/read-answer.ts';
import { type DryRun, type Shown, showRequest } from './show-request.ts';

type Moment = { readonly nowMs: number; readonly limits: RequestLimits };

/** Whether a resource is a log. */
export function isLog({ changes }: PollResource): boolean {
  return changes?.by === 'log';
}

/**
 * Asks for the subscriptions of a log, its newest and its earliest entries, and what follows the newest. Subscriptions that
 * are missing are shown and not created.
 */
export async function dryRunLog(given: DryRun, caller: Caller, moment: Moment) {
  const run = new LogDryRun(given, caller, moment);
  await run.try();
  return run;
}

class LogDryRun {
  readonly shown: Shown[] = [];
  readonly notes: string[] = [];
  entries: readonly LogEntry[] = [];
  readonly #given: DryRun;
  readonly #caller: Caller;
  readonly #moment: Moment;
  readonly #variables: PollValues;

  constructor(given: DryRun, caller: Caller, moment: Moment) {
    this.#given = given;
    this.#caller = caller;
    this.#moment = moment;
    this.#variables = subjectValues(given.accountId, given.connection.variables);
  }

  async try(): Promise<void> {
    const { resource, accountId } = this.#given;
    const { changes } = resource;
    if (changes?.by !== 'log') return;
    try {
      requireAccount(resource, accountId);
      await this.#trySubscriptions(changes);
      const newest = await this.#tryEntries(changes, 'start', NO_PROGRESS);
      await this.#tryEntries(changes, 'changes', NO_PROGRESS);
      if (newest !== null) await this.#tryEntries(changes, 'changes', { ...NO_PROGRESS, token: newest });
    } catch (error) {
      const failure = toPollFailure(error);
      this.notes.push(failure.detail ?? failure.code);
    }
  }

  async #trySubscriptions({ subscriptions }: LogChanges): Promise<void> {
    if (subscriptions === undefined) return;
    const { resource, options } = this.#given;
    const values = commonValues({ resource, options, progress: NO_PROGRESS, variables: this.#variables });
    const listed = await this.#send(subscriptionsRequest(subscriptions, values), 'subscriptions', []);
    if (listed === undefined) return;
    const missing = await missingSubscriptions(subscriptions, listed, values);
    for (const request of missing) this.#show(request, 'subscribe', null, null);
    if (missing.length > 0)
      this.notes.push('The first run creates what is missing; a dry run only shows it.');
  }

  /** Answers the token that follows; null where there is none. */
  async #tryEntries(
    changes: LogChanges,
    task: 'start' | 'changes',
    progress: Progress,
  ): Promise<string | null> {
    const { resource, options, connection, accountId } = this.#given;
    const { nowMs, limits } = this.#moment;
    const pass = beginPass(resource, progress, task, nowMs);
    const ask = nextAsk({ resource, options, progress, task, pass, nowMs, variables: this.#variables });
    if (ask === undefined) {
      this.notes.push(`The path of ${task} names a value that is not known.`);
      return null;
    }
    const answer = await this.#send(ask.request, task, changes.nothing);
    const log = answer && (await readLogAnswer(resource, changes, answer));
    if (!answer || !log) return null;
    const isEarliest = task === 'changes' && progress.token === null;
    if (!isEarliest) return log.token;
    const body = log.file === null ? answer.body : await fetchLogFile(connection, log.file, limits);
    if (log.file !== null) this.#showFile(log.file, body !== undefined);
    if (body !== undefined) {
      const page = await readLogEntries(resource, changes, { body, token: log.token, pass, accountId });
      this.entries = page.entries;
    }
    return log.token;
  }

  /** Undefined where the provider refuses. `good`: statuses that are no refusal here. */
  async #send(
    request: FilledRequest,
    purpose: string,
    good: readonly number[],
  ): Promise<ProviderAnswer | undefined> {
    try {
      const answer = await this.#caller.send({ kind: 'request', request }, this.#moment.limits);
      const isRefused = answer.status >= 300 && !good.includes(answer.status);
      const error = isRefused ? refusalOf(answer, this.#caller.secrets()).detail : null;
      this.#show(request, purpose, answer.status, error);
      return isRefused ? undefined : answer;
    } catch (error) {
      const failure = toPollFailure(error);
      this.#show(request, purpose, null, failure.detail ?? failure.code);
      return undefined;
    }
  }

  #show(request: FilledRequest, purpose: string, status: number | null, error: string | null): void {
    this.shown.push({ ...showRequest(this.#given.connection, request), purpose, status, error });
  }

  /** The query of the address lets its holder in, so it is left out. */
  #showFile(address: string, isThere: boolean): void {
    const { origin, pathname, search } = new URL(address);
    this.shown.push({
      method: 'GET',
      url: `${origin}${pathname}${search === '' ? '' : '?…'}`,
      headers: { Accept: 'application/json' },
      body: null,
      purpose: 'file',
      status: isThere ? 200 : null,
      error: isThere ? null : 'The file is not there.',
    });
  }
}
