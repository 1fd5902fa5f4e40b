import type { PollPaging, PollResource } from '../../catalog/schema/provider-polls.schema.ts';
import { readFirstPath, readPath, toFilledText } from '../../lib/json-path.ts';
import { findNextLink } from '../../lib/link-header.ts';
import { parseTimestamp, readTimestamp } from '../../lib/timestamps.ts';
import { parseResponse, UnreadableResponseError } from './parse-response.ts';
import { chooseSource, findPaging } from './plan-run.ts';
import type { Pass, Phase, Progress } from './progress.ts';

export type ProviderResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
};

/** A record as it came, and what the resource says of reading it. */
export type PolledRecord = {
  readonly id: string;
  readonly updatedAt: number | null;
  readonly createdAt: number | null;
  readonly isDeleted: boolean;
  readonly value: unknown;
};

export type Page = {
  readonly records: readonly PolledRecord[];
  /** Where the next page is; null: this is the last one. */
  readonly next: string | null;
  /** True where there are as many records as were asked for. */
  readonly isFull: boolean;
  /** Of the last page where changes go by token. */
  readonly token: string | null;
  /** Until when deletions are listed for certain. */
  readonly covered: number | null;
  /** The provider's clock. */
  readonly atMs: number | null;
};

/** A refusal with a good status. */
export class RefusedResponseError extends Error {
  override readonly name = 'RefusedAnswerError';
  readonly content: unknown;

  constructor(content: unknown) {
    super('refused');
    this.content = content;
  }
}

const ID_LENGTH_MAX = 300;

/** A longer answer is none that says what went wrong. */
const ERROR_BYTES_MAX = 64 * 1024;
/** Stands for a path where no list is looked for. */
const NO_LIST = '';

type Reading = {
  readonly resource: PollResource;
  readonly phase: Phase;
  readonly progress: Progress;
  readonly pass: Pass;
};

/** Reads a page of an answer with a good status. Rejects with UnreadableAnswerError and RefusedAnswerError. */
export async function readPage(reading: Reading, answer: ProviderResponse): Promise<Page> {
  const { resource, phase, progress, pass } = reading;
  const source = chooseSource(resource, phase);
  const atMs = parseTimestamp(Date.parse(toFilledText(answer.headers.date) ?? ''), 'epoch-ms') ?? null;
  const empty: Page = { records: [], next: null, isFull: false, token: null, covered: null, atMs };
  // Zoho says 204 or 304 where there is nothing.
  if (answer.body.length === 0 || answer.status === 204 || answer.status === 304) return empty;
  const listPath = source === 'start' ? NO_LIST : resource[source]?.items;
  const { content, items: listed } = await parseResponse(answer.body, listPath);
  const { changes, success } = resource;
  if (success !== undefined && toFilledText(readPath(content, success.path)) !== success.value) {
    throw new RefusedResponseError(content);
  }
  if (source === 'start') {
    const path = changes?.by === 'token' ? (changes.start?.token ?? '') : '';
    const token = toFilledText(readPath(content, path));
    if (token === undefined) throw new UnreadableResponseError(`The answer has no ${path}.`);
    return { ...empty, token };
  }
  const part = resource[source];
  if (part === undefined) throw new TypeError(`a resource without ${source}`);
  const items = listed ?? requireEmptyList(content, part.items);
  const limit = progress.pageSize ?? resource.pageSize;
  const isFull = items.length >= limit;
  const token =
    source === 'changes' && changes?.by === 'token' ? readPath(content, changes.token) : undefined;
  const { covered } = resource.deleted ?? {};
  return {
    records: items.map((item) => readRecord(item, resource, source === 'deleted')),
    next: findNextPage(findPaging(resource, source) ?? { by: 'none' }, content, answer, {
      pass,
      count: items.length,
      isFull,
    }),
    isFull,
    token: toFilledText(token) ?? null,
    covered: source === 'deleted' ? readTimestamp(content, covered) : null,
    atMs,
  };
}

/** Null is an empty list to some providers; anything else is another kind of answer. */
function requireEmptyList(content: unknown, path: string | undefined): readonly unknown[] {
  const found = path === undefined ? content : readPath(content, path);
  if (found !== null) throw new UnreadableResponseError(`There is no list at ${path ?? 'the top'}.`);
  return [];
}

function readRecord(value: unknown, resource: PollResource, isDeletedList: boolean): PolledRecord {
  const { record, deleted } = resource;
  const idPaths = isDeletedList && deleted !== undefined ? deleted.id : record.id;
  const found = readFirstPath(value, idPaths);
  const id = toFilledText(found);
  if (id === undefined || id.length > ID_LENGTH_MAX) {
    throw new UnreadableResponseError(`A record has no id at ${[idPaths].flat().join(' or ')}.`);
  }
  return {
    id,
    updatedAt: readTimestamp(value, isDeletedList ? deleted?.deletedAt : record.updatedAt),
    createdAt: readTimestamp(value, record.createdAt),
    isDeleted: isDeletedList || isMarkedDeleted(value, record.deleted),
    value,
  };
}

function isMarkedDeleted(value: unknown, mark: PollResource['record']['deleted']): boolean {
  if (mark === undefined) return false;
  const found = readPath(value, mark.path);
  if (mark.values === undefined) return found !== undefined && found !== null && found !== false;
  return mark.values.includes(toFilledText(found) ?? '');
}

function findNextPage(
  paging: PollPaging,
  content: unknown,
  answer: ProviderResponse,
  { pass, count, isFull }: { pass: Pass; count: number; isFull: boolean },
): string | null {
  switch (paging.by) {
    case 'token':
    case 'link':
      return toFilledText(readPath(content, paging.path)) ?? null;
    case 'link-header':
      return findNextLink(answer.headers.link);
    case 'offset': {
      const hasMore = readHasMore(content, paging.more) ?? isFull;
      const nextLink = paging.next === undefined ? undefined : toFilledText(readPath(content, paging.next));
      return hasMore && count > 0 ? (nextLink ?? String(Number(pass.page ?? 0) + count)) : null;
    }
    case 'page': {
      const hasMore = readHasMore(content, paging.more) ?? isFull;
      return hasMore && count > 0 ? String(Number(pass.page ?? paging.first) + 1) : null;
    }
    default:
      return null;
  }
}

function readHasMore(content: unknown, path: string | undefined): boolean | undefined {
  if (path === undefined) return undefined;
  const found = readPath(content, path);
  return found === true || found === 'true';
}

/** Whether the provider says that it has forgotten the cursor. */
export function isCursorExpired({ changes }: PollResource, { status, body }: ProviderResponse): boolean {
  if (changes === undefined || changes.by === 'timestamp') return false;
  const { statuses, error } = changes.expired;
  if (statuses.includes(status)) return true;
  if (error === undefined || status < 400 || status >= 500 || body.length > ERROR_BYTES_MAX) return false;
  try {
    const content: unknown = JSON.parse(body.toString('utf8'));
    return error.values.includes(toFilledText(readPath(content, error.path)) ?? '');
  } catch {
    return false;
  }
}
