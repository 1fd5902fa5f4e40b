import { isRecord } from '../../src/lib/is-record.ts';
import type { LiveCheck } from '../check-live.ts';

/** What is kept of an entry: when it was asked last, what of, and since when an answer differs from the file. */
export type KeptResult = {
  readonly provider: string;
  readonly asked: string;
  readonly checks: Readonly<Record<string, LiveCheck['outcome']>>;
  /** What differs, and the day on which it did first. */
  readonly differs?: readonly string[];
  readonly since?: string;
  /** Days in a row on which it was asked and differed. */
  readonly days?: number;
};

/** An answer that differs is asked for again on the next day; after so many in a row it is reported. */
const DAYS_UNTIL_REPORT = 3;

/** The kept results, a line of JSON for each entry. Throws where a line is none. */
export function readResults(text: string): KeptResult[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const parsed: unknown = JSON.parse(line);
      if (!isResult(parsed)) throw new Error(`no result: ${line}`);
      return parsed;
    });
}

function isResult(value: unknown): value is KeptResult {
  return isRecord(value) && typeof value.provider === 'string' && typeof value.asked === 'string';
}

/** The results with those of a day. An address that could not be reached changes nothing: it says nothing of the file. */
export function keepResults(
  kept: readonly KeptResult[],
  checks: readonly LiveCheck[],
  day: string,
): KeptResult[] {
  const results = new Map(kept.map((result) => [result.provider, result]));
  for (const [provider, answers] of Map.groupBy(checks, (check) => check.provider)) {
    results.set(provider, resultOf(provider, answers, results.get(provider), day));
  }
  return [...results.values()].toSorted((left, right) => (left.provider < right.provider ? -1 : 1));
}

function resultOf(
  provider: string,
  answers: readonly LiveCheck[],
  before: KeptResult | undefined,
  day: string,
): KeptResult {
  const checks = Object.fromEntries(answers.map(({ check, outcome }) => [check, outcome]));
  const differs = answers
    .filter(({ outcome }) => outcome === 'differs')
    .map(({ check, detail, url }) => `${check}: ${url} ${detail}`);
  const result = { provider, asked: day, checks };
  if (differs.length === 0) {
    const isSilent = answers.every(({ outcome }) => outcome === 'unreachable' || outcome === 'skipped');
    return isSilent && before !== undefined ? { ...before, asked: day, checks } : result;
  }
  const days = before?.asked === day ? (before.days ?? 1) : (before?.days ?? 0) + 1;
  return { ...result, differs, since: before?.since ?? day, days };
}

export function writeResults(results: readonly KeptResult[]): string {
  return results.map((result) => `${JSON.stringify(result)}\n`).join('');
}

/** Entries to ask again, whosever day it is. */
export function listDiffering(results: readonly KeptResult[]): string[] {
  return results.filter(({ days = 0 }) => days > 0).map(({ provider }) => provider);
}

export type Report = { readonly title: string; readonly body: string };

/** One report for each vendor whose answers differed three days in a row. `vendorOf` names whose product an entry is. */
export function listReports(
  results: readonly KeptResult[],
  vendorOf: (provider: string) => string,
): Report[] {
  const lasting = results.filter(({ days = 0 }) => days >= DAYS_UNTIL_REPORT);
  return [...Map.groupBy(lasting, ({ provider }) => vendorOf(provider))].map(([vendor, entries]) => ({
    title: `Catalog: facts of ${vendor} differ`,
    body: entries
      .map(({ provider, since, differs = [] }) =>
        [`**${provider}**, since ${since}:`, ...differs.map((each) => `- ${each}`)].join('\n'),
      )
      .join('\n\n'),
  }));
}
