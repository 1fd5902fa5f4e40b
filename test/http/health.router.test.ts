import express from 'express';
import request from 'supertest';
import { createHealthRouter, createStoreProbe, type StoreProbe } from '../../src/http/health.router.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { PUBLIC_URL } from './support.ts';

type Options = { isDraining?: () => boolean; metrics?: boolean };

function appWith(isStoreReady: StoreProbe, options: Options = {}) {
  const app = express();
  app.use(
    createHealthRouter({
      publicUrl: PUBLIC_URL,
      isStoreReady,
      isDraining: options.isDraining ?? (() => false),
      ...(options.metrics !== false && { metrics: createMetrics({ processMetrics: false }) }),
    }),
  );
  return app;
}

const ready = async () => true;

describe('probes', () => {
  it('are green while everything is well', async () => {
    const app = appWith(ready);
    expect((await request(app).get('/livez')).status).toBe(200);
    const reply = await request(app).get('/readyz');
    expect([reply.status, reply.body, reply.headers['gateway-store']]).toEqual([
      200,
      { status: 'ok' },
      'ready',
    ]);
  });

  it('are not ready until the store has answered once, while the process is alive', async () => {
    const app = appWith(async () => false);
    const reply = await request(app).get('/readyz');
    expect(reply.status).toBe(503);
    expect(reply.headers['content-type']).toBe('application/problem+json');
    expect(reply.body).toMatchObject({ code: 'not_ready', failing: ['store'] });
    expect((await request(app).get('/livez')).status).toBe(200);
  });

  it('stay green when the store goes away later, and say so', async () => {
    let isReady = true;
    const app = appWith(async () => isReady);
    await request(app).get('/readyz');
    isReady = false;
    const reply = await request(app).get('/readyz');
    expect([reply.status, reply.body]).toEqual([200, { status: 'degraded', store: 'away' }]);
    expect(reply.headers['gateway-store']).toBe('away');
    isReady = true;
    expect((await request(app).get('/readyz')).body).toEqual({ status: 'ok' });
  });

  it('are green for the first time while the store is away, where it answered at the start', async () => {
    let isReady = true;
    const app = appWith(async () => isReady);
    await new Promise(setImmediate);
    isReady = false;
    const reply = await request(app).get('/readyz');
    expect([reply.status, reply.body]).toEqual([200, { status: 'degraded', store: 'away' }]);
  });

  it.each([
    [false, 200],
    [true, 503],
  ])('are answered while the store does not answer, draining: %s', async (isDraining, status) => {
    const store = { answer: Promise.resolve(true), isDraining: false };
    const app = appWith(() => store.answer, { isDraining: () => store.isDraining });
    expect((await request(app).get('/readyz')).status).toBe(200);
    Object.assign(store, { answer: new Promise(() => undefined), isDraining });
    const reply = await request(app).get('/readyz');
    expect([reply.status, reply.headers['gateway-store']]).toEqual([status, 'ready']);
  });

  it('turn red at once when draining', async () => {
    let isDraining = false;
    const app = appWith(ready, { isDraining: () => isDraining });
    expect((await request(app).get('/readyz')).status).toBe(200);
    isDraining = true;
    expect((await request(app).get('/readyz')).body).toMatchObject({
      code: 'shutting_down',
      failing: ['draining'],
    });
  });
});

describe('the store', () => {
  it.each([
    ['fails', () => Promise.reject(new Error('planted words'))],
    ['never answers', () => new Promise<boolean>(() => undefined)],
  ])('counts as away when it %s', async (_what, check) => {
    expect(await createStoreProbe(check)()).toBe(false);
  });

  it('is asked once for many probes', async () => {
    let asked = 0;
    const probe = createStoreProbe(async () => {
      asked += 1;
    });
    await Promise.all(Array.from({ length: 50 }, () => probe()));
    expect(asked).toBe(1);
  });
});

describe('metrics', () => {
  it('are served unless they have a port of their own', async () => {
    const reply = await request(appWith(ready)).get('/metrics');
    expect(reply.text).toContain('# TYPE gateway_proxy_calls_total counter');
    expect((await request(appWith(ready, { metrics: false })).get('/metrics')).status).toBe(404);
  });
});
