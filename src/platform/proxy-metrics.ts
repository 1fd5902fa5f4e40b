import { Counter, type Registry } from 'prom-client';
import { type Durations, describeHistogram, newDurations, noteDuration } from './durations.ts';

/** More providers than any catalog has: bounds the series should a caller's text ever get here. */
const PROVIDERS_MAX = 500;

/** `2xx` and so on: few values for a label. */
export function statusClass(status: number): string {
  return status >= 100 && status < 600 ? `${Math.floor(status / 100)}xx` : 'none';
}

/** Calls of one provider that ended in one way. */
type Tally = {
  readonly provider: string;
  readonly outcome: string;
  repeats: number;
  readonly durations: Durations;
};

/** Metrics of proxied calls, in the given registry. */
export function createProxyMetrics(registry: Registry) {
  const tallies: Tally[] = [];
  const byProvider = new Map<string, Map<string, Tally>>();
  exposeCounts(registry, tallies);

  function tallyOf(provider: string, outcome: string): Tally {
    const known = byProvider.get(provider)?.get(outcome);
    if (known) return known;
    const name = byProvider.has(provider) || byProvider.size < PROVIDERS_MAX ? provider : 'other';
    const siblings = byProvider.get(name) ?? new Map<string, Tally>();
    byProvider.set(name, siblings);
    const tally = siblings.get(outcome) ?? newTally(name, outcome);
    if (!siblings.has(outcome)) tallies.push(tally);
    siblings.set(outcome, tally);
    return tally;
  }

  return {
    /** The durations by provider and outcome. */
    readDurations: () =>
      describeHistogram(
        'gateway_proxy_call_duration_seconds',
        'Duration of proxied calls from first byte in to last byte out.',
        tallies.map(({ provider, outcome, durations }) => ({ labels: { provider, outcome }, durations })),
      ),
    /**
     * Counts a proxied call. `connectionId` says that the provider's name has been checked: until then it is the
     * caller's text and must not become a label.
     */
    countCall(call: {
      provider: string;
      connectionId: string | undefined;
      status: number;
      error: string | undefined;
      durationMs: number;
      attempts: number;
    }): void {
      const outcome = call.error ?? (call.status === 0 ? 'caller_gone' : statusClass(call.status));
      const tally = tallyOf(call.connectionId === undefined ? 'none' : call.provider, outcome);
      noteDuration(tally.durations, call.durationMs / 1000);
      if (call.attempts > 1) tally.repeats += call.attempts - 1;
    },
  };
}

function newTally(provider: string, outcome: string): Tally {
  return { provider, outcome, repeats: 0, durations: newDurations() };
}

/** Makes counters of the tallies whenever they are read. */
function exposeCounts(registry: Registry, tallies: readonly Tally[]): void {
  const labelNames = ['provider', 'outcome'] as const;
  new Counter({
    name: 'gateway_proxy_calls_total',
    help: 'Proxied calls by provider and outcome: a status class of the provider, or the gateway error code.',
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      for (const { provider, outcome, durations } of tallies)
        this.inc({ provider, outcome }, durations.count);
    },
  });
  new Counter({
    name: 'gateway_proxy_repeats_total',
    help: 'Requests to providers beyond the first one of a call.',
    labelNames: ['provider'] as const,
    registers: [registry],
    collect() {
      this.reset();
      for (const { provider, repeats } of tallies) this.inc({ provider }, repeats);
    },
  });
}
