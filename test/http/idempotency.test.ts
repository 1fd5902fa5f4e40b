import request from 'supertest';
import { z } from 'zod';
import { endpoint } from '../../src/http/endpoint.ts';
import { HttpError } from '../../src/http/errors.ts';
import { createIdempotencyStore } from '../../src/http/idempotency.store.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { createTestApp, PUBLIC_URL, until } from './support.ts';

const SECRET = 'igk_shown-once-4711';

/** Not encryption, but a seal that shows the row it was made for and hides the plain text from a search. */
const seals = {
  seal: (plaintext: string, rowId: string) =>
    Buffer.from(JSON.stringify([rowId, plaintext])).toString('base64'),
  open(sealed: string, rowId: string): string {
    const [id, plaintext]: [string, string] = JSON.parse(Buffer.from(sealed, 'base64').toString());
    if (id !== rowId) throw new Error('sealed for another row');
    return plaintext;
  },
};

describe('a repeated POST', () => {
  let database: TestDatabase;
  let calls = 0;
  let behaviour: () => Promise<{ body: { key: string } }>;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    await database.knex('idempotency_keys').delete();
    calls = 0;
    behaviour = async () => ({ body: { key: `${SECRET}-${calls}` } });
  });

  const declare = (path: string) =>
    endpoint({
      operationId: `post${path.length}`,
      method: 'post',
      path,
      summary: 'Makes a key',
      tag: 'Keys',
      principals: ['operator', 'api_key'],
      body: z.strictObject({ name: z.string(), note: z.string().optional() }),
      success: { status: 201, schema: z.object({ key: z.string() }), description: 'The key' },
      async handler() {
        calls += 1;
        const { body } = await behaviour();
        return { body, headers: { Location: `/v1/keys/${calls}` }, etag: `"${calls}"` };
      },
    });

  function post(path = '/v1/keys', token = 'operator', body: object = { name: 'a', note: 'b' }, key = 'k-1') {
    const idempotency = createIdempotencyStore({ db: database.knex, ...seals });
    const { app } = createTestApp([declare('/keys'), declare('/other-keys')], { idempotency });
    return request(app)
      .post(path)
      .set({ Authorization: `Bearer ${token}`, 'Idempotency-Key': key })
      .send(body);
  }

  it('gives the first reply again: status, body, Location and ETag, with a request id of its own', async () => {
    const first = await post();
    const again = await post();
    expect(calls).toBe(1);
    expect(again.status).toBe(201);
    expect(again.body).toEqual(first.body);
    expect(again.headers).toMatchObject({
      location: `${PUBLIC_URL}/v1/keys/1`,
      etag: '"1"',
      'idempotency-replayed': 'true',
    });
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    expect(again.headers['gateway-request-id']).not.toBe(first.headers['gateway-request-id']);
  });

  it('counts the same members in another order as the same body', async () => {
    await post();
    const again = await post('/v1/keys', 'operator', { note: 'b', name: 'a' });
    expect([calls, again.status]).toEqual([1, 201]);
  });

  it('refuses the key for another body', async () => {
    await post();
    const reply = await post('/v1/keys', 'operator', { name: 'other' });
    expect(reply.status).toBe(422);
    expect(reply.body.code).toBe('idempotency_key_reused');
    expect(calls).toBe(1);
  });

  it('keeps keys apart by principal and path', async () => {
    await post();
    await post('/v1/keys', 'key');
    await post('/v1/other-keys');
    expect(calls).toBe(3);
  });

  it('refuses a repeat while the first request is running, and runs it once', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    behaviour = async () => {
      await promise;
      return { body: { key: SECRET } };
    };
    const first = post().then((reply) => reply);
    await until(() => calls === 1);
    const second = await post();
    expect(second.status).toBe(409);
    expect(second.body).toMatchObject({ code: 'idempotency_in_progress', retryable: true });
    resolve();
    expect((await first).status).toBe(201);
    expect((await post()).status).toBe(201);
    expect(calls).toBe(1);
  });

  it('runs twenty simultaneous repeats once', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => post()));
    expect(calls).toBe(1);
    expect(replies.filter((reply) => ![201, 409].includes(reply.status))).toEqual([]);
  });

  it.each(['internal_error', 'rate_limited', 'store_unavailable'] as const)(
    'keeps no %s reply, so that the caller may try again',
    async (code) => {
      behaviour = async () => {
        throw new HttpError(code);
      };
      await post();
      behaviour = async () => ({ body: { key: SECRET } });
      expect((await post()).status).toBe(201);
      expect(calls).toBe(2);
    },
  );

  it('keeps a refusal', async () => {
    behaviour = async () => {
      throw new HttpError('connections_exist');
    };
    await post();
    const again = await post();
    expect([calls, again.status, again.headers['gateway-error']]).toEqual([1, 409, 'connections_exist']);
  });

  it('keeps no refusal of the input, which never reached the handler', async () => {
    expect((await post('/v1/keys', 'operator', {})).status).toBe(400);
    expect((await post()).status).toBe(201);
  });

  it('stores nothing that can be read without the seal', async () => {
    await post();
    const rows = JSON.stringify(await database.knex('idempotency_keys').select());
    expect(rows).not.toContain(SECRET);
    expect(rows).not.toContain('shown-once');
  });

  it('opens no reply that was moved to another row', async () => {
    await post();
    await database.knex('idempotency_keys').update({ key: 'k-2' });
    const reply = await post('/v1/keys', 'operator', { name: 'a', note: 'b' }, 'k-2');
    expect(reply.status).toBe(500);
    expect(reply.text).not.toContain('shown-once');
  });

  it('lets a crashed request be repeated after a minute, and the late first one changes nothing', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    behaviour = async () => {
      await promise;
      return { body: { key: 'late' } };
    };
    const late = post().then((reply) => reply);
    await until(() => calls === 1);
    await database.knex.raw("UPDATE idempotency_keys SET created_at = now() - interval '61 seconds'");
    behaviour = async () => ({ body: { key: 'taken over' } });
    expect((await post()).body.key).toBe('taken over');
    resolve();
    await late;
    expect((await post()).body.key).toBe('taken over');
  });

  it('forgets a key after 24 hours, on its own and by cleaning up', async () => {
    await post();
    await database.knex.raw("UPDATE idempotency_keys SET created_at = now() - interval '25 hours'");
    expect((await post('/v1/keys', 'operator', { name: 'other' })).status).toBe(201);
    await database.knex.raw("UPDATE idempotency_keys SET created_at = now() - interval '25 hours'");
    expect(await createIdempotencyStore({ db: database.knex, ...seals }).deleteExpired()).toBe(1);
  });

  it.each(['', 'with space', 'with\ttab', 'x'.repeat(256)])('refuses the key %j', async (key) => {
    const reply = await post('/v1/keys', 'operator', { name: 'a' }, key);
    expect(reply.status).toBe(400);
    expect(reply.body.errors[0].path).toBe('headers.idempotency-key');
  });
});
