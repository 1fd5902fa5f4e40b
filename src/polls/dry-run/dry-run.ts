import type { PollResource } from '../../catalog/schema/provider-polls.schema.ts';
import { parseExactJson } from '../../lib/exact-json.ts';
import { writeTime } from '../../lib/timestamps.ts';
import { type ChangeLogEntry, isChangeLog } from '../change-log/read-change-log.ts';
import { buildAccountValues } from '../pages/account-values.ts';
import { PAGE_BYTES_MAX } from '../pages/page-limits.ts';
import { beginPass, planRequest } from '../pages/plan-run.ts';
import { describeRefusal, toPollFailure } from '../pages/poll-failure.ts';
import { NO_PROGRESS, type Phase, type Progress } from '../pages/progress.ts';
import type { OpenCaller, ProviderCaller } from '../pages/provider-caller.ts';
import { type Page, type ProviderResponse, readPage } from '../pages/read-response.ts';
import type { PollDryRun } from './dry-run.schema.ts';
import { dryRunChangeLog } from './dry-run-change-log.ts';
import { type DryRun, type Shown, showRequest } from './show-request.ts';
import { showTokenRequest } from './show-token-request.ts';

const RECORDS_SHOWN = 10;
const RECORD_LENGTH_SHOWN = 20_000;
/** The last day's changes say more than those of the last second, of which there are none. */
const LOOK_BACK_MS = 86_400_000;
const TIMEOUT_MS = 10_000;

/**
 * Asks one connection's provider what the resource would ask first, once of each kind, and shows requests and records.
 * Stores nothing and makes no event.
 */
export async function dryRunPoll(
  given: DryRun,
  { nowMs, signal, openCaller }: { nowMs: number; signal: AbortSignal; openCaller: OpenCaller },
): Promise<PollDryRun> {
  const { connectionId, resource, connection } = given;
  const caller = openCaller(connection, resource);
  const requests: Shown[] = await showTokenRequest(connection, resource);
  if (isChangeLog(resource)) {
    const { shown, entries, notes } = await dryRunChangeLog(given, caller, {
      nowMs,
      limits: { timeoutMs: TIMEOUT_MS, responseBytesMax: PAGE_BYTES_MAX, signal },
    });
    const records = entries
      .slice(0, RECORDS_SHOWN)
      .map((entry) => showEntry(entry, connection.provider.id, resource.object));
    return { connectionId, requests: [...requests, ...shown], records, notes };
  }
  const records: PollDryRun['records'] = [];
  const notes: string[] = [];
  let progress: Progress = {
    ...NO_PROGRESS,
    watermark: nowMs - LOOK_BACK_MS,
    deletedSince: nowMs - LOOK_BACK_MS,
  };
  for (const phase of choosePhases(resource)) {
    const { shown, page, problem } = await tryPhase(given, { phase, progress, nowMs, signal, caller });
    if (shown !== undefined) requests.push(shown);
    if (problem !== undefined) notes.push(problem);
    if (page === undefined) continue;
    if (page.token !== null) progress = { ...progress, token: page.token };
    for (const record of page.records.slice(0, RECORDS_SHOWN - records.length)) {
      records.push(showRecord(record, `${connection.provider.id}.${resource.object}`));
    }
  }
  return { connectionId, requests, records, notes: notes.slice(0, 10) };
}

function choosePhases({ changes, list, deleted }: PollResource): Phase[] {
  return [
    ...(changes?.by === 'token' && changes.start ? (['start'] as const) : []),
    ...(changes ? (['changes'] as const) : []),
    ...(list ? (['scan'] as const) : []),
    ...(deleted ? (['deleted'] as const) : []),
  ];
}

type Trial = { readonly shown?: Shown; readonly page?: Page; readonly problem?: string };

async function tryPhase(
  { accountId, connection, resource, options }: DryRun,
  step: { phase: Phase; progress: Progress; nowMs: number; signal: AbortSignal; caller: ProviderCaller },
): Promise<Trial> {
  const { phase, progress, nowMs, signal, caller } = step;
  const pass = beginPass(resource, progress, phase, nowMs);
  const variables = buildAccountValues(accountId, connection.variables);
  const planned = planRequest({ resource, options, progress, phase, pass, nowMs, variables });
  const purpose = phase === 'scan' ? 'list' : phase;
  if (planned === undefined) return { problem: `The path of ${purpose} names a value that is not known.` };
  const limits = { timeoutMs: TIMEOUT_MS, responseBytesMax: PAGE_BYTES_MAX, signal };
  const show = (status: number | null, error: string | null): Shown => ({
    ...showRequest(connection, planned.request),
    purpose,
    status,
    error,
  });
  let answer: ProviderResponse;
  try {
    answer = await caller.send(planned, limits);
  } catch (error) {
    const failure = toPollFailure(error);
    return { shown: show(null, failure.detail ?? failure.code) };
  }
  if (answer.status >= 300 && answer.status !== 304) {
    return { shown: show(answer.status, describeRefusal(answer, caller.secrets()).detail) };
  }
  try {
    const page = await readPage({ resource, phase, progress, pass }, answer);
    return { shown: show(answer.status, null), page };
  } catch (error) {
    return { shown: show(answer.status, toPollFailure(error).detail) };
  }
}

function showEntry(
  { id, change, object = '', occurredAt, dataText }: ChangeLogEntry,
  provider: string,
  usualObject: string,
): PollDryRun['records'][number] {
  return {
    id: id ?? '',
    updatedAt: writeTime(occurredAt),
    createdAt: null,
    isDeleted: change === 'deleted',
    eventType: `${provider}.${object || usualObject}.${change}`,
    data: shorten(dataText),
  };
}

function shorten(text: string): unknown {
  return text.length > RECORD_LENGTH_SHOWN ? `${text.slice(0, RECORD_LENGTH_SHOWN)}…` : parseExactJson(text);
}

function showRecord(record: Page['records'][number], prefix: string): PollDryRun['records'][number] {
  return {
    id: record.id,
    updatedAt: writeTime(record.updatedAt),
    createdAt: writeTime(record.createdAt),
    isDeleted: record.isDeleted,
    eventType: `${prefix}.${record.isDeleted ? 'deleted' : 'updated'}`,
    data: shorten(JSON.stringify(record.value)),
  };
}
