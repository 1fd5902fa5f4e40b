import request from 'supertest';
import { endpoint } from '../../src/http/endpoint.ts';
import { HttpError } from '../../src/http/errors.ts';
import { createFailedAttempts } from '../../src/http/failed-attempts.ts';
import { buildOpenApiDocument } from '../../src/http/openapi.ts';
import { isUuid } from '../../src/lib/ids.ts';
import { createRateLimiter } from '../../src/lib/rate-limit.ts';
import { authenticate, createTestApp, PROJECT_ID, PUBLIC_URL } from './support.ts';
import { endpoints, ID } from './widgets.ts';

describe('an endpoint', () => {
  const { app } = createTestApp(endpoints);
  const asOperator = { Authorization: 'Bearer operator' };

  it('answers declared fields only, with its tag and a request id', async () => {
    const reply = await request(app).get(`/v1/widgets/${ID}`).set(asOperator);
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ id: ID, name: 'bolt' });
    expect(reply.headers).toMatchObject({
      etag: expect.stringMatching(/^"3\.[\w-]{16}"$/),
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

  it('answers 304 to a caller that has this representation, not to one that has another of the same version', async () => {
    const get = (held: string) =>
      request(app).get(`/v1/widgets/${ID}`).set(asOperator).set('If-None-Match', held);
    const { etag = '' } = (await get('"1"')).headers;
    const reply = await get(`W/"1", ${etag}`);
    expect([reply.status, reply.text, reply.headers.etag]).toEqual([304, '', etag]);
    for (const held of ['"3"', '"3.AAAAAAAAAAAAAAAA"']) expect((await get(held)).status).toBe(200);
  });

  it('refuses a change based on another version, and takes one based on this', async () => {
    const change = () => request(app).patch(`/v1/widgets/${ID}`).set(asOperator);
    const stale = await change().set('If-Match', '"2"').send({ name: 'nut' });
    expect(stale.status).toBe(412);
    expect(stale.body.code).toBe('precondition_failed');
    expect(stale.headers.etag).toBe('"3"');
    const fresh = await change().set('If-Match', '"3"').send({ name: 'nut' });
    expect(fresh.body.name).toBe('nut');
    expect(fresh.headers.etag).toMatch(/^"4\./);
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

  it('needs no credentials where no principal is declared', async () => {
    expect((await request(app).post('/v1/ping')).status).toBe(204);
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

  it('limits refused credentials per address, and lets good ones from there pass all the same', async () => {
    const suspects: boolean[] = [];
    const { app } = createTestApp(endpoints, {
      failedAttempts: createFailedAttempts({ perMinute: 3 }),
      authenticate: (incoming) => {
        suspects.push(incoming.isSuspect);
        return authenticate(incoming);
      },
    });
    const call = (token: string) =>
      request(app).get(`/v1/widgets/${ID}`).set('Authorization', `Bearer ${token}`);
    const statuses = [];
    for (let attempt = 0; attempt < 5; attempt += 1) statuses.push((await call('guess')).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect((await call('operator')).status).toBe(200);
    expect((await call('old')).body.code).toBe('token_expired');
    expect(suspects).toEqual([false, false, false, true, true, true, true]);
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
    tag: 'Catalog',
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

describe('a deprecated operation', () => {
  const old = endpoint({
    operationId: 'listOld',
    method: 'get',
    path: '/old',
    summary: 'Old',
    deprecated: { since: '2027-01-01', sunset: '2027-08-01', instead: 'Call `GET /new`.' },
    tag: 'Catalog',
    principals: ['operator'],
    leastRole: 'anyone',
    success: { status: 200, description: 'Old' },
    async handler() {
      return {};
    },
  });

  it('says since when and until when in every answer, a refusal included', async () => {
    const { app } = createTestApp([old]);
    for (const authorization of ['Bearer operator', 'Bearer wrong']) {
      const reply = await request(app).get('/v1/old').set('Authorization', authorization);
      expect(reply.headers).toMatchObject({
        deprecation: '@1798761600',
        sunset: 'Sun, 01 Aug 2027 00:00:00 GMT',
        link: '<https://gateway.example/docs>; rel="deprecation"; type="text/html"',
      });
    }
  });

  it('is marked in the document, which names what to call instead', async () => {
    const document = await buildOpenApiDocument([old], { publicUrl: PUBLIC_URL, version: '1.0.0' });
    const description = expect.stringContaining('may be gone from 2027-08-01. Call `GET /new`.');
    expect(document).toMatchObject({ paths: { '/old': { get: { deprecated: true, description } } } });
  });
});
