import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

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
  return {
    registry,
    ...createRequestMetrics(registry),
    ...createProxyMetrics(registry),
    ...createRefreshMetrics(registry),
    ...createPoolMetrics(registry),
    /** The exposition text and its media type. */
    async expose(): Promise<{ contentType: string; body: string }> {
      return { contentType: registry.contentType, body: await registry.metrics() };
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
    finished(request: { method: string; route: string; status: number; durationSeconds: number }): void {
      const method = METHODS.has(request.method) ? request.method : 'other';
      duration.labels(method, request.route, statusClass(request.status)).observe(request.durationSeconds);
    },
  };
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

function statusClass(status: number): string {
  return status >= 100 && status < 600 ? `${Math.floor(status / 100)}xx` : 'none';
}

type ProxyChild = { calls(): void; seconds(value: number): void; extra(attempts: number): void };

function createProxyMetrics(registry: Registry) {
  const labelNames = ['provider', 'outcome'] as const;
  const calls = new Counter({
    name: 'gateway_proxy_calls_total',
    help: 'Proxied calls by provider and outcome: a status class of the provider, or the gateway error code.',
    labelNames,
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'gateway_proxy_call_duration_seconds',
    help: 'Duration of proxied calls from first byte in to last byte out.',
    labelNames,
    buckets: SECONDS,
    registers: [registry],
  });
  const repeats = new Counter({
    name: 'gateway_proxy_repeats_total',
    help: 'Requests to providers beyond the first one of a call.',
    labelNames: ['provider'] as const,
    registers: [registry],
  });
  const children = new Map<string, Map<string, ProxyChild>>();

  function childOf(provider: string, outcome: string): ProxyChild {
    const ofProvider = children.get(provider);
    const known = ofProvider?.get(outcome);
    if (known) return known;
    const name = ofProvider || children.size < PROVIDERS_MAX ? provider : 'other';
    const [counted, timed, repeated] = [
      calls.labels(name, outcome),
      seconds.labels(name, outcome),
      repeats.labels(name),
    ];
    const child: ProxyChild = {
      calls: () => counted.inc(),
      seconds: (value) => timed.observe(value),
      extra: (attempts) => repeated.inc(attempts - 1),
    };
    const siblings = children.get(name) ?? new Map<string, ProxyChild>();
    children.set(name, siblings.set(outcome, child));
    return child;
  }

  return {
    /**
     * Counts a proxied call. `connectionId` tells that the provider's name has been checked: until then it is the
     * caller's text and must not become a label.
     */
    proxied(call: {
      provider: string;
      connectionId: string | undefined;
      status: number;
      error: string | undefined;
      durationMs: number;
      attempts: number;
    }): void {
      const outcome = call.error ?? (call.status === 0 ? 'caller_gone' : statusClass(call.status));
      const child = childOf(call.connectionId === undefined ? 'none' : call.provider, outcome);
      child.calls();
      child.seconds(call.durationMs / 1000);
      if (call.attempts > 1) child.extra(call.attempts);
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
  return {
    /** `outcome`: `refreshed`, `reauthorization_required`, `failed` and the like; a small fixed set. */
    refreshed(provider: string, outcome: string): void {
      refreshes.labels(provider, outcome).inc();
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
