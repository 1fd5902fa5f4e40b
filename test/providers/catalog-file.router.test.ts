import express from 'express';
import request from 'supertest';
import { createCatalogFileRouter } from '../../src/providers/catalog-file.router.ts';
import { createBuiltInSummaries } from '../../src/providers/catalog-summary.ts';
import { POPULAR_PROVIDERS } from '../../src/providers/popular-providers.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';

const catalog = builtInCatalog;
const readBuiltIn = createBuiltInSummaries({ catalog, publicUrl: 'http://localhost:3000' });
const app = express().use(createCatalogFileRouter({ catalog, readBuiltIn }));

const KB = 1000;

describe('the file of the catalog', () => {
  it('is found by an address that never changes, and kept for ever under one that changes with it', async () => {
    const found = await request(app).get('/catalog.json').expect(302);
    expect(found.headers['cache-control']).toBe('no-cache');
    const file = await request(app)
      .get(found.headers.location ?? '')
      .expect(200);
    expect(file.headers['cache-control']).toContain('immutable');
    expect(file.body.providers).toHaveLength(catalog.ids().length);
    await request(app).get('/catalog/of-another-version.json').expect(404);
    await request(app).post('/catalog.json').expect(405);
  });

  it('comes compressed, all providers and the logos of the popular ones in less than 60 kB', async () => {
    const { headers } = await request(app).get('/catalog.json');
    const file = await request(app)
      .get(headers.location ?? '')
      .set('Accept-Encoding', 'br');
    expect(file.headers['content-encoding']).toBe('br');
    expect(Number(file.headers['content-length'])).toBeLessThan(60 * KB);
  });

  it('begins with forty popular providers that there are, which can be chosen, each with a logo', async () => {
    const { body } = await request(app).get('/catalog.json').redirects(1);
    expect(body.popular).toEqual(POPULAR_PROVIDERS);
    expect(new Set(POPULAR_PROVIDERS).size).toBe(40);
    const popular = POPULAR_PROVIDERS.map((id) => catalog.find(id));
    expect(popular.filter((provider) => provider === undefined || provider.status === 'ended')).toEqual([]);
    expect(Object.values(body.logos).every((logo) => String(logo).startsWith('<svg'))).toBe(true);
    expect(Object.keys(body.logos).sort()).toEqual([...POPULAR_PROVIDERS].sort());
  });
});
