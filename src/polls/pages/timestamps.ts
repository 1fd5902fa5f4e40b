import type { Moment, MomentFormat } from '../../catalog/schema/provider-polls.schema.ts';
import { firstAt } from '../../oauth/json-path.ts';

/** The last moment that a timestamp of Postgres and `Date` both hold. */
const MOMENT_MS_MAX = 8.64e15;
const SQL = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)$/;

/** The moment in a record, in milliseconds since 1970; null where there is none or it cannot be read. */
export function readMoment(value: unknown, moment: Moment | undefined): number | null {
  return moment === undefined ? null : parseMoment(firstAt(value, moment.path), moment.format);
}

/** Fractions below a millisecond are cut off. */
export function parseMoment(value: unknown, format: MomentFormat): number | null {
  const ms = millisecondsOf(value, format);
  return Number.isFinite(ms) && Math.abs(ms) <= MOMENT_MS_MAX ? Math.floor(ms) : null;
}

function millisecondsOf(value: unknown, format: MomentFormat): number {
  if (typeof value !== 'string' && typeof value !== 'number') return Number.NaN;
  switch (format) {
    case 'epoch-ms':
      return value === '' ? Number.NaN : Number(value);
    case 'epoch-s':
      return value === '' ? Number.NaN : Math.round(Number(value) * 1000);
    case 'sql': {
      const [, day, time] = SQL.exec(String(value)) ?? [];
      return Date.parse(`${day}T${time}Z`);
    }
    default:
      return typeof value === 'string' ? Date.parse(normalizeOffset(value)) : Number.NaN;
  }
}

/** Salesforce writes `+0000`, which ECMAScript need not understand. */
function normalizeOffset(text: string): string {
  return text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2');
}

export function formatMoment(ms: number, format: MomentFormat): string {
  switch (format) {
    case 'epoch-ms':
      return String(ms);
    case 'epoch-s':
      return String(Math.floor(ms / 1000));
    case 'sql':
      return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
    case 'iso-seconds':
      return `${new Date(ms).toISOString().slice(0, 19)}Z`;
    default:
      return new Date(ms).toISOString();
  }
}
