import request from 'supertest';
import { z } from 'zod';
import { endpoint } from '../../src/http/endpoint.ts';
import { HttpError } from '../../src/http/errors.ts';
import { createIdempotencyStore, type OwnerLimits } from '../../src/http/idempotency.store.ts';
import type { Db } from '../../src/platform/postgres/database.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { createTestApp, PUBLIC_URL } from './support.ts';

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

let database: TestDatabase;
/** How often the work was done, and how often a handler began. */
let made: () => Promise<number>;
let calls = 0;
/** What the work does besides, in its transaction. */
let behaviour: (trx: Db) => Promise<unknown>;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.knex.raw('CREATE TABLE made (name text)');
  made = async () => (await database.knex('made')).length;
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.knex('idempotency_keys').delete();
  await database.knex('made').delete();
  calls = 0;
  behaviour = async () => undefined;
});

const body = z.strictObject({
  name: z.string(),
  note: z.string().optional(),
  labels: z.record(z.string(), z.unknown()).optional(),
});

const make = (path: string) =>
  endpoint({
    operationId: `post${path.length}`,
    method: 'post',
    path,
    summary: 'Makes a key',
    tag: 'Projects',
    principals: ['operator', 'api_key'],
    leastRole: 'anyone',
    keyScope: 'none',
    body,
    success: { status: 201, schema: z.object({ key: z.string() }), description: 'The key' },
    handler({ body: { name }, commitReply }) {
      calls += 1;
      const call = calls;
      return commitReply(database.knex, async (trx) => {
        await trx('made').insert({ name });
        await behaviour(trx);
        return {
          body: { key: `${SECRET}-${call}` },
          headers: { Location: `/v1/keys/${call}` },
          etag: `"${call}"`,
        };
      });
    },
  });

/** Changes nothing, and so needs no transaction. */
const mint = endpoint({
  operationId: 'mint',
  method: 'post',
  path: '/tokens',
  summary: 'Mints a token',
  tag: 'Projects',
  principals: ['operator'],
  leastRole: 'anyone',
  body,
  success: { status: 201, schema: z.object({ key: z.string() }), description: 'The token' },
  changesNothing: true,
  async handler() {
    calls += 1;
    return { body: { key: `token-${calls}` } };
  },
});

/** An app as one process of the gateway has it; it shares nothing with others but the database. */
function process(limits?: OwnerLimits) {
  const idempotency = createIdempotencyStore({ db: database.knex, ...seals, ...(limits && { limits }) });
  return createTestApp([make('/keys'), make('/other-keys'), mint], { idempotency }).app;
}

type Call = { app?: ReturnType<typeof process>; path?: string; token?: string; body?: object; key?: string };

function post(call: Call = {}) {
  const { app = process(), path = '/v1/keys', token = 'operator', key = 'k-1' } = call;
  return request(app)
    .post(path)
    .set({ Authorization: `Bearer ${token}`, 'Idempotency-Key': key })
    .send(call.body ?? { name: 'a', note: 'b' });
}

