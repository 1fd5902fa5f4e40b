import type { ProxiedCall } from '../proxy/contract.ts';
import { findCallOrigin } from './call-outcome.ts';
import { BUCKETS, encodeHistogram, findBucket } from './latency-histogram.ts';
import { createWaitingRows } from './waiting-rows.ts';

const MINUTE_MS = 60_000;
/** Of integrations, and as many of projects; two kilobytes each. */
const TALLIES_MAX = 4_096;
/** Of these, the most for one project; its further integrations are counted together. */
const TALLIES_PER_PROJECT_MAX = 512;
/** Projects whose calls with a bad token are counted between two flushes: their ids are the callers' text. */
const UNVERIFIED_MAX = 256;
/** Counts that could not be stored yet, some 250 bytes each. */
const WAITING_ROWS_MAX = 20_000;

/** What one process counted of one integration within a minute. Without an integration: the project's other calls. */
export type CountedRow = {
  readonly projectId: string;
  readonly integrationId: string | null;
  readonly provider: string | null;
  readonly minute: Date;
  readonly lastCallAt: Date;
  readonly calls: number;
  readonly gatewayErrors: number;
  readonly providerErrors: number;
  readonly latencies: Buffer;
  readonly gatewayLatencies: Buffer;
};

class Tally {
  calls = 0;
  gatewayErrors = 0;
  providerErrors = 0;
  lastCallAtMs = 0;
  readonly latencies = new Uint32Array(BUCKETS);
  readonly gatewayLatencies = new Uint32Array(BUCKETS);
  readonly projectId: string;
  readonly integrationId: string | null;
  readonly provider: string | null;

  constructor(projectId: string, integrationId: string | null, provider: string | null) {
    this.projectId = projectId;
    this.integrationId = integrationId;
    this.provider = provider;
  }
}

/**
 * Counts finished calls in memory, by minute and integration, until `take` gives them away to be stored. A call costs two
 * look-ups and some increments.
 */
export function createCallCounts({ now }: { now(): number }) {
  let minute = 0;
  let ofIntegrations = new Map<string, Tally>();
  /** Apart: with a bad token, the project's id is the caller's text, and may be the id of an integration. */
  let ofProjects = new Map<string, Tally>();
  let talliesOfProject = new Map<string, number>();
  let unverified = 0;
  const waiting = createWaitingRows<CountedRow>({
    rowsMax: WAITING_ROWS_MAX,
    callsOf: (row) => row.calls,
  });

  function tallyOf(call: ProxiedCall, projectId: string, isVerified: boolean): Tally | undefined {
    const { integrationId } = call;
    if (integrationId !== undefined) {
      const known = ofIntegrations.get(integrationId);
      if (known) return known;
      const siblings = talliesOfProject.get(projectId) ?? 0;
      if (siblings < TALLIES_PER_PROJECT_MAX && ofIntegrations.size < TALLIES_MAX) {
        talliesOfProject.set(projectId, siblings + 1);
        return add(ofIntegrations, integrationId, new Tally(projectId, integrationId, call.provider));
      }
    }
    const known = ofProjects.get(projectId);
    if (known) return known;
    if (!isVerified) {
      if (unverified >= UNVERIFIED_MAX) return undefined;
      unverified += 1;
    } else if (ofProjects.size >= TALLIES_MAX) return undefined;
    return add(ofProjects, projectId, new Tally(projectId, null, null));
  }

  function add(tallies: Map<string, Tally>, key: string, tally: Tally): Tally {
    tallies.set(key, tally);
    return tally;
  }

  /** Makes rows of what has been counted, which are waiting from then on. */
  function closeTallies(): void {
    const rows = [ofIntegrations, ofProjects].flatMap((tallies) =>
      [...tallies.values()].map((tally) => rowOf(tally, minute)),
    );
    ofIntegrations = new Map();
    ofProjects = new Map();
    talliesOfProject = new Map();
    unverified = 0;
    waiting.add(rows);
  }

  return {
    /** Counts a call of the project. `isVerified`: the caller's token was accepted. */
    count(call: ProxiedCall, projectId: string, isVerified: boolean): void {
      const nowMs = now();
      const current = Math.floor(nowMs / MINUTE_MS);
      if (current !== minute) {
        closeTallies();
        minute = current;
      }
      const tally = tallyOf(call, projectId, isVerified);
      if (tally === undefined) {
        waiting.noteLost();
        return;
      }
      tally.calls += 1;
      tally.lastCallAtMs = nowMs;
      const origin = findCallOrigin(call);
      if (origin === 'gateway') tally.gatewayErrors += 1;
      else if (origin === 'provider') tally.providerErrors += 1;
      increment(tally.latencies, call.durationMs);
      increment(tally.gatewayLatencies, call.durationMs - call.providerMs);
    },

    /** The oldest rows that wait to be stored, at most `limit`. They stay until `drop`. */
    take(limit: number): readonly CountedRow[] {
      if (ofIntegrations.size + ofProjects.size > 0) closeTallies();
      return waiting.take(limit);
    },

    drop: waiting.drop,
    takeLost: waiting.takeLost,
  };
}

function increment(histogram: Uint32Array, ms: number): void {
  const bucket = findBucket(ms);
  histogram[bucket] = (histogram[bucket] ?? 0) + 1;
}

function rowOf(tally: Tally, minute: number): CountedRow {
  const { projectId, integrationId, provider, calls, gatewayErrors, providerErrors } = tally;
  return {
    projectId,
    integrationId,
    provider,
    minute: new Date(minute * MINUTE_MS),
    lastCallAt: new Date(tally.lastCallAtMs),
    calls,
    gatewayErrors,
    providerErrors,
    latencies: encodeHistogram(tally.latencies),
    gatewayLatencies: encodeHistogram(tally.gatewayLatencies),
  };
}
