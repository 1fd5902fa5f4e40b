import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type PrometheusContentType,
  Registry,
} from 'prom-client';
import { createWebhookMetrics } from './webhook-metrics.ts';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** More providers than any catalog has: bounds the series should a caller's text ever get here. */
const PROVIDERS_MAX = 500;

export type PoolUse = { readonly used: number; readonly free: number; readonly waiting: number };

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * The gateway's Prometheus metrics in a registry of their own (never prom-client's global one, which tests and
 * workers would share). Labels are templates, provider names and codes, so that the number of series is bounded.
 */
export function createMetrics(options: { processMetrics?: boolean } = {}) {
  const registry = new Registry();
  if (options.processMetrics !== false) collectDefaultMetrics({ register: registry });
  const { countCall, readDurations } = createProxyMetrics(registry);
  let defaultLabels: Record<string, number> = {};
  return {
    countCall,
    ...createRequestMetrics(registry),
    ...createRefreshMetrics(registry),
    ...createConnectMetrics(registry),
    ...createDeliveryMetrics(registry),
    ...createPoolMetrics(registry),
    ...createStoreMetrics(registry),
    ...createPollMetrics(registry),
    ...createWebhookMetrics(registry),
    ...createJobMetrics(registry),
    /** Labels every series with the worker process that it is from: one port leads to any of them. */
    nameWorker(worker: number): void {
      defaultLabels = { worker };
      registry.setDefaultLabels(defaultLabels);
    },
    /** The exposition text and its media type. */
    async expose(): Promise<{ contentType: string; body: string }> {
      // prom-client's histogram takes single observations only. This is its way to take values that were counted elsewhere.
      const durations = AggregatorRegistry.aggregate<PrometheusContentType>([[readDurations()]]);
      durations.setDefaultLabels(defaultLabels);
      const bodies = await Promise.all([registry.metrics(), durations.metrics()]);
      return { contentType: registry.contentType, body: bodies.join('\n') };
    },
  };
}

function createRequestMetrics(registry: Registry) {
  const duration = new Histogram({
    name: 'gateway_http_request_duration_seconds',
    help: 'Duration of requests to the gateway itself, by route template.',
    labelNames: ['method', 'route', 'status_class'] as const,
    buckets: SECONDS,
    registers: [registry],
  });
  return {
    /** Counts a finished request. `route` must be a template, not a path. */
    countRequest(request: { method: string; route: string; status: number; durationSeconds: number }): void {
      const method = METHODS.has(request.method) ? request.method : 'other';
      duration.labels(method, request.route, statusClass(request.status)).observe(request.durationSeconds);
    },
  };
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

function statusClass(status: number): string {
  return status >= 100 && status < 600 ? `${Math.floor(status / 100)}xx` : 'none';
}

/** Calls of one provider that ended in one way. Plain numbers: prom-client hashes the labels at every observation. */
type Tally = {
  readonly provider: string;
  readonly outcome: string;
  calls: number;
  repeats: number;
  seconds: number;
  /** Calls in each bucket of SECONDS alone, and beyond the last. */
  readonly buckets: number[];
};

function createProxyMetrics(registry: Registry) {
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
    /** The durations by provider and outcome, as `registry.getMetricsAsJSON()` gives a histogram. */
    readDurations: () => ({
      name: DURATION,
      help: 'Duration of proxied calls from first byte in to last byte out.',
      type: 'histogram',
      aggregator: 'sum',
      values: tallies.flatMap(histogramValues),
    }),
    /**
     * Counts a proxied call. `connectionId` tells that the provider's name has been checked: until then it is the
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
      const seconds = call.durationMs / 1000;
      let bucket = 0;
      while (bucket < SECONDS.length && seconds > (SECONDS[bucket] ?? 0)) bucket += 1;
      tally.buckets[bucket] = (tally.buckets[bucket] ?? 0) + 1;
      tally.calls += 1;
      tally.seconds += seconds;
      if (call.attempts > 1) tally.repeats += call.attempts - 1;
    },
  };
}

function newTally(provider: string, outcome: string): Tally {
  const buckets = new Array<number>(SECONDS.length + 1).fill(0);
  return { provider, outcome, calls: 0, repeats: 0, seconds: 0, buckets };
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
      for (const { provider, outcome, calls } of tallies) this.inc({ provider, outcome }, calls);
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

const DURATION = 'gateway_proxy_call_duration_seconds';

function histogramValues({ provider, outcome, calls, seconds, buckets }: Tally) {
  let below = 0;
  const counted = SECONDS.map((le, index) => {
    below += buckets[index] ?? 0;
    return { metricName: `${DURATION}_bucket`, labels: { provider, outcome, le }, value: below };
  });
  return [
    ...counted,
    { metricName: `${DURATION}_bucket`, labels: { provider, outcome, le: '+Inf' }, value: calls },
    { metricName: `${DURATION}_sum`, labels: { provider, outcome }, value: seconds },
    { metricName: `${DURATION}_count`, labels: { provider, outcome }, value: calls },
  ];
}

function createRefreshMetrics(registry: Registry) {
  const refreshes = new Counter({
    name: 'gateway_token_refreshes_total',
    help: 'Token refreshes by provider and outcome.',
    labelNames: ['provider', 'outcome'] as const,
    registers: [registry],
  });
  return {
    /** `outcome`: `refreshed`, `reauthorization_required`, `failed` and the like; a small fixed set. */
    countRefresh(provider: string, outcome: string): void {
      refreshes.labels(provider, outcome).inc();
    },
  };
}

