import { Secret, TOTP } from 'otpauth';
import { rewrapOldRows } from '../../src/platform/vault-rotation.store.ts';
import { PASSWORD, type Person, readCookie, SAME_ORIGIN, startSignInWorld } from './sign-in-world.ts';

let nowMs = 1_800_000_000_000;
const world = await startSignInWorld({ now: () => nowMs });
afterAll(world.drop);
const { addPerson, enter, me, post, signIn } = world;

/** What the app shows now, and shortly later or before. */
function codeOf(secret: string, steps = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: nowMs + steps * 30_000 });
}

const OTP = '/operators/me/otp';

/** A person with a confirmed second factor. */
async function addProtected(): Promise<Person & { cookie: string; secret: string; recoveryCodes: string[] }> {
  const person = await addPerson();
  const cookie = await enter(person);
  const { secret, recoveryCodes } = (await post(OTP, cookie, { password: PASSWORD }).expect(201)).body;
  await post(`${OTP}/confirm`, cookie, { otp: codeOf(secret) }).expect(200);
  nowMs += 60_000;
  return { ...person, cookie, secret, recoveryCodes };
}

const enterWith = ({ email }: Person, otp?: string) => signIn(email, PASSWORD, SAME_ORIGIN, otp);

describe('a second factor', () => {
  it('counts once a first code confirms it, and is shown once', async () => {
    const person = await addPerson();
    const cookie = await enter(person);
    const made = await post(OTP, cookie, { password: PASSWORD }).expect(201);
    expect(made.body).toEqual({
      secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
      otpauthUrl: expect.stringMatching(/^otpauth:\/\/totp\/Integration%20Gateway/),
      recoveryCodes: expect.any(Array),
    });
    expect(new Set(made.body.recoveryCodes).size).toBe(10);
    await signIn(person.email).expect(201);
    const replaced = made.body.secret;
    const { secret } = (await post(OTP, cookie, { password: PASSWORD }).expect(201)).body;
    const wrong = await post(`${OTP}/confirm`, cookie, { otp: codeOf(replaced) }).expect(400);
    expect(wrong.body.errors).toMatchObject([{ path: 'body.otp' }]);
    const confirmed = await post(`${OTP}/confirm`, cookie, { otp: codeOf(secret) }).expect(200);
    expect(confirmed.body.otpEnabled).toBe(true);
    expect((await post(OTP, cookie, { password: PASSWORD }).expect(409)).body.code).toBe(
      'otp_already_enabled',
    );
  });

  it('is asked for after the right password only', async () => {
    const person = await addProtected();
    expect((await enterWith(person).expect(401)).body.code).toBe('otp_required');
    expect((await signIn(person.email, 'not the password').expect(401)).body.code).toBe(
      'credentials_invalid',
    );
    const entered = await enterWith(person, codeOf(person.secret)).expect(201);
    const [{ details }] = await world.db('activity').where({ subject_id: entered.body.id });
    expect(details).toEqual({ method: 'password', secondFactor: true });
  });

  it('takes a code once, even in two browsers at once, and one step early or late', async () => {
    const person = await addProtected();
    const code = codeOf(person.secret);
    const both = await Promise.all([enterWith(person, code), enterWith(person, code)]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 401]);
    nowMs += 90_000;
    expect((await enterWith(person, codeOf(person.secret, -2)).expect(401)).body.code).toBe('otp_invalid');
    await enterWith(person, codeOf(person.secret, -1)).expect(201);
    await enterWith(person, codeOf(person.secret, 1)).expect(201);
    // The step before is used up with it.
    await enterWith(person, codeOf(person.secret)).expect(401);
  });

  it('is replaced by a recovery code, each once, however it is typed', async () => {
    const person = await addProtected();
    const [first = '', second = ''] = person.recoveryCodes;
    await enterWith(person, first).expect(201);
    await enterWith(person, first).expect(401);
    await enterWith(person, second.toUpperCase().replaceAll('-', ' ')).expect(201);
    const used = await world
      .db('activity')
      .where({ action: 'operator.recovery_code_used', actor_id: person.id });
    expect(used.map(({ details }) => details.left).sort()).toEqual([8, 9]);
  });

  it('lets ten codes be tried in a quarter of an hour, by who has the password, in all processes', async () => {
    const person = await addProtected();
    const other = world.startOtherProcess();
    const statuses: number[] = [];
    for (let guess = 0; guess < 11; guess += 1) {
      statuses.push((await enterWith(person, `00000${guess % 10}`)).status);
    }
    // The code that confirmed the factor counts as one.
    expect(statuses).toEqual([...Array(9).fill(401), 429, 429]);
    const elsewhere = other.signIn.prove({ headers: {} }, { ...person, password: PASSWORD, otp: '000000' });
    await expect(elsewhere).rejects.toMatchObject({ code: 'rate_limited' });
    const disable = { password: PASSWORD, otp: codeOf(person.secret) };
    expect((await post(`${OTP}/disable`, person.cookie, disable).expect(429)).body.code).toBe('rate_limited');
    await me(person.cookie).expect(200);
  });

  it('is switched off with the password and a code', async () => {
    const person = await addProtected();
    const disable = (body: object) => post(`${OTP}/disable`, person.cookie, body);
    const wrongPassword = await disable({ password: 'wrong', otp: codeOf(person.secret) }).expect(400);
    expect(wrongPassword.body.errors).toMatchObject([{ path: 'body.password' }]);
    const wrongCode = await disable({ password: PASSWORD, otp: '000000' }).expect(400);
    expect(wrongCode.body.errors).toMatchObject([{ path: 'body.otp' }]);
    const off = await disable({ password: PASSWORD, otp: codeOf(person.secret) }).expect(200);
    expect(off.body.otpEnabled).toBe(false);
    await enterWith(person).expect(201);
  });

  it('counts the wrong codes of who wants to switch it off', async () => {
    const person = await addProtected();
    const disable = (otp: string) => post(`${OTP}/disable`, person.cookie, { password: PASSWORD, otp });
    const allButOne = world.db.raw(`now() + interval '13 minutes'`);
    await world.db('operator_otps').where({ operator_id: person.id }).update({ guesses_whole_at: allButOne });
    await disable('000000').expect(400);
    await disable(codeOf(person.secret)).expect(429);
    await enterWith(person, codeOf(person.secret)).expect(429);
  });

  it('is begun with the password only, so that a browser left open shuts nobody out', async () => {
    const person = await addPerson();
    const cookie = await enter(person);
    for (const body of [{}, { password: 'not the password' }]) {
      const refused = await post(OTP, cookie, body).expect(400);
      expect(refused.body.errors).toMatchObject([{ path: 'body.password' }]);
    }
    await post(OTP, cookie, { password: PASSWORD }).expect(201);
  });

  it('is not begun by a token', async () => {
    const person = await addPerson();
    const owner = { operatorId: person.id, name: 't', expiresAt: null };
    const { token } = await world.tokens.insert(world.db, owner);
    const body = { password: PASSWORD };
    const byToken = await post(OTP, '', body).set('Authorization', `Bearer ${token}`).expect(403);
    expect(byToken.body.code).toBe('forbidden');
  });

  it('and a first password take a sign-in of the last ten minutes where there is no password yet', async () => {
    const person = await addPerson();
    const cookie = await enter(person);
    await world.db('operators').where({ id: person.id }).update({ password_hash: null });
    const age = (minutes: number) =>
      world
        .db('operator_sessions')
        .where({ operator_id: person.id })
        .update({ proved_at: world.db.raw(`now() - make_interval(mins => ?)`, [minutes]) });
    const refusalOf = async (reply: Promise<{ body: { code: string } }>) => (await reply).body.code;
    const firstPassword = { password: 'a first long password' };
    await age(11);
    expect(await refusalOf(post(OTP, cookie, {}).expect(403))).toBe('sign_in_too_old');
    expect(await refusalOf(world.patch('/operators/me', cookie, firstPassword).expect(403))).toBe(
      'sign_in_too_old',
    );
    await age(9);
    const { secret } = (await post(OTP, cookie, {}).expect(201)).body;
    await post(`${OTP}/confirm`, cookie, { otp: codeOf(secret) }).expect(200);
    nowMs += 60_000;
    await post(`${OTP}/disable`, cookie, { otp: codeOf(secret) }).expect(200);
    await world.patch('/operators/me', cookie, firstPassword).expect(200);
  });

  it('is not brought nearer by a new cookie that a changed role gives', async () => {
    const person = await addPerson();
    const projectId = await world.addProject(person);
    await world.members.insert(world.db, projectId, (await addPerson()).id, 'owner');
    const cookie = await enter(person);
    await world.db('operators').where({ id: person.id }).update({ password_hash: null });
    const old = { proved_at: world.db.raw(`now() - interval '1 hour'`) };
    await world.db('operator_sessions').where({ operator_id: person.id }).update(old);
    const member = `/projects/${projectId}/members/${person.id}`;
    const renewed = readCookie(await world.patch(member, cookie, { role: 'admin' }).expect(200));
    expect((await post(OTP, renewed, {}).expect(403)).body.code).toBe('sign_in_too_old');
  });

  it('stands sealed in the store, is sealed again with a new key, and is never logged', async () => {
    const person = await addProtected();
    const { rows } = await world.db.raw(
      `SELECT (SELECT json_agg(o)::text FROM operator_otps o) || (SELECT json_agg(a)::text FROM activity a) AS all`,
    );
    for (const secret of [person.secret, ...person.recoveryCodes]) {
      expect(`${rows[0].all}${world.text()}`).not.toContain(secret);
    }
    const log = { info: () => undefined, error: () => undefined };
    const result = await rewrapOldRows({ db: world.db, vault: { ...world.vault, activeKeyId: 'k2' }, log });
    expect(result.unreadable).toBe(0);
    expect(result.rewrapped).toBeGreaterThan(0);
    await enterWith(person, codeOf(person.secret)).expect(201);
  });

  it('is needed for a new password by a link, too', async () => {
    const person = await addProtected();
    const { createPasswordResetsStore } = await import(
      '../../src/operators/own-account/password-resets.store.ts'
    );
    const token = await createPasswordResetsStore().insert(world.db, person.id);
    const body = { token, password: 'another long password' };
    const missing = await post('/password-resets/complete', '', body).expect(401);
    expect(missing.body.code).toBe('otp_required');
    const done = await post('/password-resets/complete', '', { ...body, otp: codeOf(person.secret) });
    expect(done.status).toBe(201);
    await me(readCookie(done)).expect(200);
  });
});
