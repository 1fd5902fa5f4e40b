import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
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

it('a gateway still serves the scripts of the build before, which open pages ask for', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-dashboard-'));
  const files = {
    'index.html': '<!doctype html>',
    'assets/shared-1.js': 'export const build = "next";',
    'assets/page-2.js': 'export {};',
    'former/shared-1.js': 'export const build = "next";',
    'former/page-1.js': 'export const page = "before";',
  };
  await mkdir(join(directory, 'assets'));
  await mkdir(join(directory, 'former'));
  for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content);
  const app = express().use(createDashboardRouter({ directory, log: { warn: () => undefined } }));
  await rm(directory, { recursive: true });
  const former = await supertest(app).get('/assets/page-1.js').expect(200);
  expect(former.text).toBe('export const page = "before";');
  expect(former.headers['cache-control']).toContain('immutable');
  await supertest(app).get('/assets/page-2.js').expect(200);
  await supertest(app).get('/assets/page-0.js').expect(404);
});
