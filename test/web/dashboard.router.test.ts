import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import supertest from 'supertest';
import { createDashboardRouter } from '../../src/web/dashboard.router.ts';

it('a gateway without a built dashboard logs once what to run, and its pages say the same', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-dashboard-'));
  const warnings: string[] = [];
  const log = { warn: (_fields: object, message: string) => void warnings.push(message) };
  const app = express().use(createDashboardRouter({ directory, log }));
  const page = await supertest(app).get('/p/some-project/calls').set('accept', 'text/html').expect(503);
  await rm(directory, { recursive: true });
  expect(page.text).toContain('npm ci &amp;&amp; npm run build');
  expect(warnings).toEqual([expect.stringContaining('npm ci && npm run build')]);
});