describe('a repeated POST', () => {
  it('gets the first reply again: status, body, Location and ETag, with a request id of its own', async () => {
    const first = await post();
    const again = await post();
    expect(await made()).toBe(1);
    expect(again.status).toBe(201);
    expect(again.body).toEqual(first.body);
    expect(again.headers).toMatchObject({
      location: `${PUBLIC_URL}/v1/keys/1`,
      etag: first.headers.etag,
      'idempotency-replayed': 'true',
    });
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    expect(again.headers['gateway-request-id']).not.toBe(first.headers['gateway-request-id']);
  });

  it('gets the first reply also of an operation that changes nothing', async () => {
    const first = await post({ path: '/v1/tokens' });
    expect((await post({ path: '/v1/tokens' })).body).toEqual(first.body);
    expect(calls).toBe(1);
  });

  it('may have its members in another order, also in maps of free names', async () => {
    await post({ body: { name: 'a', labels: { x: 1, y: { p: [1, 2], q: 2 } } } });
    const again = await post({ body: { labels: { y: { q: 2, p: [1, 2] }, x: 1 }, name: 'a' } });
    expect([calls, again.status]).toEqual([1, 201]);
    const other = await post({ body: { labels: { y: { q: 2, p: [2, 1] }, x: 1 }, name: 'a' } });
    expect(other.body.code).toBe('idempotency_key_reused');
  });

  it('is refused with another body, whether the first request is running or was answered long ago', async () => {
    const app = process();
    const held = Promise.withResolvers<void>();
    behaviour = () => held.promise;
    const first = post({ app }).then((reply) => reply);
    await until(() => calls === 1);
    const other = () => post({ app, body: { name: 'other' } });
    expect((await other()).body.code).toBe('idempotency_key_reused');
    held.resolve();
    await first;
    for (const age of ['0 s', '61 s', '23 hours']) {
      await database.knex('idempotency_keys').update({
        created_at: database.knex.raw(`now() - ?::interval`, [age]),
      });
      const reply = await other();
      expect([age, reply.status, reply.body.code]).toEqual([age, 422, 'idempotency_key_reused']);
    }
    expect(calls).toBe(1);
  });

  it('is another request with another principal or path', async () => {
    await post();
    await post({ token: 'key' });
    await post({ path: '/v1/other-keys' });
    expect(calls).toBe(3);
  });

  it.each([
    ['in the same process', true],
    ['in two processes', false],
  ])('that comes while the first is running is told to come again, %s', async (_where, isShared) => {
    const app = isShared ? process() : undefined;
    const held = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    behaviour = () => {
      began.resolve();
      return held.promise;
    };
    const first = post({ ...(app && { app }) }).then((reply) => reply);
    await began.promise;
    const second = await post({ ...(app && { app }) });
    expect(second.status).toBe(409);
    expect(second.body).toMatchObject({ code: 'idempotency_in_progress', retryable: true });
    expect(second.headers['retry-after']).toBe('1');
    held.resolve();
    expect((await first).status).toBe(201);
    expect((await post()).body).toEqual((await first).body);
    expect(await made()).toBe(1);
  });

  it('in twenty copies at once does the work once, in one process and in twenty', async () => {
    const app = process();
    for (const [key, copies] of [
      ['one', Array.from({ length: 20 }, () => app)],
      ['many', Array.from({ length: 20 }, () => process())],
    ] as const) {
      await database.knex('made').delete();
      const replies = await Promise.all(copies.map((copy) => post({ app: copy, key })));
      expect(await made()).toBe(1);
      expect(replies.filter((reply) => ![201, 409].includes(reply.status))).toEqual([]);
      expect(new Set(replies.flatMap(({ body: { key: made } }) => made ?? [])).size).toBe(1);
    }
  });

  it.each(['internal_error', 'rate_limited', 'store_unavailable'] as const)(
    'is tried again after %s',
    async (code) => {
      behaviour = async () => {
        throw new HttpError(code);
      };
      await post();
      behaviour = async () => undefined;
      expect((await post()).status).toBe(201);
      expect([calls, await made()]).toEqual([2, 1]);
    },
  );

  it('gets a refusal again, with an id of its own in head and body', async () => {
    behaviour = async () => {
      throw new HttpError('connections_exist');
    };
    const first = await post();
    const again = await post();
    expect([calls, again.status, again.headers['gateway-error']]).toEqual([1, 409, 'connections_exist']);
    expect(again.body.requestId).toBe(again.headers['gateway-request-id']);
    expect(again.body.requestId).not.toBe(first.body.requestId);
    expect({ ...again.body, requestId: '' }).toEqual({ ...first.body, requestId: '' });
  });

  it('gets a long refusal again without its list of faults', async () => {
    const errors = Array.from({ length: 500 }, (_, index) => ({
      path: `body.${index}`,
      message: 'wrong '.repeat(50),
    }));
    behaviour = async () => {
      throw new HttpError('invalid_request', { errors });
    };
    expect((await post()).body.errors.length).toBeGreaterThan(20);
    const again = await post();
    expect([calls, again.status, again.body.code, again.body.errors]).toEqual([
      1,
      400,
      'invalid_request',
      undefined,
    ]);
    const [row] = await database.knex('idempotency_keys');
    expect(row.reply_sealed.length).toBeLessThan(2_000);
  });

  it('is tried again after a refusal that is long without any list', async () => {
    behaviour = async () => {
      throw new HttpError('connections_exist', { detail: 'long '.repeat(1_000) });
    };
    const statuses = [(await post()).status, (await post()).status];
    expect([calls, ...statuses]).toEqual([2, 409, 409]);
  });

  it('is not held to a refusal of its input, which never reached the handler', async () => {
    expect((await post({ body: {} })).status).toBe(400);
    expect((await post()).status).toBe(201);
  });

  it('may use its key for another request after 24 hours', async () => {
    await post();
    const age = () =>
      database.knex.raw("UPDATE idempotency_keys SET created_at = now() - interval '25 hours'");
    await age();
    expect((await post({ body: { name: 'other' } })).status).toBe(201);
    await age();
    expect(await createIdempotencyStore({ db: database.knex, ...seals }).deleteExpired()).toBe(1);
  });

  it.each(['', 'with space', 'with\ttab', 'x'.repeat(256)])('is refused with the key %j', async (key) => {
    const reply = await post({ body: { name: 'a' }, key });
    expect(reply.status).toBe(400);
    expect(reply.body.errors[0].path).toBe('headers.idempotency-key');
  });
});

