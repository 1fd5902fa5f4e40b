import request from 'supertest';
import { z } from 'zod';
import { assertIfMatch, etagOf } from '../../src/http/conditional.ts';
import { endpoint } from '../../src/http/endpoint.ts';
import { HttpError } from '../../src/http/errors.ts';
import { listQuery } from '../../src/lib/cursor.ts';
import { isUuid } from '../../src/lib/ids.ts';
import { createRateLimiter } from '../../src/lib/rate-limit.ts';
import { authenticate, createTestApp, PROJECT_ID, PUBLIC_URL } from './support.ts';

const widgetSchema = z.object({ id: z.uuid(), name: z.string() });

const getWidget = endpoint({
  operationId: 'getWidget',
  method: 'get',
  path: '/widgets/{id}',
  summary: 'A widget',
  tag: 'Widgets',
  principals: ['operator', 'api_key'],
  params: z.object({ id: z.uuid() }),
  success: { status: 200, schema: widgetSchema, description: 'The widget' },
  errors: ['connection_not_found'],
  async handler({ params }) {
    return { body: { id: params.id, name: 'bolt', clientSecret: 'hidden-column' }, etag: etagOf(3) };
  },
});

const patchWidget = endpoint({
  operationId: 'patchWidget',
  method: 'patch',
  path: '/widgets/{id}',
  summary: 'Change a widget',
  tag: 'Widgets',
  principals: ['operator'],
  params: z.object({ id: z.uuid() }),
  body: z.object({ name: z.string().optional() }),
  success: { status: 200, schema: widgetSchema, description: 'The widget' },
  async handler({ params, body, request: incoming }) {
    assertIfMatch(incoming, etagOf(3));
    return { body: { id: params.id, name: body.name ?? 'bolt' }, etag: etagOf(4) };
  },
});

const listOwn = endpoint({
  operationId: 'listOwn',
  method: 'get',
  path: '/connections',
  summary: 'Own connections',
  tag: 'Widgets',
  principals: ['end_user'],
  query: z.object({ ...listQuery }),
  refusals: { api_key: { code: 'user_required', detail: 'List the whole project instead.' } },
  success: { status: 200, schema: z.object({ limit: z.number() }), description: 'Connections' },
  async handler({ query }) {
    return { body: { limit: query.limit } };
  },
});

const createWidget = endpoint({
  operationId: 'createWidget',
  method: 'post',
  path: '/widgets',
  summary: 'Make a widget',
  tag: 'Widgets',
  principals: ['operator', 'api_key'],
  body: z.object({
    name: z.string(),
    size: z.object({ width: z.number(), parts: z.array(z.object({ id: z.string() })).optional() }).optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
  }),
  success: { status: 201, schema: z.object({ echo: z.unknown() }), description: 'Made' },
  async handler({ body }) {
    return { body: { echo: body }, headers: { Location: `${PUBLIC_URL}/v1/widgets/1` } };
  },
});

const ping = endpoint({
  operationId: 'ping',
  method: 'post',
  path: '/ping',
  summary: 'Ping',
  tag: 'Widgets',
  principals: [],
  success: { status: 204, description: 'Pong' },
  async handler({ principal }) {
    if (principal !== undefined) throw new Error('nobody was expected');
    return {};
  },
});

const leaky = endpoint({
  operationId: 'leaky',
  method: 'get',
  path: '/widgets/leaky',
  summary: 'Answers what it did not declare',
  tag: 'Widgets',
  principals: [],
  success: { status: 200, schema: z.object({ name: z.string() }), description: 'A name' },
  async handler() {
    const row: { name: string } = JSON.parse('{"name": 42, "secret": "planted-secret-77"}');
    return { body: row };
  },
});

const endpoints = [getWidget, patchWidget, listOwn, createWidget, ping, leaky];
const ID = '01890000-0000-7000-8000-0000000000ff';

