import type { LogChanges, PollResource } from '../../catalog/schema/provider-polls.schema.ts';
import type { RequestLimits } from '../../credentials/calling/api-message.ts';
import type { ConnectionClient } from '../../credentials/calling/connection-client.ts';
import type { EventChange } from '../../events/stream/event.ts';
import { readFirstPath, readPath, toFilledText } from '../../lib/json-path.ts';
import { mapInTurns } from '../../lib/take-turns.ts';
import { readTimestamp } from '../../lib/timestamps.ts';
import { OutboundError } from '../../platform/outbound.ts';
import { parseResponse, RECORDS_MAX, UnreadableResponseError } from '../pages/parse-response.ts';
import { PollFailure } from '../pages/poll-failure.ts';
import type { Pass } from '../pages/progress.ts';
import { type ProviderResponse, RefusedResponseError } from '../pages/read-response.ts';
import type { Change } from '../records/poll-events.ts';

/** Committed some thousand at a time; the answer or file as a whole is bounded by its bytes. */
const ENTRIES_MAX = 50_000;
const LENGTH_PER_TURN = 128 * 1024;
const NO_LIST = '';
const WITHOUT_BODY = 204;

/** Whether changes are read in a change log of the provider. */
export function isChangeLog({ changes }: PollResource): boolean {
  return changes?.by === 'log';
}

/** An entry of a log: what it tells, and when it happened (milliseconds). */
export type ChangeLogEntry = Change & { readonly occurredAt: number | null };

/** Some entries of an answer, or of the file that it names. */
export type ChangeLogPage = {
  readonly entries: readonly ChangeLogEntry[];
  /** What follows them is asked for with it. Null: there is nothing further. */
  readonly token: string | null;
  /** Where the next part of the same answer begins; null: all of it has been read. */
  readonly nextAt: number | null;
};

/** Where the entries are, and the token after them. */
export type ChangeLogResponse = {
  readonly token: string;
  /** The address of the file; null: the entries are in the answer. */
  readonly file: string | null;
};

/**
 * Reads an answer with a good status; null: there is nothing further. Rejects with UnreadableAnswerError and
 * RefusedAnswerError.
 */
export async function readChangeLogResponse(
  { success }: PollResource,
  changes: LogChanges,
  answer: ProviderResponse,
): Promise<ChangeLogResponse | null> {
  if (changes.nothing.includes(answer.status) || answer.status === WITHOUT_BODY) return null;
  const listed = changes.file === undefined ? changes.items : NO_LIST;
  const { content } = await parseResponse(answer.body, listed, ENTRIES_MAX);
  if (success !== undefined && toFilledText(readPath(content, success.path)) !== success.value) {
    throw new RefusedResponseError(content);
  }
  const token = toFilledText(readPath(content, changes.token));
  if (token === undefined) throw new UnreadableResponseError(`The answer has no ${changes.token}.`);
  if (changes.file === undefined) return { token, file: null };
  const file = toFilledText(readPath(content, changes.file));
  if (file === undefined) throw new UnreadableResponseError(`The answer has no ${changes.file}.`);
  return { token, file };
}

/**
 * Reads the entries of an answer from where `pass` left it. `body` is that of the answer or of its file. Rejects with
 * UnreadableAnswerError.
 */
export async function readChangeLogEntries(
  resource: PollResource,
  changes: LogChanges,
  { body, token, pass, accountId }: { body: Buffer; token: string; pass: Pass; accountId: string | null },
): Promise<ChangeLogPage> {
  const { items } = await parseResponse(body, changes.items, ENTRIES_MAX);
  if (items === undefined) {
    throw new UnreadableResponseError(`There is no list at ${changes.items ?? 'the top'}.`);
  }
  // An answer of another place than the one that was begun is read from its beginning.
  const begin = pass.page === token ? Number(pass.afterId ?? 0) : 0;
  const end = begin + RECORDS_MAX;
  const own = items
    .slice(begin, end)
    .filter(
      (item) => changes.account === undefined || toFilledText(readPath(item, changes.account)) === accountId,
    );
  const entries = await mapInTurns(own, LENGTH_PER_TURN, (item) => {
    const entry = readEntry(resource, changes, item);
    return { result: entry, length: entry.dataText.length };
  });
  return { entries, token, nextAt: end < items.length ? end : null };
}

function readEntry({ object, record }: PollResource, changes: LogChanges, value: unknown): ChangeLogEntry {
  const { objects } = changes;
  const kind = objects && toFilledText(readPath(value, objects.path));
  const named = kind !== undefined && objects && Object.hasOwn(objects.names, kind) && objects.names[kind];
  return {
    id: toFilledText(readFirstPath(value, record.id)) ?? null,
    object: named || object,
    change: changeOf(changes, toFilledText(readPath(value, changes.change.path)) ?? ''),
    dataText: JSON.stringify(value),
    occurredAt: readTimestamp(value, record.updatedAt),
  };
}

function changeOf({ change }: LogChanges, word: string): EventChange {
  if (change.created.includes(word)) return 'created';
  if (change.updated.includes(word)) return 'updated';
  return change.deleted.includes(word) ? 'deleted' : 'other';
}

/** Gets the file that an answer names. Undefined where its address is no longer good. Rejects with PollFailure and OutboundError. */
export async function fetchChangeLogFile(
  connection: Pick<ConnectionClient, 'fetchFile'>,
  address: string,
  limits: RequestLimits,
): Promise<Buffer | undefined> {
  const { status, body } = await connection.fetchFile(address, limits).catch((error: unknown) => {
    if (!(error instanceof OutboundError)) throw error;
    if (error.kind !== 'invalid_url' && error.kind !== 'refused_address') throw error;
    throw new PollFailure(
      'answer_unreadable',
      'The file is at an address that the gateway does not call: it must be https, and public.',
    );
  });
  if (status === 200) return body;
  if (status >= 400 && status < 500) return undefined;
  throw new PollFailure('provider_unavailable', `The file of the log was answered with ${status}.`);
}