describe('work and its reply', () => {
  it('are committed together: where the reply cannot be kept, nothing is done', async () => {
    behaviour = (trx) => trx.raw('ALTER TABLE idempotency_keys ADD CONSTRAINT none CHECK (status IS NULL)');
    expect((await post()).status).toBe(500);
    expect(await made()).toBe(0);
    behaviour = async () => undefined;
    expect((await post()).status).toBe(201);
    expect(await made()).toBe(1);
  });

  it('are both lost with the connection, and the key is free at once', async () => {
    const began = Promise.withResolvers<number>();
    const held = Promise.withResolvers<void>();
    behaviour = async (trx) => {
      const { rows } = await trx.raw<{ rows: { pid: number }[] }>('SELECT pg_backend_pid() AS pid');
      began.resolve(rows[0]?.pid ?? 0);
      await held.promise;
    };
    const first = post().then((reply) => reply);
    await database.knex.raw('SELECT pg_terminate_backend(?)', [await began.promise]);
    behaviour = async () => undefined;
    expect((await post()).status).toBe(201);
    held.resolve();
    expect((await first).status).toBe(503);
    expect(await made()).toBe(1);
  });

  it('of a request that ends late do not count where a repeat was faster', async () => {
    const held = Promise.withResolvers<void>();
    let isFirst = true;
    const slow = endpoint({
      operationId: 'slow',
      method: 'post',
      path: '/keys',
      summary: 'Makes a key',
      tag: 'Projects',
      principals: ['operator'],
      leastRole: 'anyone',
      body,
      success: { status: 201, schema: z.object({ key: z.string() }), description: 'The key' },
      async handler({ body: { name }, commitReply }) {
        const key = isFirst ? 'late' : 'early';
        if (isFirst) {
          isFirst = false;
          calls += 1;
          await held.promise;
        }
        return commitReply(database.knex, async (trx) => {
          await trx('made').insert({ name });
          return { body: { key } };
        });
      },
    });
    const processOf = () =>
      createTestApp([slow], { idempotency: createIdempotencyStore({ db: database.knex, ...seals }) }).app;
    const late = post({ app: processOf() }).then((reply) => reply);
    await until(() => calls === 1);
    expect((await post({ app: processOf() })).body.key).toBe('early');
    held.resolve();
    const reply = await late;
    expect([reply.body.key, reply.headers['idempotency-replayed']]).toEqual(['early', 'true']);
    expect(await made()).toBe(1);
  });

  it('are told as done, though something fails after them', async () => {
    const failing = endpoint({
      operationId: 'failing',
      method: 'post',
      path: '/failing',
      summary: 'Makes a key',
      tag: 'Projects',
      principals: ['operator'],
      leastRole: 'anyone',
      body,
      success: { status: 201, schema: z.object({ key: z.string() }), description: 'The key' },
      async handler({ body: { name }, commitReply }) {
        await commitReply(database.knex, async (trx) => {
          await trx('made').insert({ name });
          return { body: { key: 'done' } };
        });
        throw new Error('after the fact');
      },
    });
    const idempotency = createIdempotencyStore({ db: database.knex, ...seals });
    const { app, lines } = createTestApp([failing], { idempotency });
    expect((await post({ app, path: '/v1/failing' })).body.key).toBe('done');
    expect(lines.find(({ msg }) => msg === 'request failed')).toBeDefined();
    expect((await post({ app, path: '/v1/failing' })).body.key).toBe('done');
    expect(await made()).toBe(1);
  });
});

