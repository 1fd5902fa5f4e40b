import { readRetryAfterMs } from '../../lib/retry-after.ts';
import type { Provider } from '../schema/provider.schema.ts';

/** What a provider file says of answers that mean "later". */
export type WaitRules = Pick<Provider, 'retry' | 'rateLimit'>;

/** The rules alone, so that a long-lived table does not hold on to a provider that was replaced. */
export function pickWaitRules(provider: WaitRules | undefined): WaitRules {
  return { retry: provider?.retry, rateLimit: provider?.rateLimit };
}

/** An answer: its status, and a way to read a field by any case of its name. */
export type ResponseHead = { readonly status: number; readonly field: (name: string) => string | undefined };

/** Statuses that refuse for other reasons as well: alone they do not mean "later". */
const AMBIGUOUS: ReadonlySet<number> = new Set([400, 401, 403, 404, 409, 422]);
/** Numbers above it count milliseconds since 1970: as seconds they lie beyond the year 5000. */
const EPOCH_SECONDS_MAX = 1e11;

/** True for a refusal by which this provider says "later", beyond the statuses that every provider uses for it. */
export function isOwnRefusalForNow(
  { retry, rateLimit }: WaitRules,
  { status, field }: ResponseHead,
): boolean {
  const isNamed = retry?.statuses.includes(status) || rateLimit?.statuses.includes(status);
  if (!isNamed) return false;
  if (!AMBIGUOUS.has(status) || field('retry-after') !== undefined) return true;
  const remaining = rateLimit?.remaining;
  return remaining !== undefined && /^\s*0+(?:\.0+)?\s*(?:$|[,;])/.test(field(remaining) ?? '');
}

/**
 * Milliseconds that an answer asks to wait: `Retry-After`, else what the provider's own fields say. Undefined where no
 * field can be read. `nowMs` is the wall clock, by which timestamps are judged unless the response has its own time.
 */
export function askedWaitMs(rules: WaitRules, { field }: ResponseHead, nowMs: number): number | undefined {
  const dateMs = Date.parse(field('date') ?? '');
  const atMs = Number.isNaN(dateMs) ? nowMs : dateMs;
  const standard = readRetryAfterMs(field('retry-after'), nowMs);
  if (standard !== undefined || rules.retry === undefined) return standard;
  for (const name of rules.retry.after) {
    const lengthMs = readDurationMs(field(name));
    if (lengthMs !== undefined) return lengthMs;
  }
  for (const name of rules.retry.at) {
    const timestampMs = readTimestampMs(field(name));
    if (timestampMs !== undefined) return Math.max(0, timestampMs - atMs);
  }
  return undefined;
}

const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

const DURATION_PARTS_MAX = 5;

/** `30`, `1.5` (seconds), `350ms`, `1m30s`; undefined for everything else. */
export function readDurationMs(text: string | undefined): number | undefined {
  const given = text?.trim() ?? '';
  if (/^\d{1,9}(?:\.\d{1,6})?$/.test(given)) return Math.round(Number(given) * 1_000);
  const parts = given.split(/(?<=[a-z])(?=\d)/, DURATION_PARTS_MAX + 1);
  if (parts.length > DURATION_PARTS_MAX) return undefined;
  let sumMs = 0;
  for (const part of parts) {
    const [, count, unit = ''] = /^(\d{1,9}(?:\.\d{1,6})?)(ms|s|m|h|d)$/.exec(part) ?? [];
    if (count === undefined) return undefined;
    sumMs += Number(count) * (UNITS_MS[unit] ?? 0);
  }
  return Math.round(sumMs);
}

function readTimestampMs(text: string | undefined): number | undefined {
  const given = text?.trim() ?? '';
  if (/^\d{9,16}(?:\.\d{1,6})?$/.test(given)) {
    const count = Number(given);
    return count > EPOCH_SECONDS_MAX ? count : count * 1_000;
  }
  const timestampMs = Date.parse(given);
  return Number.isNaN(timestampMs) || /^\d+$/.test(given) ? undefined : timestampMs;
}
