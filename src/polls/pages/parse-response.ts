import { setImmediate } from 'node:timers/promises';
import { parseRawJson } from '../../lib/exact-json.ts';
import { isQuickToParse } from '../../lib/json-bounds.ts';
import {
  findStart,
  locateDocument,
  locateElements,
  locateMember,
  type SourceRange,
} from '../../lib/json-source.ts';
import { mapInTurns } from '../../lib/take-turns.ts';

/** An answer that cannot be what the resource describes. The message is for operators. */
export class UnreadableResponseError extends Error {
  override readonly name = 'UnreadableAnswerError';
}

export type ParsedResponse = {
  /** The answer; the list of records is left empty in it. */
  readonly content: unknown;
  /** Undefined where the path leads to no list. */
  readonly items: readonly unknown[] | undefined;
};

export const RECORDS_MAX = 2_000;
/** Of one record, and of all that stands around the records: parsed and hashed within some 30 ms. */
const VALUES_MAX = 20_000;
/** Parsed within some 20 ms, also where every number has to keep its digits. */
const LENGTH_PER_TURN = 64 * 1024;
const LIST_BEGINS = '[';

/**
 * Parses the body of an answer, and the at most `recordsMax` records at the path (undefined: the body is the list) one by one, so that a page
 * of some megabytes does not hold the event loop. Rejects with UnreadableAnswerError.
 */
export async function parseResponse(
  body: Buffer,
  path: string | undefined,
  recordsMax = RECORDS_MAX,
): Promise<ParsedResponse> {
  const text = body.toString('utf8');
  const list = rangeOfList(text, path);
  if (list === undefined) return { content: parseBounded(text), items: undefined };
  // Each look through a text of some megabytes takes some 15 ms.
  await setImmediate();
  const ranges = locateElements(text, list, recordsMax + 1);
  await setImmediate();
  if (ranges.length > recordsMax) {
    throw new UnreadableResponseError(`The page has more than ${recordsMax} records.`);
  }
  const content = parseBounded(`${text.slice(0, list.start)}[]${text.slice(list.end)}`);
  const items = await mapInTurns(ranges, LENGTH_PER_TURN, ({ start, end }) => ({
    result: parseBounded(text.slice(start, end)),
    length: end - start,
  }));
  return { content, items };
}

/** Where the list at a dotted path stands; a member whose own name has dots wins over the path. */
function rangeOfList(text: string, path: string | undefined): SourceRange | undefined {
  const document = { start: findStart(text), end: text.length };
  const found = path === undefined ? locateDocument(text) : findMember(text, document, path);
  return found !== undefined && text[found.start] === LIST_BEGINS ? found : undefined;
}

function findMember(text: string, document: SourceRange, path: string): SourceRange | undefined {
  if (!path.includes('.')) return locateMember(text, document, path);
  const named = locateMember(text, document, path);
  if (named !== undefined) return named;
  let range: SourceRange | undefined = document;
  for (const name of path.split('.')) {
    range = range && locateMember(text, range, name);
  }
  return range;
}

function parseBounded(text: string): unknown {
  if (!isQuickToParse(text, VALUES_MAX)) {
    throw new UnreadableResponseError(
      `The answer has a record of more than ${VALUES_MAX} values, or one nested too deeply.`,
    );
  }
  try {
    return parseRawJson(text);
  } catch {
    throw new UnreadableResponseError('The answer is not JSON.');
  }
}