describe('an endpoint', () => {
  const { app } = createTestApp(endpoints);
  const asOperator = { Authorization: 'Bearer operator' };

  it('answers declared fields only, with its tag and a request id', async () => {
    const reply = await request(app).get(`/v1/widgets/${ID}`).set(asOperator);
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ id: ID, name: 'bolt' });
    expect(reply.headers).toMatchObject({
      etag: '"3"',
      'cache-control': 'private, no-cache',
      'content-type': 'application/json; charset=utf-8',
    });
    expect(isUuid(String(reply.headers['gateway-request-id']))).toBe(true);
    expect(reply.headers['gateway-error']).toBeUndefined();
  });

  it('answers HEAD like GET, without the body', async () => {
    const reply = await request(app).head(`/v1/widgets/${ID}`).set(asOperator);
    expect(reply.status).toBe(200);
    expect(reply.text).toBeUndefined();
    expect(Number(reply.headers['content-length'])).toBeGreaterThan(10);
  });

  it('answers 304 to a caller that has this representation', async () => {
    const reply = await request(app)
      .get(`/v1/widgets/${ID}`)
      .set(asOperator)
      .set('If-None-Match', 'W/"1", "3"');
    expect(reply.status).toBe(304);
    expect(reply.text).toBe('');
    expect(reply.headers.etag).toBe('"3"');
  });

  it('refuses a change based on another version, and takes one based on this', async () => {
    const change = () => request(app).patch(`/v1/widgets/${ID}`).set(asOperator);
    const stale = await change().set('If-Match', '"2"').send({ name: 'nut' });
    expect(stale.status).toBe(412);
    expect(stale.body.code).toBe('precondition_failed');
    expect(stale.headers.etag).toBe('"3"');
    const fresh = await change().set('If-Match', '"3"').send({ name: 'nut' });
    expect(fresh.body.name).toBe('nut');
    expect(fresh.headers.etag).toBe('"4"');
  });

  it('answers a malformed id like one that does not exist', async () => {
    const reply = await request(app).get('/v1/widgets/42').set(asOperator);
    expect(reply.status).toBe(404);
    expect(reply.body.code).toBe('connection_not_found');
  });

  it('prefers fixed paths to parameters, whatever the order of declaration', async () => {
    const reply = await request(app).get('/v1/widgets/leaky');
    expect(reply.body.code).toBe('internal_error');
  });

  it('lets no reply leave that does not fit its schema, and logs paths without values', async () => {
    const { app: own, text, lines } = createTestApp(endpoints);
    const reply = await request(own).get('/v1/widgets/leaky');
    expect(reply.status).toBe(500);
    expect(reply.text).not.toContain('planted');
    expect(text()).not.toContain('planted');
    expect(lines.map((line) => JSON.stringify(line))).toContainEqual(
      expect.stringContaining('name: invalid_type'),
    );
  });
});

