import request from 'supertest';
import { z } from 'zod';
import { endpoint } from '../../src/http/endpoint.ts';
import { buildOpenApiDocument } from '../../src/http/openapi.ts';
import { createTestApp, PUBLIC_URL } from './support.ts';
import { endpoints, ID } from './widgets.ts';

describe('what is asked', () => {
  const { app } = createTestApp(endpoints);
  const make = () => request(app).post('/v1/widgets').set('Authorization', 'Bearer key');
  const json = (text: string) => make().set('Content-Type', 'application/json').send(text);

  it('refuses unknown members at any depth and names each', async () => {
    const reply = await make().send({
      name: 'a',
      nmae: 'b',
      size: { width: 1, hieght: 2, parts: [{ id: 'x', di: 1 }] },
    });
    expect(reply.status).toBe(400);
    expect(reply.body.code).toBe('invalid_request');
    const paths = reply.body.errors.map((fault: { path: string }) => fault.path);
    expect(paths.sort()).toEqual(['body.nmae', 'body.size.hieght', 'body.size.parts.0.di']);
  });

  it('lists every fault with its path and no value', async () => {
    const reply = await make().send({ name: 4711, size: { width: 'planted-value' } });
    expect(reply.body.errors.map((fault: { path: string }) => fault.path)).toEqual([
      'body.name',
      'body.size.width',
    ]);
    expect(reply.text).not.toMatch(/4711|planted-value/);
  });

  it('lists twenty faults and says that there are more', async () => {
    const names = Array.from({ length: 500 }, (_, index) => `u${index}`);
    const unknown = await make().send({ name: 'a', ...Object.fromEntries(names.map((name) => [name, 1])) });
    const wrong = await make().send({ name: 'a', size: { width: 1, parts: names } });
    for (const reply of [unknown, wrong]) {
      expect(reply.status).toBe(400);
      expect(reply.body.errors).toHaveLength(21);
      expect(reply.body.errors[20]).toEqual({ path: 'body', message: expect.stringContaining('and more') });
    }
  });

  it.each([
    ['a typing error', { nmae: 1 }, 'body.nmae', 'name'],
    ['other case', { NAME: 1 }, 'body.NAME', 'name'],
    ['a longer name', { widgetName: 1 }, 'body.widgetName', 'name'],
    ['a typing error further down', { size: { widht: 1 } }, 'body.size.widht', 'width'],
  ])('names the member that was meant after %s', async (_what, body, path, meant) => {
    const reply = await make().send(body);
    const fault = reply.body.errors.find((one: { path: string }) => one.path === path);
    expect(fault.message).toBe(`Not a known name here. Did you mean \`${meant}\`?`);
  });

  it('guesses nothing for a name that is like no other', async () => {
    const reply = await make().send({ name: 'a', colour: 1 });
    expect(reply.body.errors).toEqual([{ path: 'body.colour', message: 'Not a known name here' }]);
  });

  it('takes a body of exactly 64 KiB and refuses a larger one, naming the limit', async () => {
    const sized = (bytes: number) => `{"name":"${'a'.repeat(bytes - 11)}"}`;
    expect((await json(sized(64 * 1024))).status).toBe(201);
    const reply = await json(sized(64 * 1024 + 1));
    expect([reply.status, reply.body.code]).toEqual([413, 'body_too_large']);
    expect(reply.body.detail).toContain('65536 bytes');
  });

  it('takes the limit of the operation instead, and documents it', async () => {
    const small = endpoint({
      operationId: 'small',
      method: 'post',
      path: '/small',
      summary: 'Small',
      tag: 'Catalog',
      principals: [],
      bodyBytesMax: 20,
      body: z.strictObject({ name: z.string() }),
      success: { status: 204, description: 'Taken' },
      handler: async () => ({}),
    });
    const post = (text: string) =>
      request(createTestApp([small]).app)
        .post('/v1/small')
        .set('Content-Type', 'application/json')
        .send(text);
    expect((await post('{"name":"aaaaaaaaa"}')).status).toBe(204);
    expect((await post('{"name":"aaaaaaaaaa"}')).status).toBe(413);
    const document = await buildOpenApiDocument([small], { publicUrl: PUBLIC_URL, version: '1' });
    expect(document.paths).toMatchObject({
      '/small': { post: { 'x-body-bytes-max': 20, requestBody: { description: 'At most 20 bytes.' } } },
    });
  });

  it('refuses more members than anything needs', async () => {
    const elements = (count: number) => `{"name":"a","metadata":{"x":[${'0,'.repeat(count)}0]}}`;
    expect((await json(elements(9_900))).status).toBe(201);
    const reply = await json(elements(10_000));
    expect(reply.status).toBe(400);
    expect(reply.body.detail).toContain('10000 members and elements');
  });

  it('refuses more query parameters than anything takes', async () => {
    const query = Array.from({ length: 51 }, (_, index) => `a${index}=1`).join('&');
    const reply = await request(app).get(`/v1/connections?${query}`).set('Authorization', 'Bearer user');
    expect(reply.status).toBe(400);
    expect(reply.body.detail).toContain('50 parameters');
  });

  it.each([
    ['text', 'text/plain'],
    ['a form', 'application/x-www-form-urlencoded'],
    ['another charset', 'application/json; charset=iso-8859-1'],
    ['JSON in name only', 'application/jsonp'],
  ])('refuses %s', async (_what, type) => {
    const reply = await make().set('Content-Type', type).send('{"name":"a"}');
    expect(reply.status).toBe(415);
    expect(reply.body.code).toBe('unsupported_media_type');
  });

  it.each(['application/json', 'application/merge-patch+json', 'APPLICATION/JSON; Charset="UTF-8"'])(
    'takes %s',
    async (type) => {
      expect((await make().set('Content-Type', type).send('{"name":"a"}')).status).toBe(201);
    },
  );

  it('counts no body as an empty object only where that fits', async () => {
    const missing = await make();
    expect(missing.body.errors).toEqual([{ path: 'body.name', message: expect.any(String) }]);
    const patched = await request(app).patch(`/v1/widgets/${ID}`).set('Authorization', 'Bearer operator');
    expect(patched.status).toBe(200);
  });

  it.each([
    ['broken JSON', '{"name": "planted-secret'],
    ['a trailing comma', '{"name": "a",}'],
    ['nothing but blanks', '   '],
  ])('refuses %s without quoting it', async (_what, text) => {
    const reply = await json(text);
    expect(reply.status).toBe(400);
    expect(reply.body.code).toBe('invalid_json');
    expect(reply.text).not.toContain('planted');
  });

  it('refuses bytes that are no UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
    const reply = await make()
      .set('Content-Type', 'application/json')
      .serialize((value) => value)
      .send(bytes);
    expect(reply.body.code).toBe('invalid_json');
  });

  it('refuses members that would reach a prototype, and stays unharmed', async () => {
    const reply = await json('{"name":"a","metadata":{"x":{"__proto__":{"polluted":true}}}}');
    expect(reply.status).toBe(400);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    const plain = await json('{"name":"a","metadata":{"constructor":{"prototype":1}}}');
    expect(plain.status).toBe(201);
  });

  it.each([
    ['U+0000', '{"name":"a","metadata":{"x":["a\\u0000b"]}}'],
    ['half a surrogate pair', '{"name":"a","metadata":{"x":{"y":"\\ud800"}}}'],
    ['U+0000 in the name of a member', '{"name":"a","metadata":{"x":{"\\u0000":1}}}'],
  ])('refuses %s, which no store keeps', async (_what, text) => {
    const reply = await json(text);
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request']);
    expect(reply.body.errors).toEqual([
      { path: expect.stringMatching(/^body\.metadata\.x/), message: expect.stringContaining('U+0000') },
    ]);
  });

  it('refuses nesting beyond any use', async () => {
    const reply = await json(`{"name":"a","metadata":{"x":${'['.repeat(30_000)}${']'.repeat(30_000)}}}`);
    expect(reply.status).toBe(400);
  });

  it.each([
    ['a parameter given twice', 'limit=1&limit=2'],
    ['an unknown parameter', 'limt=1'],
    ['__proto__', '__proto__=1'],
    ['a limit out of range', 'limit=201'],
    ['a limit of zero', 'limit=0'],
    ['a foreign cursor', 'cursor=abc'],
    ['a bad percent escape', 'cursor=%E0%A4%A'],
    ['U+0000', 'cursor=a%00b'],
  ])('refuses %s', async (_what, query) => {
    const reply = await request(app).get(`/v1/connections?${query}`).set('Authorization', 'Bearer user');
    expect(reply.status).toBe(400);
    expect(reply.body.code).toBe('invalid_request');
  });

  it('has a default limit', async () => {
    const reply = await request(app).get('/v1/connections').set('Authorization', 'Bearer user');
    expect(reply.body).toEqual({ limit: 50 });
  });

  it('gives the location of what was made, and is never cached', async () => {
    const reply = await make().send({ name: 'a' });
    expect(reply.headers).toMatchObject({
      location: `${PUBLIC_URL}/v1/widgets/1`,
      'cache-control': 'no-store',
    });
  });
});
