import { z } from 'zod';

const OPTIONS_MAX = 12;

/** Names of zod's types as a caller of a JSON API knows them. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  bigint: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  map: 'an object',
  array: 'a list',
  tuple: 'a list',
  set: 'a list',
  date: 'a date',
  null: 'null',
};

const FORMATS: Readonly<Record<string, string>> = {
  email: 'an e-mail address',
  url: 'an address (URL)',
  uuid: 'a UUID',
  guid: 'a UUID',
  datetime: 'a time as 2026-01-31T09:30:00Z (RFC 3339)',
  date: 'a day as 2026-01-31',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  cidrv4: 'a range of IPv4 addresses',
  cidrv6: 'a range of IPv6 addresses',
  base64: 'Base64',
  base64url: 'Base64url',
  jwt: 'a JWT',
};

/**
 * What is wrong with a value, in plain words: zod's error map for everything that comes from a caller or from a file. Words
 * of a schema's own win. Never names the value that came, so that the words are safe to answer.
 */
export function explainIssue(issue: z.core.$ZodRawIssue): string | undefined {
  const wanted = describeWanted(issue);
  if (wanted === undefined) return undefined;
  if (issue.input === undefined) return `is missing: ${wanted}${describePurpose(issue)}`;
  return `must be ${wanted}`;
}

/** What the field is for, where its schema says so. */
function describePurpose({ inst }: z.core.$ZodRawIssue): string {
  const schema = inst instanceof z.ZodType ? inst : undefined;
  return schema?.description === undefined ? '' : ` (${schema.description})`;
}

function describeWanted(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[String(issue.expected)] ?? 'a value of another type';
    case 'invalid_value':
      return describeOptions(toList(issue.values));
    case 'invalid_format':
      return FORMATS[String(issue.format)] ?? 'of another form';
    case 'too_small':
      return describeBound(issue.origin, 'at least', issue.minimum, issue.inclusive);
    case 'too_big':
      return describeBound(issue.origin, 'at most', issue.maximum, issue.inclusive);
    case 'not_multiple_of':
      return `a multiple of ${String(issue.divisor)}`;
    case 'invalid_union':
      return describeUnion(issue.errors);
    case 'invalid_key':
      return 'an object whose names have the right form';
    case 'invalid_element':
      return 'a list whose elements have the right form';
    default:
      return undefined;
  }
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** By the list itself, which a schema hands on with each of its issues: a value may have ten thousand. */
const described = new WeakMap<readonly unknown[], string>();

function describeOptions(values: readonly unknown[]): string {
  const known = described.get(values) ?? listOptions(values);
  described.set(values, known);
  return known;
}

function listOptions(values: readonly unknown[]): string {
  const shown = values.slice(0, OPTIONS_MAX).map(String);
  const rest = values.length - shown.length;
  if (values.length === 1) return shown.join();
  return `one of ${shown.join(', ')}${rest > 0 ? ` and ${rest} others` : ''}`;
}

function describeBound(origin: unknown, relation: string, bound: unknown, isInclusive: unknown): string {
  const limit = String(bound);
  const isOne = limit === '1';
  if (origin === 'string') {
    return relation === 'at least' && isOne
      ? 'a text that is not empty'
      : `a text of ${relation} ${limit} character${isOne ? '' : 's'}`;
  }
  if (origin === 'array' || origin === 'set') {
    return `a list of ${relation} ${limit} element${isOne ? '' : 's'}`;
  }
  if (isInclusive !== false) return `${relation} ${limit}`;
  return `${relation === 'at least' ? 'more' : 'less'} than ${limit}`;
}

/** The kinds that its branches take, where the value is of none of them. */
function describeUnion(branches: unknown): string | undefined {
  const messages = toList(branches).map((issues) => {
    const [first] = toList(issues);
    const isWhole = isIssue(first) && first.path.length === 0;
    return isWhole ? /^(?:must be|is missing:) (.*)$/.exec(first.message)?.[1] : undefined;
  });
  const known = messages.filter((message) => message !== undefined);
  if (known.length === 0 || known.length < messages.length) return undefined;
  return [...new Set(known)].join(', or ');
}

function isIssue(value: unknown): value is { path: readonly unknown[]; message: string } {
  return typeof value === 'object' && value !== null && 'path' in value && 'message' in value;
}
