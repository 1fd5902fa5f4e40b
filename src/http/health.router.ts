import express, { type Router } from 'express';
import { createRateLimiter } from '../lib/rate-limit.ts';
import { settleWithin } from '../lib/settle-within.ts';
import { maskToNetwork } from './client-address.ts';
import { HttpError, sendProblem } from './errors.ts';
import { refuseOtherMethods } from './other-methods.ts';
import { rateLimitedError } from './rate-limits.ts';
import { getRequestContext } from './request-context.ts';

const CHECK_TIMEOUT_MS = 1000;
const CACHE_MS = 1000;
/** Probes have time-outs of a second, and a store that is away must not make every replica miss it. */
const PROBE_PATIENCE_MS = 100;

/** Whether the store answers. */
export type StoreProbe = () => Promise<boolean>;

/**
 * Runs `check`, which has a second to answer. The answer is kept for a second, so that probes cannot load the store.
 */
export function createStoreProbe(check: () => Promise<unknown>): StoreProbe {
  let cached: { answer: Promise<boolean>; atMs: number } | undefined;
  return () => {
    const nowMs = performance.now();
    if (!cached || nowMs - cached.atMs > CACHE_MS) cached = { answer: passes(check), atMs: nowMs };
    return cached.answer;
  };
}

function passes(check: () => Promise<unknown>): Promise<boolean> {
  const answer = Promise.try(check).then(
    () => true,
    () => false,
  );
  return settleWithin(CHECK_TIMEOUT_MS, answer, () => false);
}

/**
 * `/livez` (only the event loop, so that a store outage does not restart every replica), `/readyz`, and `/metrics`
 * unless that has a port of its own.
 *
 * `/readyz` is 503 until the store has answered once, and while draining, which is asked on every probe, uncached:
 * balancers must learn of it at once. In between it is 200 even while the store is away. A balancer takes away every
 * replica that says 503 or answers late, and with all of them the calls on warm connections that need no store.
 */
export function createHealthRouter(deps: {
  publicUrl: string;
  isStoreReady: StoreProbe;
  isDraining: () => boolean;
  /** Called for every request for `/readyz`. */
  onProbe?: () => void;
  metrics?: MetricsSource;
}): Router {
  const router = express.Router({ caseSensitive: true });
  let hasBeenReady = false;
  let wasStoreReady = false;

  /** Says what was known last where the store takes its time. */
  async function isStoreReady(): Promise<boolean> {
    const asked = deps.isStoreReady().then((isReady) => {
      wasStoreReady = isReady;
      hasBeenReady ||= isReady;
      return isReady;
    });
    if (!hasBeenReady) return asked;
    return settleWithin(PROBE_PATIENCE_MS, asked, () => wasStoreReady);
  }
  // Asked at the start, too: of several processes behind one port a balancer may probe each for the first time in an outage.
  void isStoreReady();

  router.get('/livez', (_request, response) => {
    getRequestContext(response).route = '/livez';
    response.set('Cache-Control', 'no-store').json({ status: 'ok' });
  });
  router.get('/readyz', async (_request, response) => {
    const context = getRequestContext(response);
    context.route = '/readyz';
    deps.onProbe?.();
    const isReady = await isStoreReady();
    const store = isReady ? 'ready' : 'away';
    response.set({ 'Cache-Control': 'no-store', 'Gateway-Store': store });
    if (hasBeenReady && !deps.isDraining()) {
      return response.json(isReady ? { status: 'ok' } : { status: 'degraded', store });
    }
    const failing = [...(deps.isDraining() ? ['draining'] : []), ...(isReady ? [] : ['store'])];
    const code = deps.isDraining() ? 'shutting_down' : 'not_ready';
    const error = new HttpError(code, { extra: { failing }, headers: { 'Retry-After': '1' } });
    return sendProblem(response, error, { requestId: context.requestId, publicUrl: deps.publicUrl });
  });
  for (const path of ['/livez', '/readyz']) router.all(path, refuseOtherMethods(path, ['GET']));
  if (deps.metrics) router.use(createMetricsRouter(deps.metrics));
  return router;
}

export type MetricsSource = { expose(): Promise<{ contentType: string; body: string }> };

/** Several monitoring systems behind one address, each every few seconds. */
const METRICS_PER_MINUTE = 120;

/**
 * `/metrics` in Prometheus' text format; on its own port or beside the probes. The text is made once a second at most,
 * since it takes 20 ms with some hundred series, and an address may have it twice a second.
 */
export function createMetricsRouter(metrics: MetricsSource): Router {
  const router = express.Router({ caseSensitive: true });
  const limiter = createRateLimiter({ limit: METRICS_PER_MINUTE, windowSeconds: 60 });
  let made: { exposition: ReturnType<MetricsSource['expose']>; atMs: number } | undefined;

  function exposition(): ReturnType<MetricsSource['expose']> {
    const nowMs = performance.now();
    if (!made || nowMs - made.atMs > CACHE_MS) made = { exposition: metrics.expose(), atMs: nowMs };
    return made.exposition;
  }

  router.get('/metrics', async (request, response) => {
    getRequestContext(response).route = '/metrics';
    const state = limiter.check(maskToNetwork(request.ip ?? 'unknown'));
    if (!state.allowed) throw rateLimitedError(state);
    const { contentType, body } = await exposition();
    response.set({ 'Content-Type': contentType, 'Cache-Control': 'no-store' }).end(body);
  });
  router.all('/metrics', refuseOtherMethods('/metrics', ['GET']));
  return router;
}
