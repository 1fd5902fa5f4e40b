import { readStrictJson } from '../mandates/strict-json.ts';

/** One field of a record: what stands in it now, and what the call puts there. Undefined: nothing. */
export type FieldChange = {
  readonly field: string;
  readonly before: string | undefined;
  readonly after: string;
};

export type RecordDiff = {
  readonly changes: readonly FieldChange[];
  /** Fields of the body that the record has already. */
  readonly same: number;
  /** There are more changes. */
  readonly isCut: boolean;
};

const CHANGES_MAX = 200;
const DEPTH_MAX = 8;
const VALUE_LENGTH_MAX = 2_000;
const PAIRS_MAX = 500;
/** JavaScript does not keep all digits of such a number, and a person must not read another one than is sent. */
const LONG_NUMBER = /[-+\d.eE]{16,}/;
const STRINGS = /"(?:[^"\\]|\\.)*"/g;

/** The fields that a body of JSON, or of a form, sets; undefined where it may be read in several ways. */
export function readFields(body: Buffer, isForm: boolean): unknown {
  if (isForm) return readForm(body.toString());
  const reading = readStrictJson(body);
  if ('fault' in reading || !isObject(reading.value)) return undefined;
  return LONG_NUMBER.test(body.toString().replace(STRINGS, '')) ? undefined : reading.value;
}

/** `metadata[plan]=a` sets the member `plan` of `metadata`. */
function readForm(text: string): unknown {
  const pairs = text.split('&', PAIRS_MAX + 1).length > PAIRS_MAX ? [] : [...new URLSearchParams(text)];
  const names = new Set(pairs.map(([name]) => name));
  if (pairs.length === 0 || names.size < pairs.length) return undefined;
  const root = emptyRecord();
  for (const [name, value] of pairs) {
    const steps = name.split(/\]?\[|\]$/).filter(Boolean);
    const last = steps.pop();
    if (last === undefined || steps.length >= DEPTH_MAX || !put(root, steps, last, value)) return undefined;
  }
  return root;
}

function put(root: Record<string, unknown>, steps: readonly string[], last: string, value: string): boolean {
  let place = root;
  for (const step of steps) {
    const next = Object.hasOwn(place, step) ? place[step] : emptyRecord();
    if (!isObject(next)) return false;
    place[step] = next;
    place = next;
  }
  if (Object.hasOwn(place, last)) return false;
  place[last] = value;
  return true;
}

/** Without a prototype, so that no name means anything but itself. */
function emptyRecord(): Record<string, unknown> {
  return Object.create(null);
}

/** What the fields of a body change in the record. */
export function diffRecord(fields: unknown, record: unknown): RecordDiff {
  const changes: FieldChange[] = [];
  let same = 0;
  let isCut = false;
  const visit = (path: string, after: unknown, before: unknown, depth: number): void => {
    if (isObject(after) && depth < DEPTH_MAX && Object.keys(after).length > 0) {
      for (const [name, value] of Object.entries(after))
        visit(path === '' ? name : `${path}.${name}`, value, memberOf(before, name), depth + 1);
      return;
    }
    if (isSame(before, after)) same += 1;
    else if (changes.length < CHANGES_MAX)
      changes.push({ field: path, before: describe(before), after: describe(after) ?? '' });
    else isCut = true;
  };
  visit('', fields, record, 0);
  return { changes, same, isCut };
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Some providers take a number and answer it as text. */
function isSame(before: unknown, after: unknown): boolean {
  if (before === undefined) return false;
  if (isScalar(before) && isScalar(after)) return String(before) === String(after);
  return JSON.stringify(before) === JSON.stringify(after);
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function describe(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX)}…` : text;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
