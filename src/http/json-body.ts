import { isAscii } from 'node:buffer';
import { isQuickToParse } from '../lib/json-bounds.ts';
import { parseJson } from '../lib/parse-json.ts';
import { isStorableText, NOT_STORABLE } from '../lib/storable-text.ts';
import { HttpError } from './errors.ts';

/** Far deeper than any request of the API; keeps recursive code downstream away from the end of its stack. */
const DEPTH_MAX = 64;

/** Members and elements, however deep. Each costs a schema a microsecond or more, whatever its size in bytes. */
const VALUES_MAX = 10_000;

/** A shorter text is parsed in some milliseconds, whatever it holds. */
const QUICK_LENGTH = 64 * 1024;

/** Names in fault paths come from the caller: cut them, so that a reply stays short. */
const NAME_LENGTH_MAX = 64;

/** Fails on bytes that are not UTF-8 instead of replacing them (RFC 8259 section 8.1), and drops no BOM silently. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The JSON value of a request body. Throws `unsupported_media_type` when it is not declared as JSON in UTF-8,
 * `invalid_json` when it is no JSON, `invalid_request` when it is nested too deeply, has too many members, has a
 * `__proto__` member, or holds text that no store keeps.
 */
export function parseJsonBody(bytes: Uint8Array, contentType: string | undefined): unknown {
  if (!isJsonInUtf8(contentType)) throw new HttpError('unsupported_media_type');
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new HttpError('invalid_json');
  // Brackets alone would take a tenth of a second to parse. Each value counts twice at most.
  if (text.length > QUICK_LENGTH && !isQuickToParse(text, 2 * VALUES_MAX + 1, VALUES_MAX)) {
    throw refuseBody(`is nested too deeply, or has more than ${VALUES_MAX} members and elements`);
  }
  const value = parse(text);
  assertHarmless(value);
  return value;
}

/** No text of so few characters has more values than `assertHarmless` lets pass. */
const SHORT_LENGTH_MAX = 2 * VALUES_MAX;

/**
 * The text of a short body that is declared as plain JSON, for `parsePlainJson`. Undefined where `parseJsonBody` has to
 * look closer: an escape may stand for text that no store keeps, and a name may be `__proto__`.
 */
export function readPlainText(bytes: Buffer): string | undefined {
  if (bytes.length > SHORT_LENGTH_MAX || !isAscii(bytes)) return undefined;
  const text = bytes.toString('latin1');
  return text.includes('\\u') || text.includes('__proto__') ? undefined : text;
}

/**
 * The same as `parseJsonBody` for such a text, or for a part of it that stands `depth` objects and lists deep; undefined
 * where that would refuse it.
 */
export function parsePlainJson(text: string, depth = 0): unknown {
  const value = parseJson(text);
  const depthLeft = DEPTH_MAX - depth;
  return hasFewBrackets(text, depthLeft) || isShallow(value, depthLeft) ? value : undefined;
}

/** What opens so few objects and lists is not nested deeper, and most messages open a handful. */
function hasFewBrackets(text: string, most: number): boolean {
  let left = most;
  for (const bracket of BRACKETS) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      if (left === 0) return false;
      left -= 1;
    }
  }
  return true;
}

const BRACKETS = ['{', '['] as const;

/** Whether nothing in the value is nested deeper than `depthLeft`. */
function isShallow(value: unknown, depthLeft: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depthLeft === 0) return false;
  if (Array.isArray(value)) return value.every((element) => isShallow(element, depthLeft - 1));
  for (const member of Object.values(value)) if (!isShallow(member, depthLeft - 1)) return false;
  return true;
}

/** `application/json` or `application/<something>+json`, in UTF-8 where a charset is named. */
function isJsonInUtf8(contentType: string | undefined): boolean {
  const [mediaType = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (!/^application\/(?:[a-z0-9.!#$&^_-]+\+)?json$/.test(mediaType.trim())) return false;
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith('charset='));
  return charset === undefined || /^charset="?utf-?8"?$/.test(charset);
}

/** The text of a body in UTF-8. Throws `invalid_request`. */
export function decodeText(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes);
  if (text === undefined) throw new HttpError('invalid_request', { detail: 'The body is not UTF-8.' });
  return text;
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the body, which may hold a secret: no cause.
    throw new HttpError('invalid_json');
  }
}

/** A value of the body and where it stands; the path is put together only for a fault. */
type Place = {
  readonly value: unknown;
  readonly name: string;
  readonly parent: Place | undefined;
  readonly depth: number;
};

/**
 * Throws `invalid_request` for what no request may hold. Iterative, so that its own stack cannot be exhausted. A
 * `__proto__` member would change objects merged with it.
 */
export function assertHarmless(root: unknown): void {
  const open: Place[] = [{ value: root, name: 'body', parent: undefined, depth: 0 }];
  let valuesLeft = VALUES_MAX;
  for (let place = open.pop(); place; place = open.pop()) {
    const { value, depth } = place;
    if (typeof value === 'string') assertStorable(value, place);
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= DEPTH_MAX) throw refuseBody('is nested too deeply');
    if (Object.hasOwn(value, '__proto__')) throw refuseBody('has a member named `__proto__`');
    const members = Object.entries(value);
    valuesLeft -= members.length;
    if (valuesLeft < 0) throw refuseBody(`has more than ${VALUES_MAX} members and elements`);
    for (const [name, member] of members) {
      assertStorable(name, place);
      open.push({ value: member, name, parent: place, depth: depth + 1 });
    }
  }
}

function refuseBody(fault: string): HttpError {
  return new HttpError('invalid_request', { detail: `The body ${fault}.` });
}

function assertStorable(text: string, place: Place): void {
  if (isStorableText(text)) return;
  const steps: string[] = [];
  for (let at: Place | undefined = place; at; at = at.parent) steps.push(at.name.slice(0, NAME_LENGTH_MAX));
  throw new HttpError('invalid_request', {
    errors: [{ path: steps.reverse().join('.'), message: NOT_STORABLE }],
  });
}
