import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import request from 'supertest';
import { MANIFEST } from '../../src/web/documents/manifest.ts';
import { createDocumentsRouter } from '../../src/web/documents.router.ts';
import { createTestApp } from '../http/support.ts';

const HASH = `sha256-${'A'.repeat(43)}=`;
const PAGES = {
  '': ['index.html', '<h1>Front</h1>'],
  guide: ['guide.html', '<h1>Guide</h1>'],
  404: ['404.html', '<h1>Not here</h1>'],
};

let directory: string;
const appOf = (folder: string) => createTestApp([], {}, createDocumentsRouter({ directory: folder })).app;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-documents-'));
  const files: Record<string, { file: string; etag: string }> = {};
  for (const [address, [name = '', text = '']] of Object.entries(PAGES)) {
    files[address] = { file: `${name}.br`, etag: name };
    writeFileSync(join(directory, `${name}.br`), brotliCompressSync(text));
  }
  files['_astro/a.js'] = { file: 'a.js.br', etag: 'a' };
  writeFileSync(join(directory, 'a.js.br'), brotliCompressSync('let a;'));
  files['pagefind/x.pf_index'] = { file: 'x.pf_index', etag: 'x' };
  writeFileSync(join(directory, 'x.pf_index'), 'bytes');
  writeFileSync(join(directory, 'secret.txt'), 'not in the manifest');
  writeFileSync(join(directory, MANIFEST), JSON.stringify({ scripts: [HASH], files }));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('a page of the built documents', () => {
  it('comes compressed or not, each with a tag of its own, and not again to who has it', async () => {
    const get = (encoding: string, tag = '') =>
      request(appOf(directory)).get('/docs/guide').set({ 'Accept-Encoding': encoding, 'If-None-Match': tag });
    const [small, plain] = await Promise.all([get('br'), get('identity')]);
    expect([small.text, plain.text]).toEqual(['<h1>Guide</h1>', '<h1>Guide</h1>']);
    expect([small.headers['content-encoding'], plain.headers['content-encoding']]).toEqual(['br', undefined]);
    expect(small.headers.etag).not.toBe(plain.headers.etag);
    expect(small.headers.vary).toContain('Accept-Encoding');
    expect((await get('br', small.headers.etag)).status).toBe(304);
    expect((await get('identity', small.headers.etag)).status).toBe(200);
  });

  it('runs the scripts that were built and the search, and loads nothing from elsewhere', async () => {
    const { headers } = await request(appOf(directory)).get('/docs');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain(`script-src 'self' 'wasm-unsafe-eval' '${HASH}'`);
    expect(policy).not.toMatch(/https?:|script-src[^;]*'unsafe-(inline|eval)'/);
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, no-cache',
    });
    expect(headers).not.toHaveProperty('set-cookie');
  });

  it('is at one address', async () => {
    const { status, headers } = await request(appOf(directory)).get('/docs/');
    expect([status, headers.location]).toEqual([308, '../docs']);
  });
});

describe('files of the built documents', () => {
  it('whose names change with their content are kept by browsers', async () => {
    const { headers } = await request(appOf(directory)).get('/docs/_astro/a.js');
    expect([headers['content-type'], headers['cache-control']]).toEqual([
      'text/javascript; charset=utf-8',
      'public, max-age=31536000, immutable',
    ]);
  });

  it('that are compressed in their own way come as they are', async () => {
    const { status, headers } = await request(appOf(directory))
      .get('/docs/pagefind/x.pf_index')
      .set('Accept-Encoding', 'br');
    expect([status, headers['content-encoding'], headers['content-length']]).toEqual([200, undefined, '5']);
  });

  it.each([
    '/docs/secret.txt',
    '/docs/site.json',
    '/docs/guide.html.br',
    '/docs/..%2fsite.json',
    '/docs/%67uide',
    '/docs/guide/',
    '/docs/__proto__',
  ])('that the build did not name are not served: %s', async (path) => {
    const { status, text } = await request(appOf(directory)).get(path).set('Accept', 'text/html');
    expect([status, text]).toEqual([404, '<h1>Not here</h1>']);
  });

  it('that are not there are a problem for who takes no page', async () => {
    const { status, body } = await request(appOf(directory))
      .get('/docs/nothing')
      .set('Accept', 'application/json');
    expect([status, body.code]).toEqual([404, 'not_found']);
  });
});

describe('a gateway without built documents', () => {
  it('renders the API reference, and says what to run', async () => {
    const app = appOf(join(directory, 'nowhere'));
    const front = await request(app).get('/docs');
    expect([
      front.status,
      front.text.includes('npm run build:docs'),
      front.text.includes('data-root=""') && front.text.includes('src="docs/assets/swagger-ui-bundle.js"'),
    ]).toEqual([200, true, true]);
    const { status, body } = await request(app).get('/docs/guide');
    expect([status, body.code, body.detail.includes('npm run build:docs')]).toEqual([404, 'not_found', true]);
  });

  it('has them as soon as they are built', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-documents-'));
    const app = appOf(folder);
    expect((await request(app).get('/docs/guide')).status).toBe(404);
    writeFileSync(join(folder, 'guide.html.br'), brotliCompressSync('<h1>New</h1>'));
    const manifest = { scripts: [], files: { guide: { file: 'guide.html.br', etag: 'new' } } };
    writeFileSync(join(folder, MANIFEST), JSON.stringify(manifest));
    expect((await request(app).get('/docs/guide')).text).toBe('<h1>New</h1>');
    rmSync(folder, { recursive: true, force: true });
  });
});
