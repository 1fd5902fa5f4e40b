import { scryptSync } from 'node:crypto';
import request from 'supertest';
import { newId } from '../../src/lib/ids.ts';
import {
  PASSWORD,
  readCookie,
  readCookies,
  SAME_ORIGIN,
  SESSION_COOKIE,
  startSignInWorld,
} from './sign-in-world.ts';

const world = await startSignInWorld();
afterAll(world.drop);

const { addPerson, signIn, enter, me } = world;
const change = (cookie: string, body: object) => world.patch('/operators/me', cookie, body);

describe('signing in', () => {
  it('answers the session and a cookie that no script and no other site can use', async () => {
    const person = await addPerson();
    const reply = await signIn(person.email.toUpperCase()).set('User-Agent', 'Browser/1').expect(201);
    expect(reply.body).toEqual({
      id: expect.any(String),
      createdAt: expect.any(String),
      lastUsedAt: expect.any(String),
      expiresAt: expect.any(String),
      sourceAddress: expect.stringContaining('127.0.0.1'),
      userAgent: 'Browser/1',
      current: true,
      operator: expect.objectContaining({ id: person.id, hasPassword: true, otpEnabled: false }),
    });
    const cookie = reply.get('Set-Cookie')?.find((field) => field.startsWith(`${SESSION_COOKIE}=`));
    expect(cookie).toMatch(
      /^__Host-gateway_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=604800; Secure$/,
    );
    expect((await me(readCookie(reply)).expect(200)).body).toEqual(reply.body.operator);
  });

  it('stores and logs no cookie and no password, and tells the audit log who came from where', async () => {
    const person = await addPerson();
    const reply = await signIn(person.email).expect(201);
    const secret = readCookie(reply).split('=')[1] ?? '';
    const { rows } = await world.db.raw(
      `SELECT (SELECT json_agg(s)::text FROM operator_sessions s) || (SELECT json_agg(a)::text FROM activity a) AS everything`,
    );
    for (const text of [rows[0].everything, world.text()]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(PASSWORD);
    }
    const entry = await world.db('activity').where({ subject_id: reply.body.id }).first();
    expect(entry).toMatchObject({
      action: 'session.created',
      actor_id: person.id,
      source_address: expect.stringContaining('127.0.0.1'),
      details: { method: 'password', secondFactor: false },
    });
  });

  it('refuses a wrong password and an unknown address with one answer', async () => {
    const person = await addPerson();
    const single = await addPerson({ password_hash: null });
    const refusals = [
      await signIn(person.email, 'not the password'),
      await signIn('nobody-at-all@example.test'),
      await signIn(single.email),
    ];
    for (const { status, body, headers } of refusals) {
      expect(status).toBe(401);
      expect({ ...body, requestId: '' }).toEqual({ ...refusals[0]?.body, requestId: '' });
      expect(body.code).toBe('credentials_invalid');
      expect(headers['gateway-error']).toBe('credentials_invalid');
      expect(headers['set-cookie']).toBeUndefined();
    }
  });

  it('is refused to another origin’s page, and left to programs', async () => {
    const { email } = await addPerson();
    for (const headers of [{ Origin: 'https://evil.example' }, { 'Sec-Fetch-Site': 'cross-site' }]) {
      const reply = await signIn(email, PASSWORD, headers).expect(403);
      expect(reply.body.code).toBe('csrf_rejected');
    }
    await signIn(email, PASSWORD, { 'Sec-Fetch-Site': 'same-origin', ...SAME_ORIGIN }).expect(201);
    await signIn(email).expect(201);
  });

  it('gives a new cookie each time, and ends the session that the browser had', async () => {
    const person = await addPerson();
    const first = await enter(person);
    const second = readCookie(await signIn(person.email).set('Cookie', first).expect(201));
    expect(second).not.toBe(first);
    await me(first).expect(401);
    await me(second).expect(200);
  });

  it('still takes a hash of an older release, and replaces it', async () => {
    const salt = Buffer.from('0123456789abcdef');
    const hash = scryptSync(PASSWORD, salt, 32, { N: 1024, r: 8, p: 1 }).toString('base64url');
    const person = await addPerson({
      password_hash: `scrypt$1024$8$1$${salt.toString('base64url')}$${hash}`,
    });
    await signIn(person.email).expect(201);
    const row = await world.db('operators').where({ id: person.id }).first();
    expect(row.password_hash).toMatch(/^\$argon2id\$/);
    await signIn(person.email).expect(201);
  });

  it('slows one network down for one account, not for its owner’s browser, and not for other accounts', async () => {
    const person = await addPerson();
    const entered = await signIn(person.email).expect(201);
    const known = readCookies(entered).join('; ');
    const statuses = new Map<number, number>();
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const { status } = await signIn(person.email, `wrong password ${attempt}`);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect(Object.fromEntries(statuses)).toEqual({ 401: 10, 429: 2 });
    const refused = await signIn(person.email).expect(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    await signIn(person.email).set('Cookie', known).expect(201);
    await signIn((await addPerson()).email).expect(201);
  });
});

describe('a signed-in browser', () => {
  it('changes something only from a page of the gateway', async () => {
    const cookie = await enter(await addPerson());
    const patch = (headers: Record<string, string>) =>
      request(world.app)
        .patch('/v1/operators/me')
        .set({ Cookie: cookie, ...headers })
        .send({ name: 'Ada' });
    for (const headers of [
      {},
      { Origin: 'null' },
      { Origin: 'https://gateway.example.evil.test' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'none' },
      { 'Sec-Fetch-Site': 'cross-site', ...SAME_ORIGIN },
      { 'Sec-Fetch-Site': 'same-origin', Origin: 'https://evil.example' },
    ]) {
      expect((await patch(headers).expect(403)).body.code).toBe('csrf_rejected');
    }
    expect((await me(cookie).expect(200)).body.name).toBeNull();
    await patch(SAME_ORIGIN).expect(200);
    await patch({ 'Sec-Fetch-Site': 'same-origin' }).expect(200);
  });

  it('is signed out by itself: twelve hours after its last use, or seven days after it signed in', async () => {
    for (const aged of [
      { last_used_at: world.db.raw(`now() - interval '12 hours'`) },
      { expires_at: world.db.raw('now()') },
    ]) {
      const person = await addPerson();
      const cookie = await enter(person);
      await world.db('operator_sessions').where({ operator_id: person.id }).update(aged);
      const reply = await me(cookie).expect(401);
      expect(reply.body.code).toBe('signed_out');
      expect(reply.get('Set-Cookie')?.[0]).toMatch(/^__Host-gateway_session=; .*Max-Age=0/);
    }
    await world.sessions.purgeOfAnyOperator();
    const left = await world.db('operator_sessions').whereRaw('expires_at <= now()');
    expect(left).toEqual([]);
  });

  it('lists the sessions of its operator, and ends any of them, itself included', async () => {
    const person = await addPerson();
    const [first, second] = [await enter(person), await enter(person)];
    const stranger = await enter(await addPerson());
    const list = await request(world.app).get('/v1/sessions').set('Cookie', second).expect(200);
    expect(list.body.sessions.map(({ current }: { current: boolean }) => current)).toEqual([true, false]);
    const firstId = list.body.sessions[1].id;
    const end = (cookie: string, id: string) => world.delete(`/sessions/${id}`, cookie);
    await end(stranger, firstId).expect(404);
    await end(second, firstId).expect(204);
    await me(first).expect(401);
    const out = await end(second, 'current').expect(204);
    expect(out.get('Set-Cookie')?.[0]).toContain('Max-Age=0');
    await me(second).expect(401);
  });

  it('changes its password with the current one; every other session ends, and this one goes on', async () => {
    const person = await addPerson();
    const [other, cookie] = [await enter(person), await enter(person)];
    const faults = [
      [{ password: 'another long password' }, 'body.currentPassword'],
      [{ password: 'another long password', currentPassword: 'wrong' }, 'body.currentPassword'],
      [{ password: 'short', currentPassword: PASSWORD }, 'body.password'],
      [{ password: `${person.email}`, currentPassword: PASSWORD }, 'body.password'],
      [{ password: 'aaaaaaaaaaaaaaaa', currentPassword: PASSWORD }, 'body.password'],
    ] as const;
    for (const [body, path] of faults) {
      const reply = await change(cookie, body).expect(400);
      expect(reply.body.errors[0].path).toBe(path);
    }
    const changed = await change(cookie, { password: 'another long password', currentPassword: PASSWORD });
    expect(changed.status).toBe(200);
    await me(other).expect(401);
    await me(cookie).expect(401);
    await me(readCookie(changed)).expect(200);
    await signIn(person.email).expect(401);
    await signIn(person.email, 'another long password').expect(201);
  });

  it('ends the personal access tokens with a new password where its operator says so, and only then', async () => {
    const person = await addPerson();
    const made = { operatorId: person.id, name: 'x', expiresAt: null };
    await world.tokens.insert(world.db, made);
    const live = () => world.tokens.countLive(world.db, person.id);
    const change = async (body: object) =>
      world.patch('/operators/me', await enter(person), { ...body, currentPassword: PASSWORD });
    const alone = await world.patch('/operators/me', await enter(person), { endTokens: true }).expect(400);
    expect(alone.body.errors).toMatchObject([{ path: 'body.endTokens' }]);
    expect((await change({ password: PASSWORD })).status).toBe(200);
    expect(await live()).toBe(1);
    expect((await change({ password: PASSWORD, endTokens: true })).status).toBe(200);
    expect(await live()).toBe(0);
  });

  it('gets a new cookie when its operator changes the own role in it; another one’s change ends no session', async () => {
    const person = await addPerson();
    const [cookie, elsewhere] = [await enter(person), await enter(person)];
    const { sessionId } = await world.sessions
      .list({ operatorId: person.id, beforeId: undefined, limit: 2 })
      .then((sessions) => ({ sessionId: sessions.at(-1)?.id ?? '' }));
    const by = (operatorId: string) => ({
      principal: { kind: 'operator' as const, operatorId, sessionId },
      request: { headers: { cookie } },
    });
    const renew = (operatorId: string) =>
      world.db.transaction((trx) =>
        world.browserSessions.renewOwn(trx, person.id, by(operatorId), 'role_change'),
      );
    expect(await renew(newId())).toEqual([]);
    await me(cookie).expect(200);
    const [field = ''] = await renew(person.id);
    await me(cookie).expect(401);
    await me(field.split(';', 1)[0] ?? '').expect(200);
    await me(elsewhere).expect(200);
  });
});

describe('the sign-in page’s options', () => {
  it('say whether the gateway is set up, and what it offers', async () => {
    await addPerson();
    const reply = await request(world.app).get('/v1/sign-in-options').expect(200);
    expect(reply.body).toEqual({ setUp: true, singleSignOn: null, mail: false });
  });
});
