import {
  askedWaitMs,
  isOwnRefusalForNow,
  type ResponseHead,
  readDurationMs,
  type WaitRules,
} from '../../catalog/facts/read-retry-after.ts';
import type { Provider } from '../../catalog/schema/provider.schema.ts';

/** What an answer tells of the provider's rate limit. Milliseconds from its arrival. */
export type RateBudget = {
  readonly allowed: number | null;
  readonly remaining: number | null;
  readonly resetsInMs: number | null;
  /** The provider refused the call for now. */
  readonly pausedForMs: number | null;
};

/** Where the provider refuses and does not say for how long. */
const PAUSE_MS_USUAL = 30_000;
/** An account that used up its day is looked at again within this. */
const PAUSE_MS_MAX = 3_600_000;
/** Beyond any window; larger numbers mean another unit than the rules say. */
const RESET_MS_MAX = 86_400_000;
const COUNT_MAX = 2 ** 31 - 1;

/** Reads the rate limit from a response; undefined where it says nothing. `nowMs`: the wall clock, unless the answer has its own. */
export function readRateBudget(
  waitRules: WaitRules,
  answer: ResponseHead,
  nowMs: number,
): RateBudget | undefined {
  const rules = waitRules.rateLimit;
  const date = Date.parse(answer.field('date') ?? '');
  const atMs = Number.isNaN(date) ? nowMs : date;
  const combined = rules?.combined === undefined ? undefined : answer.field(rules.combined);
  const countIn = (header: string | undefined, part: string) =>
    header === undefined ? partOf(combined, part) : numberIn(answer.field(header));
  const remaining = countOf(countIn(rules?.remaining, 'remaining'));
  const allowed = countOf(countIn(rules?.limit, 'limit'));
  const resetsInMs = boundReset(resetIn(rules, answer, combined, atMs));
  const isRefused = answer.status === 429 || isOwnRefusalForNow(waitRules, answer);
  if (!isRefused && remaining === null) return undefined;
  const asked = askedWaitMs(waitRules, answer, nowMs);
  const pausedForMs = isRefused ? Math.min(asked ?? resetsInMs ?? PAUSE_MS_USUAL, PAUSE_MS_MAX) : null;
  return { allowed, remaining: isRefused ? 0 : remaining, resetsInMs, pausedForMs };
}

function resetIn(
  rules: WaitRules['rateLimit'],
  { field }: ResponseHead,
  combined: string | undefined,
  atMs: number,
): number | null {
  if (rules === undefined) return null;
  if (rules.reset === undefined) {
    const seconds = partOf(combined, 'reset');
    return seconds === null ? null : seconds * 1000;
  }
  const text = field(rules.reset);
  if (rules.resetUnit === 'iso') {
    const at = Date.parse(text ?? '');
    return Number.isNaN(at) ? null : at - atMs;
  }
  if (rules.resetUnit === 'duration') return readDurationMs(text) ?? null;
  const value = numberIn(text);
  if (value === null) return null;
  switch (rules.resetUnit) {
    case 'seconds':
      return value * 1000;
    case 'epoch-seconds':
      return value * 1000 - atMs;
    case 'epoch-ms':
      return value - atMs;
    default:
      return value;
  }
}

function boundReset(ms: number | null): number | null {
  return ms === null || ms > RESET_MS_MAX ? null : Math.max(0, ms);
}

function numberIn(text: string | undefined): number | null {
  const [digits] = /^\s*\d{1,15}(?:\.\d{1,6})?/.exec(text ?? '') ?? [];
  return digits === undefined ? null : Number(digits);
}

/** As a column of the store holds it. */
function countOf(value: number | null): number | null {
  return value === null ? null : Math.min(Math.floor(value), COUNT_MAX);
}

/** Names of the parts as the IETF draft of the RateLimit fields has them: `"default";r=50;t=30`. */
const SHORT_PARTS: Readonly<Record<string, string>> = { limit: 'q', remaining: 'r', reset: 't' };

/** `remaining` in `limit=100, remaining=50, reset=5`, with semicolons as well. */
function partOf(combined: string | undefined, part: string): number | null {
  if (combined === undefined) return null;
  for (const piece of combined.slice(0, 500).split(/[,;]/)) {
    const [name = '', value] = piece.split('=');
    const given = name.trim().toLowerCase();
    if (given === part || given === SHORT_PARTS[part]) return numberIn(value);
  }
  return null;
}

/** Whose rate-limit budget the calls of a connection use up: its own, or that of the integration. */
export function findRateBudgetId(
  { rateLimit }: Pick<Provider, 'rateLimit'>,
  owner: { readonly connectionId: string; readonly integrationId: string },
): string {
  return rateLimit?.of === 'integration' ? owner.integrationId : owner.connectionId;
}
