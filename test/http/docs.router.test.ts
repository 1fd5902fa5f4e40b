import express from 'express';
import request from 'supertest';
import { createDocsRouter } from '../../src/http/docs.router.ts';
import { ERROR_CODES } from '../../src/http/error-codes.ts';
import { createTestApp } from './support.ts';
import { endpoints } from './widgets.ts';

const document = { openapi: '3.1.1', info: { title: 'x', version: '1' }, paths: {} };
const app = express().use(createDocsRouter({ readDocument: async () => document }));

describe('the document', () => {
  it('is served with a tag, and not again to a caller that has it', async () => {
    const reply = await request(app).get('/openapi.json');
    expect(reply.body).toEqual(document);
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
    const again = await request(app).get('/openapi.json').set('If-None-Match', String(reply.headers.etag));
    expect([again.status, again.text]).toEqual([304, '']);
  });
});

describe('files that are the same for every caller', () => {
  const files = ['/openapi.json', '/docs/assets/swagger-ui-bundle.js', '/docs/assets/swagger-ui.css'];

  it.each(files)(
    '%s comes in the encoding that the caller prefers, each with a tag of its own',
    async (path) => {
      const get = (encodings: string, tag = '') =>
        request(app).get(path).set({ 'Accept-Encoding': encodings, 'If-None-Match': tag }).buffer(true);
      const replies = await Promise.all(
        ['br, gzip', 'gzip;q=1.0', 'identity', 'br;q=0'].map((one) => get(one)),
      );
      expect(replies.map(({ headers }) => headers['content-encoding'])).toEqual([
        'br',
        'gzip',
        undefined,
        undefined,
      ]);
      const texts = new Set(replies.map(({ text }) => text));
      expect(texts.size).toBe(1);
      const [brotli, gzip, plain] = replies.map(({ headers }) => headers);
      expect(new Set([brotli?.etag, gzip?.etag, plain?.etag]).size).toBe(3);
      for (const headers of [brotli, gzip, plain]) expect(headers?.vary).toContain('Accept-Encoding');
      expect((await get('br', brotli?.etag)).status).toBe(304);
      expect((await get('gzip', brotli?.etag)).status).toBe(200);
    },
  );

  it('are a quarter as large on the way', async () => {
    const size = async (encoding: string) => {
      const { headers } = await request(app)
        .head(files[1] ?? '')
        .set('Accept-Encoding', encoding);
      return Number(headers['content-length']);
    };
    expect(await size('br')).toBeLessThan((await size('identity')) / 4);
  });
});

describe('answers that may hold secrets', () => {
  it('are never compressed', async () => {
    const { app: api } = createTestApp(endpoints);
    for (const path of ['/docs/try', '/docs/errors'])
      expect((await request(app).get(path).set('Accept-Encoding', 'br, gzip')).headers).not.toHaveProperty(
        'content-encoding',
      );
    const reply = await request(api)
      .post('/v1/widgets')
      .set({ Authorization: 'Bearer key', 'Accept-Encoding': 'br, gzip' })
      .send({ name: 'a'.repeat(10_000) });
    expect([reply.status, reply.headers['content-encoding']]).toEqual([201, undefined]);
  });
});

describe('the reference', () => {
  it('loads nothing from elsewhere', async () => {
    const reply = await request(app).get('/docs/try');
    expect(reply.status).toBe(200);
    expect(reply.text).not.toMatch(/(src|href)="(https?:)?\/\//);
    const policy = String(reply.headers['content-security-policy']);
    expect(policy).not.toMatch(/unsafe|https?:/);
    const sources = [...reply.text.matchAll(/(?:src|href)="(assets\/[^"]+)"/g)].map(([, path]) => path);
    expect(sources).toHaveLength(2);
    for (const path of sources) {
      const asset = await request(app).get(`/docs/${path}`).buffer(false);
      expect([path, asset.status]).toEqual([path, 200]);
      expect(asset.headers['content-type']).toMatch(/javascript|css/);
    }
  });

  it.each(['index.html', 'package.json', '..%2fpackage.json', 'swagger-ui.js.map'])(
    'does not serve %s',
    async (name) => {
      expect((await request(app).get(`/docs/assets/${name}`)).status).toBe(404);
    },
  );

  it('has one address', async () => {
    const reply = await request(app).get('/docs/try/');
    expect([reply.status, reply.headers.location]).toEqual([308, '../try']);
  });
});

describe('the page of errors', () => {
  it('has an anchor for every code, where the type of a problem leads', async () => {
    const { text } = await request(app).get('/docs/errors');
    for (const code of ERROR_CODES) expect(text).toContain(`id="${code}"`);
    expect(text).toContain('<code>Retry-After</code>');
    expect(text).not.toContain('`');
  });
});
