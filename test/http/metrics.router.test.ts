import express from 'express';
import request from 'supertest';
import { createErrorHandler } from '../../src/http/errors.ts';
import { createMetricsRouter } from '../../src/http/health.router.ts';
import { captureLog, PUBLIC_URL } from './support.ts';

function appWith(expose: () => Promise<{ contentType: string; body: string }>) {
  const app = express();
  app.use(createMetricsRouter({ expose }));
  app.use(createErrorHandler({ publicUrl: PUBLIC_URL, log: captureLog().log }));
  return app;
}

describe('/metrics', () => {
  it('makes its text once for many readers at a time', async () => {
    let made = 0;
    const app = appWith(async () => {
      made += 1;
      return { contentType: 'text/plain; version=0.0.4', body: `made ${made}\n` };
    });
    const replies = await Promise.all(Array.from({ length: 20 }, () => request(app).get('/metrics')));
    expect(new Set(replies.map(({ text }) => text))).toEqual(new Set(['made 1\n']));
    expect(replies[0]?.headers['content-type']).toContain('text/plain; version=0.0.4');
  });

  it('is had by one address twice a second', async () => {
    const app = appWith(async () => ({ contentType: 'text/plain', body: 'a 1\n' }));
    const replies = [];
    for (let number = 0; number < 200; number += 1) replies.push(await request(app).get('/metrics'));
    const refused = replies.filter(({ status }) => status === 429);
    expect(replies.slice(0, 120).map(({ status }) => status)).toEqual(Array(120).fill(200));
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.headers).toMatchObject({ 'gateway-error': 'rate_limited', 'retry-after': '1' });
  });
});
