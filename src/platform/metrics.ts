import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  type PrometheusContentType,
  Registry,
} from 'prom-client';
import { createProviderLabels } from './provider-labels.ts';
import { createProxyMetrics } from './proxy-metrics.ts';
import { createRequestMetrics } from './request-metrics.ts';
import type { MetricReading } from './telemetry.ts';
import { createWebhookMetrics } from './webhook-metrics.ts';

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
  const requests = createRequestMetrics();
  const readTallied = () => [requests.readDurations(), readDurations()];
  let defaultLabels: Record<string, number> = {};
  return {
    countCall,
    countRequest: requests.countRequest,
    ...createRefreshMetrics(registry),
    ...createConnectMetrics(registry),
    ...createDeliveryMetrics(registry),
    ...createPoolMetrics(registry),
    ...createStoreMetrics(registry),
    ...createPollMetrics(registry),
    ...createWebhookMetrics(registry),
    ...createJobMetrics(registry),
    ...createLogMetrics(registry),
    /** Labels every series with the worker process that it is from: one port leads to any of them. */
    nameWorker(worker: number): void {
      defaultLabels = { worker };
      registry.setDefaultLabels(defaultLabels);
    },
    /** The same numbers as values. */
    async read(): Promise<readonly MetricReading[]> {
      const tallied = readTallied().map((durations) => ({
        ...durations,
        values: durations.values.map((one) => ({ ...one, labels: { ...one.labels, ...defaultLabels } })),
      }));
      return [...(await registry.getMetricsAsJSON()), ...tallied];
    },
    /** The exposition text and its media type. */
    async expose(): Promise<{ contentType: string; body: string }> {
      // prom-client's histogram takes single observations only. This is its way to take values that were counted elsewhere.
      const durations = AggregatorRegistry.aggregate<PrometheusContentType>([readTallied()]);
      durations.setDefaultLabels(defaultLabels);
      const bodies = await Promise.all([registry.metrics(), durations.metrics()]);
      return { contentType: registry.contentType, body: bodies.join('\n') };
    },
  };
}

function createRefreshMetrics(registry: Registry) {
  const refreshes = new Counter({
    name: 'gateway_token_refreshes_total',
    help: 'Token refreshes by provider and outcome.',
    labelNames: ['provider', 'outcome'] as const,
    registers: [registry],
  });
  const labelOf = createProviderLabels();
  return {
    /** `outcome`: `refreshed`, `reauthorization_required`, `failed` and the like; a small fixed set. */
    countRefresh(provider: string, outcome: string): void {
      refreshes.labels(labelOf(provider), outcome).inc();
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
  const labelOf = createProviderLabels();
  return {
    /** `provider`: `none` where it is not known which one it was about. */
    countConnectFailure(provider: string, error: string): void {
      failures.labels(labelOf(provider), error).inc();
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
  let countProcesses: () => number = () => 1;
  new Gauge({
    name: 'gateway_processes',
    help: 'Processes of the installation that live, as this one has seen last; they share limits.',
    registers: [registry],
    collect() {
      this.set(countProcesses());
    },
  });
  return {
    /** Counts the processes whenever the metrics are read. */
    watchProcesses(count: () => number): void {
      countProcesses = count;
    },
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

function createLogMetrics(registry: Registry) {
  let read = () => 0;
  new Counter({
    name: 'gateway_log_lines_dropped_total',
    help: 'Log lines that standard output did not take: no space, or its reader has gone or does not read.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(read());
    },
  });
  return {
    /** Reads the number of dropped lines whenever the metrics are read. */
    watchLog(readDropped: () => number): void {
      read = readDropped;
    },
  };
}
