import request from 'supertest';
import { z } from 'zod';
import { endpoint } from '../../src/http/endpoint.ts';
import { HttpError } from '../../src/http/errors.ts';
import { isUuid } from '../../src/lib/ids.ts';
import { until } from '../support/until.ts';
import { createTestApp, PROJECT_ID } from './support.ts';

const CANARY = 'planted9K2x7Q4m1Z8v5B3n6';
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';

function failingWith(thrown: () => unknown) {
  return endpoint({
    operationId: 'echo',
    method: 'post',
    path: '/things/{id}',
    summary: 'Fails',
    tag: 'Projects',
    principals: ['operator', 'end_user'],
    leastRole: 'anyone',
    params: z.strictObject({ id: z.string() }),
    query: z.strictObject({ q: z.string().optional() }),
    body: z.looseObject({}),
    success: { status: 200, schema: z.object({ ok: z.literal(true) }), description: 'Never' },
    async handler() {
      throw thrown();
    },
  });
}

const wrapped = () =>
  new Error(`outer ${CANARY}`, {
    cause: Object.assign(new Error(`see https://user:${CANARY}@provider.example/token?code=${CANARY}`), {
      code: 'ECONNRESET',
      config: { headers: { authorization: `Bearer ${CANARY}` } },
      cause: new Error(`Bearer ${CANARY}\n    at ${CANARY}:1:1`),
    }),
  });

describe('a request in the log', () => {
  it('is one line of allow-listed fields', async () => {
    const { app, lines } = createTestApp([failingWith(() => new HttpError('connection_not_found'))]);
    const reply = await request(app)
      .post('/v1/things/17?q=words')
      .set({ Authorization: 'Bearer user', traceparent: `00-${TRACE_ID}-00f067aa0ba902b7-01` });
    await until(() => lines.length > 0);
    expect(lines).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        requestId: reply.headers['gateway-request-id'],
        method: 'POST',
        route: '/v1/things/{id}',
        status: 404,
        durationMs: expect.any(Number),
        bytes: Buffer.byteLength(reply.text),
        traceId: TRACE_ID,
        principal: 'end_user',
        principalId: expect.any(String),
        projectId: PROJECT_ID,
        errorCode: 'connection_not_found',
        msg: 'request',
      },
    ]);
  });

  it.each([
    ['an unknown path', '/elsewhere/a-token?token=x', 'unmatched'],
    ['an unknown path of the API', '/v1/elsewhere/a-token?token=x', 'unmatched'],
  ])('says nothing of %s, which may hold anything', async (_what, target, route) => {
    const { app, lines } = createTestApp([]);
    await request(app).get(target);
    await until(() => lines.length > 0);
    expect(lines[0]).toMatchObject({ route, status: 404 });
  });

  it('is a warning where the gateway itself could not answer', async () => {
    const { app, lines } = createTestApp([failingWith(() => new HttpError('store_unavailable'))]);
    await request(app).post('/v1/things/1').set('Authorization', 'Bearer operator');
    await until(() => lines.length > 0);
    expect(lines).toMatchObject([{ level: 'warn', status: 503, msg: 'request' }]);
  });

  it('gives every reply a request id, a UUID of version 7', async () => {
    const { app } = createTestApp([]);
    const ids = await Promise.all(
      ['/', '/v1', '/v1/x'].map(async (path) => (await request(app).get(path)).headers),
    );
    for (const headers of ids) {
      const id = String(headers['gateway-request-id']);
      expect(isUuid(id) && id[14]).toBe('7');
    }
  });

  it('never shows a secret, wherever it was planted, and neither does the reply', async () => {
    const { app, lines, text } = createTestApp([failingWith(wrapped)]);
    const reply = await request(app)
      .post(`/v1/things/1?q=${CANARY}`)
      .set({
        Authorization: 'Bearer operator',
        Cookie: `s=${CANARY}`,
        'X-Api-Key': CANARY,
        'User-Agent': CANARY,
      })
      .send({ password: CANARY, nested: [{ token: CANARY }] });
    await until(() => lines.some((line) => line.msg === 'request'));
    expect(reply.status).toBe(500);
    expect(lines.find((line) => line.msg === 'request failed')).toMatchObject({
      err: { type: 'Error', cause: { code: 'ECONNRESET', cause: { type: 'Error' } } },
    });
    expect(text()).not.toContain(CANARY);
    expect(JSON.stringify([reply.text, reply.headers])).not.toContain(CANARY);
  });

  it('shows no secret of a refused request either', async () => {
    const { app, lines, text } = createTestApp([failingWith(wrapped)]);
    const replies = [
      await request(app).post('/v1/things/1').set('Authorization', `Bearer ${CANARY}`),
      await request(app).post(`/v1/things/1?unknown=${CANARY}`).set('Authorization', 'Bearer operator'),
      await request(app)
        .post('/v1/things/1')
        .set({ Authorization: 'Bearer operator', 'Content-Type': 'application/json' })
        .send(`{"password": "${CANARY}`),
      await request(app).get(`/nothing?code=${CANARY}`),
    ];
    await until(() => lines.length >= replies.length);
    expect(replies.map((reply) => reply.status)).toEqual([401, 400, 400, 404]);
    expect(text() + replies.map((reply) => reply.text).join('')).not.toContain(CANARY);
  });
});
