import type { LogChanges } from '../../catalog/schema/provider-polls.schema.ts';
import type { RequestLimits } from '../../credentials/calling/api-message.ts';
import {
  type ChangeLogEntry,
  fetchChangeLogFile,
  readChangeLogEntries,
  readChangeLogResponse,
} from '../change-log/read-change-log.ts';
import { buildListRequest, buildMissingRequests } from '../change-log/subscriptions.ts';
import { buildAccountValues, requireAccount } from '../pages/account-values.ts';
import type { FilledRequest, PollValues } from '../pages/fill-request.ts';
import { beginPass, buildCommonValues, planRequest } from '../pages/plan-run.ts';
import { describeRefusal, toPollFailure } from '../pages/poll-failure.ts';
import { NO_PROGRESS, type Progress } from '../pages/progress.ts';
import type { ProviderCaller } from '../pages/provider-caller.ts';
import type { ProviderResponse } from '../pages/read-response.ts';
import { type DryRun, type Shown, showRequest } from './show-request.ts';

type RunLimits = { readonly nowMs: number; readonly limits: RequestLimits };

/**
 * Asks for the subscriptions of a change log, its newest and its earliest entries, and what follows the newest. Subscriptions that
 * are missing are shown and not created.
 */
export async function dryRunChangeLog(given: DryRun, caller: ProviderCaller, at: RunLimits) {
  const run = new ChangeLogDryRun(given, caller, at);
  await run.try();
  return run;
}

class ChangeLogDryRun {
  readonly shown: Shown[] = [];
  readonly notes: string[] = [];
  entries: readonly ChangeLogEntry[] = [];
  readonly #given: DryRun;
  readonly #caller: ProviderCaller;
  readonly #at: RunLimits;
  readonly #variables: PollValues;

  constructor(given: DryRun, caller: ProviderCaller, at: RunLimits) {
    this.#given = given;
    this.#caller = caller;
    this.#at = at;
    this.#variables = buildAccountValues(given.accountId, given.connection.variables);
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
    const values = buildCommonValues({
      resource,
      options,
      progress: NO_PROGRESS,
      variables: this.#variables,
    });
    const listed = await this.#send(buildListRequest(subscriptions, values), 'subscriptions', []);
    if (listed === undefined) return;
    const missing = await buildMissingRequests(subscriptions, listed, values);
    for (const request of missing) this.#show(request, 'subscribe', null, null);
    if (missing.length > 0)
      this.notes.push('The first run creates what is missing; a dry run only shows it.');
  }

  /** Answers the token that follows; null where there is none. */
  async #tryEntries(
    changes: LogChanges,
    phase: 'start' | 'changes',
    progress: Progress,
  ): Promise<string | null> {
    const { resource, options, connection, accountId } = this.#given;
    const { nowMs, limits } = this.#at;
    const pass = beginPass(resource, progress, phase, nowMs);
    const planned = planRequest({
      resource,
      options,
      progress,
      phase,
      pass,
      nowMs,
      variables: this.#variables,
    });
    if (planned === undefined) {
      this.notes.push(`The path of ${phase} names a value that is not known.`);
      return null;
    }
    const answer = await this.#send(planned.request, phase, changes.nothing);
    const changeLog = answer && (await readChangeLogResponse(resource, changes, answer));
    if (!answer || !changeLog) return null;
    const isEarliest = phase === 'changes' && progress.token === null;
    if (!isEarliest) return changeLog.token;
    const body =
      changeLog.file === null ? answer.body : await fetchChangeLogFile(connection, changeLog.file, limits);
    if (changeLog.file !== null) this.#showFile(changeLog.file, body !== undefined);
    if (body !== undefined) {
      const page = await readChangeLogEntries(resource, changes, {
        body,
        token: changeLog.token,
        pass,
        accountId,
      });
      this.entries = page.entries;
    }
    return changeLog.token;
  }

  /** Undefined where the provider refuses. `good`: statuses that are no refusal here. */
  async #send(
    request: FilledRequest,
    purpose: string,
    good: readonly number[],
  ): Promise<ProviderResponse | undefined> {
    try {
      const answer = await this.#caller.send({ kind: 'request', request }, this.#at.limits);
      const isRefused = answer.status >= 300 && !good.includes(answer.status);
      const error = isRefused ? describeRefusal(answer, this.#caller.secrets()).detail : null;
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