describe('who may call', () => {
  const { app } = createTestApp(endpoints);

  it('asks for credentials without an error attribute when none came', async () => {
    const reply = await request(app).get('/v1/connections');
    expect(reply.status).toBe(401);
    expect(reply.body.code).toBe('token_missing');
    expect(reply.headers['www-authenticate']).toBe('Bearer realm="gateway"');
  });

  it('tells that a token was refused or has expired, and no more', async () => {
    const bad = await request(app).get('/v1/connections').set('Authorization', 'Bearer nonsense');
    expect(bad.body.code).toBe('token_invalid');
    expect(bad.headers['www-authenticate']).toContain('error="invalid_token"');
    const old = await request(app).get('/v1/connections').set('Authorization', 'Bearer old');
    expect(old.body.code).toBe('token_expired');
  });

  it('names who may call, or what the declaration says instead', async () => {
    const user = await request(app).get(`/v1/widgets/${ID}`).set('Authorization', 'Bearer user');
    expect(user.status).toBe(403);
    expect(user.body).toMatchObject({
      code: 'forbidden_principal',
      detail: 'Only an operator or a project API key may call this operation.',
    });
    const key = await request(app).get('/v1/connections').set('Authorization', 'Bearer key');
    expect(key.body).toMatchObject({ code: 'user_required', detail: 'List the whole project instead.' });
  });

  it('needs no credentials where nobody is declared', async () => {
    expect((await request(app).post('/v1/ping')).status).toBe(204);
  });
});

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

  it('takes a body of exactly one MiB and refuses a larger one', async () => {
    const sized = (bytes: number) => `{"name":"${'a'.repeat(bytes - 11)}"}`;
    expect((await json(sized(1024 * 1024))).status).toBe(201);
    const reply = await json(sized(1024 * 1024 + 1));
    expect(reply.status).toBe(413);
    expect(reply.body.code).toBe('body_too_large');
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
    const reply = await json(`{"name":"a","metadata":{"x":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`);
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

describe('addresses', () => {
  const { app } = createTestApp(endpoints);

  it('answers 405 with the methods of a known path', async () => {
    const reply = await request(app).delete(`/v1/widgets/${ID}`);
    expect(reply.status).toBe(405);
    expect(reply.body.code).toBe('method_not_allowed');
    expect(reply.headers.allow).toBe('GET, PATCH, HEAD, OPTIONS');
  });

  it('answers 404 to an unknown path, inside and outside the API', async () => {
    for (const path of ['/v1/nothing', '/v1', '/v1/Widgets', '/nothing']) {
      const reply = await request(app).get(path);
      expect([path, reply.status, reply.body.code]).toEqual([path, 404, 'not_found']);
    }
  });

  it('answers a bad percent escape in a path with 400, and says what is wrong', async () => {
    const reply = await request(app).get('/v1/widgets/%E0%A4%A').set('Authorization', 'Bearer operator');
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request']);
    expect(reply.body.detail).toContain('percent escape');
  });

  it('answers OPTIONS with the methods', async () => {
    const reply = await request(app).options('/v1/ping');
    expect([reply.status, reply.headers.allow]).toEqual([204, 'POST, OPTIONS']);
  });
});

describe('limits', () => {
  it('counts per principal, tells where the caller stands, and answers 429 with Retry-After', async () => {
    const rateLimiter = createRateLimiter({ limit: 2, windowSeconds: 60 });
    const { app } = createTestApp(endpoints, { rateLimiter });
    const call = (who: string) => request(app).get(`/v1/widgets/${ID}`).set('Authorization', `Bearer ${who}`);
    const first = await call('operator');
    expect(first.headers['ratelimit-policy']).toBe('"default";q=2;w=60');
    expect(first.headers.ratelimit).toMatch(/^"default";r=1;t=30$/);
    await call('operator');
    const refused = await call('operator');
    expect(refused.status).toBe(429);
    expect(refused.body.code).toBe('rate_limited');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(refused.headers.ratelimit).toContain('r=0');
    expect((await call('key')).status).toBe(200);
  });

  it('limits refused credentials per address, before looking at further ones', async () => {
    let looked = 0;
    const failedAuthenticationLimiter = createRateLimiter({ limit: 3, windowSeconds: 60 });
    const { app } = createTestApp(endpoints, {
      failedAuthenticationLimiter,
      authenticate: (incoming) => {
        looked += 1;
        return authenticate(incoming);
      },
    });
    const call = (token: string) =>
      request(app).get(`/v1/widgets/${ID}`).set('Authorization', `Bearer ${token}`);
    for (let attempt = 0; attempt < 5; attempt += 1) await call('operator');
    const statuses = [];
    for (let attempt = 0; attempt < 5; attempt += 1) statuses.push((await call('guess')).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect(looked).toBe(8);
    expect((await call('guess')).headers).toMatchObject({
      ratelimit: expect.stringContaining('r=0'),
      'ratelimit-policy': '"default";q=3;w=60',
      'retry-after': expect.stringMatching(/^\d+$/),
    });
  });
});

describe('pages of other origins', () => {
  const isAllowedOrigin = (origin: string) => origin === 'https://app.example';
  const { app } = createTestApp(endpoints, { isAllowedOrigin });

  it('may read replies and refusals when allowed', async () => {
    for (const token of ['operator', 'nonsense']) {
      const reply = await request(app)
        .get(`/v1/widgets/${ID}`)
        .set({ Origin: 'https://app.example', Authorization: `Bearer ${token}` });
      expect(reply.headers['access-control-allow-origin']).toBe('https://app.example');
      expect(reply.headers['access-control-allow-credentials']).toBeUndefined();
      expect(reply.headers['access-control-expose-headers']).toContain('Gateway-Error');
    }
  });

  it('may not otherwise', async () => {
    for (const origin of ['https://app.example.evil.test', 'null', 'http://app.example']) {
      const reply = await request(app)
        .get(`/v1/widgets/${ID}`)
        .set({ Origin: origin, Authorization: 'Bearer operator' });
      expect(reply.headers['access-control-allow-origin']).toBeUndefined();
      expect(reply.headers.vary).toContain('Origin');
    }
  });

  it('may not when the origin belongs to another project than the credentials', async () => {
    const own = createTestApp(endpoints, {
      isAllowedOrigin: (_origin, principal) =>
        principal === undefined || ('projectId' in principal && principal.projectId !== PROJECT_ID),
    });
    const reply = await request(own.app)
      .get(`/v1/widgets/${ID}`)
      .set({ Origin: 'https://app.example', Authorization: 'Bearer key' });
    expect(reply.status).toBe(200);
    expect(reply.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('get their preflight answered without credentials', async () => {
    const reply = await request(app).options('/v1/widgets').set({
      Origin: 'https://app.example',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization, content-type, bad name',
    });
    expect(reply.status).toBe(204);
    expect(reply.headers['access-control-allow-headers']).toBe('authorization, content-type');
    expect(Number(reply.headers['access-control-max-age'])).toBeLessThanOrEqual(600);
  });
});

describe('a failing handler', () => {
  const failing = endpoint({
    operationId: 'failing',
    method: 'get',
    path: '/failing',
    summary: 'Fails',
    tag: 'Widgets',
    principals: [],
    success: { status: 200, description: 'Never' },
    async handler() {
      throw new Error('insert into t values ($1)', { cause: new HttpError('not_found') });
    },
  });

  it('is a 500 that tells the caller nothing of the failure', async () => {
    const { app, lines } = createTestApp([failing]);
    const reply = await request(app).get('/v1/failing');
    expect(reply.status).toBe(500);
    expect(reply.body).toMatchObject({ code: 'internal_error', retryable: true });
    expect(reply.text).not.toContain('insert');
    const failure = lines.find((line) => line.msg === 'request failed');
    expect(failure).toMatchObject({ requestId: reply.body.requestId, level: 'error' });
  });
});
