import { isAscii } from 'node:buffer';
import { createHash } from 'node:crypto';
import { HttpError } from '../http/errors.ts';
import { parseExactJson } from '../lib/exact-json.ts';
import { isRecord } from '../lib/is-record.ts';
import { isQuickToParse } from '../lib/json-bounds.ts';
import { parseJson } from '../lib/parse-json.ts';
import type { HeldAnswer } from '../platform/held-exchange.ts';
import { keepFields, parseFieldPath } from './keep-fields.ts';
import { createResult, type Refusal, type ToolResult } from './tool-results.ts';

/** What an answer in JSON takes of a model's context, measured with a public tokenizer: rather more than less. */
const CHARACTERS_PER_TOKEN = 2;

/** Fields of an answer that say where the rest is, or when to come again. */
const REPORTED_FIELDS = ['link', 'location', 'retry-after'] as const;
const FIELD_LENGTH_MAX = 1_000;

type Wishes = {
  readonly provider: string;
  readonly fields: readonly string[] | undefined;
  readonly maxTokens: number;
  readonly cursor: string | undefined;
  /** A call that may be repeated for the rest of its answer. */
  readonly isRepeatable: boolean;
};

/** The gateway's own refusal in an answer of the proxy; undefined where the provider answered. */
export function readRefusal({ fields, body }: HeldAnswer): Refusal | undefined {
  const code = fields.get('gateway-error');
  if (code === undefined) return undefined;
  const parsed = parseJson(body.toString('utf8'));
  const members = isRecord(parsed) ? parsed : {};
  const text = (name: string) => (typeof members[name] === 'string' ? members[name] : '');
  return {
    ...pick(members, ['connectionIds', 'integrationIds', 'connectionId', 'approvalId', 'approvalUrl']),
    code,
    detail: text('detail'),
    remedy: text('remedy'),
    retryable: members.retryable === true,
  };
}

function pick(members: Record<string, unknown>, names: readonly string[]) {
  return Object.fromEntries(names.flatMap((name) => (name in members ? [[name, members[name]]] : [])));
}

/**
 * What a tool gives back of a provider's answer: status and body as they are, or as much of the body as was asked for,
 * always marked as the provider's. An error is never cut to fields, and a write that was carried out is never refused. Throws
 * `answer_too_large`, `invalid_request`.
 */
export function shapeAnswer(answer: HeldAnswer, wishes: Wishes): ToolResult {
  const { status } = answer;
  const isTooLarge = answer.end === 'too_large';
  if (isTooLarge && wishes.isRepeatable && status < 400) throw new HttpError('answer_too_large');
  const about: Record<string, unknown> = { source: 'provider', provider: wishes.provider, status };
  if (answer.end === 'cut') about.isCutOff = true;
  if (isTooLarge) about.isTooLarge = true;
  reportFields(answer.fields, about);
  const isError = status >= 400 || answer.end === 'cut';
  if (answer.body.length === 0) return createResult(about, isError);
  const type = answer.fields.get('content-type') ?? '';
  const text = readText(answer, type);
  if (text === undefined)
    return createResult({ ...about, contentType: cut(type), bytes: answer.body.length }, isError);
  shapeText(text, isError ? { ...wishes, fields: undefined } : wishes, about);
  return createResult(about, isError);
}

function reportFields(fields: HeldAnswer['fields'], about: Record<string, unknown>): void {
  for (const name of REPORTED_FIELDS) {
    // Some providers give each link a field of its own.
    const value = name === 'link' && fields.has(name) ? fields.list(name) : fields.get(name);
    if (value !== undefined) about[name] = cut(value);
  }
}

function cut(text: string): string {
  return text.slice(0, FIELD_LENGTH_MAX);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Undefined for pictures, archives and whatever else is no text. */
function readText({ body, fields }: HeldAnswer, type: string): string | undefined {
  const coding = fields.get('content-encoding') ?? 'identity';
  if (coding !== 'identity' || /^\s*(?:image|audio|video|font)\//i.test(type)) return undefined;
  if (isAscii(body)) return body.toString('latin1');
  try {
    return utf8.decode(body);
  } catch {
    return undefined;
  }
}

function shapeText(text: string, wishes: Wishes, about: Record<string, unknown>): void {
  const value = isQuickToParse(text) ? parseExactJson(text) : undefined;
  const { fields } = wishes;
  const kept = fields === undefined || value === undefined ? value : keepFields(value, readPaths(fields));
  const whole = fields === undefined || value === undefined ? text : JSON.stringify(kept ?? null);
  if (fields !== undefined && value === undefined && wishes.isRepeatable) {
    throw new HttpError('invalid_request', {
      detail: 'The answer is no JSON, or too large to take fields from.',
    });
  }
  const lengthMax = wishes.maxTokens * CHARACTERS_PER_TOKEN;
  if (wishes.cursor !== undefined || whole.length > lengthMax)
    Object.assign(about, cutText(whole, lengthMax, wishes));
  else if (value === undefined) about.text = text;
  else about.body = kept ?? null;
}

/** The schema of the arguments has found them in order. */
function readPaths(fields: readonly string[]) {
  return fields.flatMap((path) => {
    const steps = parseFieldPath(path);
    return steps === undefined ? [] : [steps];
  });
}

/** One part of a text. What quotes and line breaks take when they are escaped counts as well. */
function cutText(
  whole: string,
  lengthMax: number,
  { cursor, isRepeatable }: Wishes,
): Record<string, unknown> {
  const start = cursor === undefined ? 0 : readCursor(cursor, whole);
  let end = Math.min(whole.length, start + lengthMax);
  while (end > start + 1 && JSON.stringify(whole.slice(start, end)).length > lengthMax)
    end = start + Math.floor((end - start) * 0.9);
  // Half of a character that takes two is no text.
  if (/[\ud800-\udbff]/.test(whole[end - 1] ?? '') && end < whole.length && end > start + 1) end -= 1;
  const isCut = end < whole.length;
  return {
    text: whole.slice(start, end),
    characters: whole.length,
    ...(isCut && { isPart: true, ...(isRepeatable && { nextCursor: writeCursor(end, whole) }) }),
  };
}

/** Where a text goes on, and which text that is: the call is made again for its rest, whose answer may be another. */
function writeCursor(offset: number, whole: string): string {
  return `${offset}.${digest(whole)}`;
}

function readCursor(cursor: string, whole: string): number {
  const [offset, of] = cursor.split('.');
  if (of !== digest(whole)) throw new HttpError('answer_changed');
  return Math.min(Number(offset), whole.length);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}
