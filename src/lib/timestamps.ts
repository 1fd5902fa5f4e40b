import { readFirstPath } from './json-path.ts';

/**
 * How provider files name the writing of a timestamp. `iso`: RFC 3339, without a zone in UTC; `iso-seconds`: written
 * without fractions; `sql`: `YYYY-MM-DD HH:MM:SS` in UTC. The others count since 1970: polls call the units `epoch-s` and
 * `epoch-ms`, webhooks `seconds` and `milliseconds`.
 */
export type TimestampFormat =
  | 'iso'
  | 'iso-seconds'
  | 'sql'
  | 'epoch-s'
  | 'epoch-ms'
  | 'seconds'
  | 'milliseconds';

export type ExactTimestampFormat = 'iso' | 'seconds' | 'milliseconds';

/** The last timestamp that Postgres and `Date` both hold. */
const TIMESTAMP_MS_MAX = 8.64e15;
/** The times that RFC 3339 can write in UTC: `toISOString` gives other years a sign and six digits. */
export const WRITABLE_MS = {
  first: Date.parse('0000-01-01T00:00:00Z'),
  last: Date.parse('9999-12-31T23:59:59.999Z'),
} as const;
const SQL = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)$/;
const ISO = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?$/;
const COUNT = /^\d{1,15}(?:\.\d{1,9})?$/;

/** Milliseconds since 1970, fractions cut off; undefined where the value is none in this format. */
export function parseTimestamp(value: unknown, format: TimestampFormat): number | undefined {
  const ms = toMilliseconds(value, format);
  return Number.isFinite(ms) && Math.abs(ms) <= TIMESTAMP_MS_MAX ? Math.floor(ms) : undefined;
}

/** The same for a text that a sender wrote: refuses what `Number` and `Date.parse` take beside the format. */
export function parseExactTimestamp(text: string, format: ExactTimestampFormat): number | undefined {
  const isExact = (format === 'iso' ? ISO : COUNT).test(text);
  return isExact ? parseTimestamp(text, format) : undefined;
}

/** The timestamp in a record, in milliseconds since 1970; null where there is none or it cannot be read. */
export function readTimestamp(
  record: unknown,
  place: { readonly path: string | readonly string[]; readonly format: TimestampFormat } | undefined,
): number | null {
  if (place === undefined) return null;
  return parseTimestamp(readFirstPath(record, place.path), place.format) ?? null;
}

function toMilliseconds(value: unknown, format: TimestampFormat): number {
  if (value === '' || (typeof value !== 'string' && typeof value !== 'number')) return Number.NaN;
  switch (format) {
    case 'epoch-ms':
    case 'milliseconds':
      return Number(value);
    case 'epoch-s':
    case 'seconds':
      return Math.round(Number(value) * 1000);
    case 'sql': {
      const [, day, time] = SQL.exec(String(value)) ?? [];
      return Date.parse(`${day}T${time}Z`);
    }
    default:
      return typeof value === 'string' ? Date.parse(normalizeIso(value)) : Number.NaN;
  }
}

/** `2026-01-02 03:04:05 UTC` and `+0000`, as Salesforce writes it, which ECMAScript need not understand. */
function normalizeIso(text: string): string {
  const withColon = text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2');
  if (!ISO.test(text)) return withColon;
  const normal = withColon.replace(' UTC', 'Z').replace(' ', 'T').replace(' ', '');
  return /(?:Z|[+-]\d{2}:\d{2})$/.test(normal.slice(10)) ? normal : `${normal}Z`;
}

export function formatTimestamp(ms: number, format: TimestampFormat): string {
  switch (format) {
    case 'epoch-ms':
    case 'milliseconds':
      return String(ms);
    case 'epoch-s':
    case 'seconds':
      return String(Math.floor(ms / 1000));
    case 'sql':
      return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
    case 'iso-seconds':
      return `${new Date(ms).toISOString().slice(0, 19)}Z`;
    default:
      return new Date(ms).toISOString();
  }
}

/** As RFC 3339 writes it in UTC; null where it cannot. */
export function writeTime(ms: number | null): string | null {
  return ms !== null && isWritable(ms) ? new Date(ms).toISOString() : null;
}

/** Whether RFC 3339 can write it in UTC. */
export function isWritable(ms: number): boolean {
  return ms >= WRITABLE_MS.first && ms <= WRITABLE_MS.last;
}
