import { createSecretKey, randomBytes } from 'node:crypto';
import request from 'supertest';
import { z } from 'zod';
import type { RecordActivity } from '../../src/activity/record.ts';
import { createOperators } from '../../src/operators/create-operators.ts';
import { createSetup, prepareSetup } from '../../src/operators/gateway/setup.ts';
import { createVault } from '../../src/platform/vault.ts';
import { createTestApp, SIGN_IN } from '../http/support.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

const PUBLIC_URL = 'https://gateway.example';
const OWNER = { email: 'owner@example.com', password: 'a long enough password' };

describe('the first set-up', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(async () => {
    await database.drop();
  });

  function signingInOn(recordActivity: RecordActivity) {
    const vault = createVault([{ id: 'k1', key: createSecretKey(randomBytes(32)) }]);
    return createOperators({ ...SIGN_IN, db: database.knex, vault, recordActivity });
  }

  /** One gateway process on the database. */
  function start() {
    const recorded: string[] = [];
    const recordActivity: RecordActivity = async (_trx, entry) => {
      recorded.push(JSON.stringify(entry));
    };
    const setup = createSetup({
      ...signingInOn(recordActivity),
      db: database.knex,
      publicUrl: PUBLIC_URL,
      tokenEnd: () => new Date(Date.now() + 60_000),
      projectSchema: z.object({ id: z.string(), name: z.string(), ownerId: z.string() }),
      createFirstProject: async (_trx, { name, operatorId }) => ({
        project: { id: 'p1', name, ownerId: operatorId },
        apiKey: { id: operatorId, key: 'igk_first' },
      }),
      recordActivity,
    });
    const { app, text } = createTestApp(setup.endpoints);
    const post = (body: object) => request(app).post('/v1/setup').send(body);
    return { setup, post, recorded, logged: text };
  }

  async function countOperators(): Promise<number> {
    const [row] = await database.knex('operators').count({ total: '*' });
    return Number(row?.total);
  }

  it('makes the operator, the project and working credentials, once', async () => {
    const { setup, post } = start();
    const { pending, token } = await prepareSetup(database.knex, {});
    expect(pending).toBe(true);
    const reply = await post({ token, ...OWNER, projectName: 'Shop' }).expect(201);
    expect(reply.headers['cache-control']).toBe('no-store');
    expect(reply.headers.location).toBe(`${PUBLIC_URL}/v1/projects/p1`);
    expect(reply.body).toEqual({
      operator: {
        id: expect.any(String),
        email: OWNER.email,
        name: null,
        language: null,
        createdAt: expect.any(String),
        hasPassword: true,
        otpEnabled: false,
        singleSignOn: false,
        // The stand-in for creating a project makes no member.
        emailVerified: true,
        gatewayOwner: true,
      },
      project: { id: 'p1', name: 'Shop', ownerId: reply.body.operator.id },
      personalAccessToken: { id: expect.any(String), token: expect.stringMatching(/^igo_[\w-]{43}$/) },
      apiKey: { id: expect.any(String), key: 'igk_first' },
    });
    const again = await post({ token, ...OWNER }).expect(409);
    expect(again.body.code).toBe('already_set_up');
    expect(await prepareSetup(database.knex, {})).toEqual({ pending: false });
    expect(await setup.isPending()).toBe(false);
  });

  it('lets exactly one of many requests at the same time through', async () => {
    const { post } = start();
    const { token } = await prepareSetup(database.knex, {});
    const replies = await Promise.all(
      [1, 2, 3, 4].map((index) => post({ token, ...OWNER, email: `owner-${index}@example.com` })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    expect(await countOperators()).toBe(1);
    expect(await database.knex('personal_access_tokens').select('id')).toHaveLength(1);
  });

  it('refuses a wrong token, and afterwards never tells whether a token was right', async () => {
    const { post } = start();
    const { token } = await prepareSetup(database.knex, {});
    const wrong = await post({ token: `${token}x`, ...OWNER }).expect(403);
    expect(wrong.body.code).toBe('setup_token_invalid');
    expect(await countOperators()).toBe(0);
    await post({ token, ...OWNER }).expect(201);
    const late = await post({ token: 'wrong', ...OWNER }).expect(409);
    expect(late.body.code).toBe('already_set_up');
  });

  it('refuses everything before a token was prepared', async () => {
    const reply = await start().post({ token: 'undefined', ...OWNER });
    expect(reply.body.code).toBe('setup_token_invalid');
  });

  it('keeps the configured token over restarts', async () => {
    expect(await prepareSetup(database.knex, { configuredToken: 'from-the-environment' })).toEqual({
      pending: true,
      token: 'from-the-environment',
    });
    const second = start();
    await prepareSetup(database.knex, { configuredToken: 'from-the-environment' });
    await second.post({ token: 'from-the-environment', ...OWNER }).expect(201);
  });

  it('goes by the token printed last, in whichever process', async () => {
    const first = start();
    const { token: printedFirst } = await prepareSetup(database.knex, {});
    const { token: printedLast } = await prepareSetup(database.knex, {});
    expect(printedLast).not.toBe(printedFirst);
    await first.post({ token: printedFirst, ...OWNER }).expect(403);
    await first.post({ token: printedLast, ...OWNER }).expect(201);
  });

  it('accepts the token of one of several processes that start at once', async () => {
    const processes = [start(), start(), start(), start()];
    const prepared = await Promise.all(processes.map(() => prepareSetup(database.knex, {})));
    const [anyone] = processes;
    const statuses = [];
    for (const { token } of prepared) statuses.push((await anyone?.post({ token, ...OWNER }))?.status);
    expect(statuses).toContain(201);
    expect(await countOperators()).toBe(1);
  });

  it('refuses a field that does not fit, names it, and stays open', async () => {
    const { post } = start();
    const { token } = await prepareSetup(database.knex, {});
    for (const [path, change] of [
      ['body.password', { password: 'eleven char' }],
      ['body.email', { email: 'owner' }],
      ['body.projectName', { projectName: '  ' }],
      ['body.role', { role: 'owner' }],
    ] as const) {
      const reply = await post({ token, ...OWNER, ...change }).expect(400);
      expect(reply.body.errors.map((fault: { path: string }) => fault.path)).toEqual([path]);
    }
    await post({ token, ...OWNER }).expect(201);
  });

  it('stores, records and logs neither the token nor the password', async () => {
    const { post, recorded, logged } = start();
    const { token = '' } = await prepareSetup(database.knex, {});
    const made = await post({ token, ...OWNER }).expect(201);
    const { rows } = await database.knex.raw(
      `SELECT (SELECT json_agg(s)::text FROM setup s) || (SELECT json_agg(o)::text FROM operators o)
        || (SELECT json_agg(t)::text FROM personal_access_tokens t) AS everything`,
    );
    const places = [rows[0].everything, recorded.join(''), logged()];
    expect(rows[0].everything).toContain(OWNER.email);
    for (const secret of [token, OWNER.password, made.body.personalAccessToken.token]) {
      for (const place of places) expect(place).not.toContain(secret);
    }
  });

  it('makes nothing when the project cannot be made', async () => {
    const setup = createSetup({
      ...signingInOn(async () => undefined),
      db: database.knex,
      publicUrl: PUBLIC_URL,
      tokenEnd: () => new Date(Date.now() + 60_000),
      projectSchema: z.object({ id: z.string() }),
      createFirstProject: async () => {
        throw new Error('no room');
      },
      recordActivity: async () => undefined,
    });
    const { token } = await prepareSetup(database.knex, {});
    const { app } = createTestApp(setup.endpoints);
    await request(app)
      .post('/v1/setup')
      .send({ token, ...OWNER })
      .expect(500);
    expect(await countOperators()).toBe(0);
    expect(await setup.isPending()).toBe(true);
  });
});
