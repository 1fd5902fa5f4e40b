import express from 'express';
import request from 'supertest';
import { createHealthRouter, createReadiness, type ReadinessCheck } from '../../src/http/health.router.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { PUBLIC_URL } from './support.ts';

function appWith(checks: ReadinessCheck[], options: { draining?: () => boolean; metrics?: boolean } = {}) {
  const app = express();
  app.use(
    createHealthRouter({
      publicUrl: PUBLIC_URL,
      checks,
      isDraining: options.draining ?? (() => false),
      ...(options.metrics !== false && { metrics: createMetrics({ processMetrics: false }) }),
    }),
  );
  return app;
}

const good = { name: 'migrations', isReady: () => true };

describe('probes', () => {
  it('are green while everything is well', async () => {
    const app = appWith([good, { name: 'store', isReady: async () => true }]);
    expect((await request(app).get('/livez')).status).toBe(200);
    expect((await request(app).get('/readyz')).body).toEqual({ status: 'ok' });
  });

  it.each([
    ['says no', () => false],
    [
      'throws',
      () => {
        throw new Error('planted words');
      },
    ],
    ['is rejected', () => Promise.reject(new Error('planted words'))],
    ['never answers', () => new Promise<boolean>(() => undefined)],
  ])('tell that a check %s, by name alone, and the process is alive all the same', async (_what, isReady) => {
    const app = appWith([good, { name: 'store', isReady }]);
    const reply = await request(app).get('/readyz');
    expect(reply.status).toBe(503);
    expect(reply.headers['content-type']).toBe('application/problem+json');
    expect(reply.body).toMatchObject({ code: 'not_ready', failing: ['store'] });
    expect(reply.text).not.toContain('planted');
    expect((await request(app).get('/livez')).status).toBe(200);
  });

  it('turn red at once when draining', async () => {
    let isDraining = false;
    const app = appWith([good], { draining: () => isDraining });
    expect((await request(app).get('/readyz')).status).toBe(200);
    isDraining = true;
    expect((await request(app).get('/readyz')).body).toMatchObject({
      code: 'shutting_down',
      failing: ['draining'],
    });
  });

  it('ask the store once for many probes', async () => {
    let asked = 0;
    const isReady = () => {
      asked += 1;
      return true;
    };
    const readiness = createReadiness([{ name: 'store', isReady }]);
    await Promise.all(Array.from({ length: 50 }, () => readiness()));
    expect(asked).toBe(1);
  });
});

describe('metrics', () => {
  it('are served unless they have a port of their own', async () => {
    const reply = await request(appWith([])).get('/metrics');
    expect(reply.text).toContain('# TYPE gateway_proxy_calls_total counter');
    expect((await request(appWith([], { metrics: false })).get('/metrics')).status).toBe(404);
  });
});
