import { type Durations, listHistogram, newDurations, noteDuration } from './durations.ts';
import { statusClass } from './proxy-metrics.ts';

const DURATION = 'gateway_http_request_duration_seconds';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

type Tally = { readonly labels: Readonly<Record<string, string>>; readonly durations: Durations };

/** Metrics of requests to the gateway itself. */
export function createRequestMetrics() {
  const tallies = new Map<string, Tally>();
  return {
    /** The durations by method, route and status, as `registry.getMetricsAsJSON()` gives a histogram. */
    readDurations: () => ({
      name: DURATION,
      help: 'Duration of requests to the gateway itself, by route template.',
      type: 'histogram',
      aggregator: 'sum',
      values: [...tallies.values()].flatMap(({ labels, durations }) =>
        listHistogram(DURATION, labels, durations),
      ),
    }),

    /** Counts a finished request. `route` must be a template, not a path. */
    countRequest(request: { method: string; route: string; status: number; durationSeconds: number }): void {
      const method = METHODS.has(request.method) ? request.method : 'other';
      const status_class = statusClass(request.status);
      const key = `${method} ${status_class} ${request.route}`;
      let tally = tallies.get(key);
      if (tally === undefined) {
        tally = { labels: { method, route: request.route, status_class }, durations: newDurations() };
        tallies.set(key, tally);
      }
      noteDuration(tally.durations, request.durationSeconds);
    },
  };
}