describe('kept replies', () => {
  it('cannot be read without the seal', async () => {
    await post();
    const rows = JSON.stringify(await database.knex('idempotency_keys').select());
    expect(rows).not.toContain(SECRET);
    expect(rows).not.toContain('shown-once');
  });

  it('do not open in another row', async () => {
    await post();
    await database.knex('idempotency_keys').update({ key: 'k-2' });
    const reply = await post({ key: 'k-2' });
    expect(reply.status).toBe(500);
    expect(reply.text).not.toContain('shown-once');
  });

  it.each([
    ['number', { replies: 20, bytes: 1_000_000, keys: 30 }],
    ['size', { replies: 1_000, bytes: 8_000, keys: 30 }],
  ])(
    'of one principal are bounded in %s, the oldest going first, and others keep theirs',
    async (_what, limits) => {
      const app = process(limits);
      await post({ app, token: 'key', key: 'theirs' });
      for (let number = 0; number < 40; number += 1) await post({ app, key: `k-${number}` });
      const ofOperator = () =>
        database
          .knex('idempotency_keys')
          .whereLike('owner', 'operator:%')
          .select('key', 'reply_bytes', 'reply_sealed');
      const isTooMuch = (rows: { reply_bytes: number; reply_sealed: string | null }[]) =>
        rows.filter((row) => row.reply_sealed !== null).length > 1.2 * limits.replies ||
        rows.reduce((sum, row) => sum + row.reply_bytes, 0) > 1.2 * limits.bytes ||
        rows.length > 1.2 * limits.keys;
      let kept = await ofOperator();
      while (isTooMuch(kept)) kept = await ofOperator();
      const keys = kept.map(({ key }) => key);
      expect(keys).toContain('k-39');
      expect(keys).not.toContain('k-0');
      const before = calls;
      expect((await post({ app, token: 'key', key: 'theirs' })).headers['idempotency-replayed']).toBe('true');
      expect(calls).toBe(before);
    },
  );

  it('that are forgotten leave their keys: nothing is made twice, and what changes nothing is done again', async () => {
    const app = process({ replies: 10, bytes: 1_000_000, keys: 1_000 });
    for (const path of ['/v1/keys', '/v1/tokens'])
      for (let number = 0; number < 20; number += 1) await post({ app, path, key: `k-${number}` });
    const forgotten = () => database.knex('idempotency_keys').where({ key: 'k-0' }).whereNull('reply_sealed');
    while ((await forgotten()).length < 2);
    const before = await made();
    const again = await post({ app, key: 'k-0' });
    expect([again.status, again.body.code]).toEqual([409, 'idempotency_reply_forgotten']);
    expect((await post({ app, key: 'k-0', body: { name: 'other' } })).body.code).toBe(
      'idempotency_key_reused',
    );
    expect(await made()).toBe(before);
    expect((await post({ app, path: '/v1/tokens', key: 'k-0' })).status).toBe(201);
  });

  it('that are forgotten refusals leave nothing in the way: the request is tried again', async () => {
    behaviour = async () => {
      throw new HttpError('connections_exist');
    };
    expect((await post()).status).toBe(409);
    await database.knex('idempotency_keys').update({ reply_sealed: null, reply_bytes: 0 });
    behaviour = async () => undefined;
    expect((await post()).status).toBe(201);
    expect(await made()).toBe(1);
  });

  it('of the release before are given again, and its claims are waited for as long as they count', async () => {
    const claim = async (age: string) => {
      await database.knex('idempotency_keys').delete();
      await post();
      await database.knex('idempotency_keys').update({
        status: null,
        reply_sealed: null,
        owner: '',
        created_at: database.knex.raw('now() - ?::interval', [age]),
      });
      return post();
    };
    const waiting = await claim('20 s');
    expect([waiting.status, waiting.body.code]).toEqual([409, 'idempotency_in_progress']);
    expect(Number(waiting.headers['retry-after'])).toBeGreaterThan(30);
    expect((await claim('61 s')).status).toBe(201);
  });
});
