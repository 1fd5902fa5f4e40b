import { type Durations, describeHistogram, newDurations, noteDuration } from './durations.ts';
import { statusClass } from './proxy-metrics.ts';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

type Tally = { readonly labels: Readonly<Record<string, string>>; readonly durations: Durations };

type Latest = Pick<FinishedRequest, 'method' | 'route' | 'status'> & { readonly tally: Tally };

type FinishedRequest = {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly durationSeconds: number;
};

/** Metrics of requests to the gateway itself. */
export function createRequestMetrics() {
  const tallies = new Map<string, Tally>();
  let latest: Latest | undefined;
  return {
    /** The durations by method, route and status. */
    readDurations: () =>
      describeHistogram(
        'gateway_http_request_duration_seconds',
        'Duration of requests to the gateway itself, by route template.',
        [...tallies.values()],
      ),

    /** Counts a finished request. `route` must be a template, not a path. */
    countRequest({ method, route, status, durationSeconds }: FinishedRequest): void {
      // Calls of tools are of one route, and most requests are like the one before.
      if (latest?.method !== method || latest.route !== route || latest.status !== status)
        latest = { method, route, status, tally: tallyOf(method, route, status) };
      noteDuration(latest.tally.durations, durationSeconds);
    },
  };

  function tallyOf(given: string, route: string, status: number): Tally {
    const method = METHODS.has(given) ? given : 'other';
    const status_class = statusClass(status);
    const key = `${method} ${status_class} ${route}`;
    const known = tallies.get(key);
    if (known !== undefined) return known;
    const tally = { labels: { method, route, status_class }, durations: newDurations() };
    tallies.set(key, tally);
    return tally;
  }
}