function createConnectMetrics(registry: Registry) {
  const failures = new Counter({
    name: 'gateway_connect_failures_total',
    help: 'Failures to connect an account, by provider and error code.',
    labelNames: ['provider', 'error'] as const,
    registers: [registry],
  });
  return {
    /** `provider`: `none` where it is not known which one it was about. */
    countConnectFailure(provider: string, error: string): void {
      failures.labels(provider, error).inc();
    },
  };
}

function createDeliveryMetrics(registry: Registry) {
  const attempts = new Counter({
    name: 'gateway_event_deliveries_total',
    help: 'Attempts to deliver an event, by outcome: delivered, failed (another attempt comes) or dead (none does).',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  const waiting = gauge(
    'gateway_event_deliveries_waiting',
    'Deliveries of enabled destinations that wait for an attempt, in the whole store; counted up to 200,000.',
  );
  const oldest = gauge(
    'gateway_event_deliveries_oldest_seconds',
    'Age of the oldest event that waits for an attempt, in the whole store.',
  );
  const disabled = gauge(
    'gateway_event_destinations_disabled',
    'Destinations that were disabled because they answered 410 or failed for five days.',
  );
  return {
    countDelivery: (outcome: string): void => attempts.labels(outcome).inc(),
    noteDeliveryQueues(queues: { waiting: number; oldestSeconds: number; disabled: number }): void {
      waiting.set(queues.waiting);
      oldest.set(queues.oldestSeconds);
      disabled.set(queues.disabled);
    },
  };
}

function createPoolMetrics(registry: Registry) {
  const pools = new Map<string, () => PoolUse>();
  const connections = new Gauge({
    name: 'gateway_store_pool_connections',
    help: 'Connections of a database pool by state; waiting counts queries without one.',
    labelNames: ['pool', 'state'] as const,
    registers: [registry],
    collect() {
      for (const [pool, read] of pools) {
        for (const [state, count] of Object.entries(read())) connections.labels(pool, state).set(count);
      }
    },
  });
  return {
    /** Reads the pool whenever the metrics are read. */
    watchPool(pool: string, read: () => PoolUse): void {
      pools.set(pool, read);
    },
  };
}

function createStoreMetrics(registry: Registry) {
  let isReady: () => Promise<boolean> = async () => false;
  new Gauge({
    name: 'gateway_store_up',
    help: '1 while the store answers, 0 while it is away.',
    registers: [registry],
    async collect() {
      this.set((await isReady()) ? 1 : 0);
    },
  });
  const skew = new Gauge({
    name: 'gateway_clock_skew_seconds',
    help: 'How far the clock of this machine is ahead of that of the database, as last measured.',
    registers: [registry],
  });
  return {
    noteClockSkew: (seconds: number): void => skew.set(seconds),
    /** Asks whether the store answers whenever the metrics are read. */
    watchStore(ask: () => Promise<boolean>): void {
      isReady = ask;
    },
  };
}

type JobDepth = {
  readonly name: string;
  readonly due: number;
  readonly later: number;
  readonly active: number;
  readonly oldestDueSeconds: number;
};

function createJobMetrics(registry: Registry) {
  let count: () => Promise<readonly JobDepth[]> = async () => [];
  // Without the store there are no figures, rather than old ones.
  const read = () => count().catch(() => []);
  new Gauge({
    name: 'gateway_jobs_oldest_due_seconds',
    help: 'For how long the oldest job that is due has waited, by name, over all processes.',
    labelNames: ['name'] as const,
    registers: [registry],
    async collect() {
      const depths = await read();
      this.reset();
      for (const { name, oldestDueSeconds } of depths) this.labels(name).set(oldestDueSeconds);
    },
  });
  new Gauge({
    name: 'gateway_jobs',
    help: 'Background jobs over all processes by name and state: due, later (their time has not come), active.',
    labelNames: ['name', 'state'] as const,
    registers: [registry],
    async collect() {
      const depths = await read();
      this.reset();
      for (const { name, due, later, active } of depths)
        for (const [state, jobs] of Object.entries({ due, later, active }))
          this.labels(name, state).set(jobs);
    },
  });
  return {
    /** Counts the jobs whenever the metrics are read. */
    watchJobs(read: () => Promise<readonly JobDepth[]>): void {
      count = read;
    },
  };
}

function createPollMetrics(registry: Registry) {
  const runs = new Counter({
    name: 'gateway_poll_runs_total',
    help: 'Ends of poll runs by outcome: completed, or the code of what stopped it.',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  const lag = new Gauge({
    name: 'gateway_poll_lag_seconds',
    help: 'How long ago the changes of the polled connection that is furthest behind were read, as last measured.',
    registers: [registry],
  });
  const connections = new Gauge({
    name: 'gateway_poll_connections',
    help: 'Polled connections by state, over all polls that are not paused, as last measured.',
    labelNames: ['state'] as const,
    registers: [registry],
  });
  return {
    /** `outcome`: `completed` or an error code; a small fixed set. */
    countPollRun(outcome: string): void {
      runs.labels(outcome).inc();
    },
    notePolls(found: { lagSeconds: number; failing: number; connections: number }): void {
      lag.set(found.lagSeconds);
      connections.labels('failing').set(found.failing);
      connections.labels('working').set(found.connections - found.failing);
    },
  };
}
