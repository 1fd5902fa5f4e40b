import { sha256 } from '../../src/lib/opaque-tokens.ts';
import { addProject, PASSWORD, readProblemCode, startProjects } from '../projects/support.ts';

const PATH = '/personal-access-tokens';

const { management, project: mine, theirs, send } = await startProjects();
afterAll(management.drop);

describe('personal access tokens', () => {
  it('take the password, also of a caller with a token, so that a stolen one makes no other', async () => {
    for (const password of [undefined, 'not the password']) {
      const refused = await send('post', PATH, mine.owner.token, { name: 'n', password });
      expect(readProblemCode(refused)).toBe('400 invalid_request');
      expect(refused.body.errors).toMatchObject([{ path: 'body.password' }]);
    }
    const { id } = mine.owner;
    const { password_hash } = await management.db('operators').where({ id }).first();
    await management.db('operators').where({ id }).update({ password_hash: null });
    const refused = await send('post', PATH, mine.owner.token, { name: 'n', password: PASSWORD });
    expect(readProblemCode(refused)).toBe('403 sign_in_too_old');
    await management.db('operators').where({ id }).update({ password_hash });
  });

  it('end in 90 days unless said otherwise, and never later than the setting says', async () => {
    const daysFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    const make = (expiresAt?: string) =>
      send('post', PATH, mine.owner.token, { name: 'n', password: PASSWORD, expiresAt });
    const lives = (end: string) => Math.round((Date.parse(end) - Date.now()) / 86_400_000);
    expect(lives((await make().expect(201)).body.expiresAt)).toBe(90);
    expect(lives((await make(daysFromNow(365)).expect(201)).body.expiresAt)).toBe(365);
    const refused = await make(daysFromNow(366)).expect(400);
    expect(refused.body.errors).toMatchObject([{ path: 'body.expiresAt' }]);
  });

  it('of an earlier release without an end go on, and are listed without one', async () => {
    const owner = { operatorId: mine.owner.id, name: 'old', expiresAt: null };
    const { token } = await management.personalAccessTokens.insert(management.db, owner);
    const list = await send('get', PATH, token).expect(200);
    expect(list.body.personalAccessTokens[0]).toMatchObject({ name: 'old', expiresAt: null });
  });

  it('are shown once, then only by prefix, and act as their operator', async () => {
    const made = await send('post', PATH, mine.owner.token, { name: 'laptop', password: PASSWORD }).expect(
      201,
    );
    const { token, ...shown } = made.body;
    expect(token).toMatch(/^igo_[\w-]{43}$/);
    expect(made.headers['cache-control']).toBe('no-store');
    expect(shown).toMatchObject({
      name: 'laptop',
      prefix: token.slice(0, 12),
      expiresAt: expect.any(String),
      lastUsedAt: null,
    });
    const list = await send('get', PATH, token).expect(200);
    expect(list.body.personalAccessTokens[0]).toEqual(shown);
    const dump = JSON.stringify([
      await management.db('personal_access_tokens'),
      await management.db('activity'),
    ]);
    expect(dump + management.logText() + list.text).not.toContain(token);
    expect(await management.personalAccessTokens.findPersonalAccessToken(sha256(token))).toEqual({
      personalAccessTokenId: shown.id,
      operatorId: mine.owner.id,
      isExpired: false,
      allowedAddresses: null,
    });
  });

  it('stop working when revoked', async () => {
    const { id, token } = (await send('post', PATH, mine.owner.token, { name: 'n', password: PASSWORD }))
      .body;
    await send('delete', `${PATH}/${id}`, token).expect(204);
    await send('get', PATH, token).expect(401);
    expect(await send('delete', `${PATH}/${id}`, mine.owner.token).then(readProblemCode)).toBe(
      '404 not_found',
    );
  });

  it('are rotated with overlap by whoever has the password: the old one works for a while beside the new one', async () => {
    const make = async (more: object = {}) =>
      (await send('post', PATH, mine.owner.token, { name: 'ci', password: PASSWORD, ...more }).expect(201))
        .body;
    const rotate = (id: string, body: object) => send('post', `${PATH}/${id}/rotate`, mine.owner.token, body);
    const old = await make({ allowedAddresses: ['127.0.0.0/8', '::1'] });
    for (const password of [undefined, 'not the password'])
      expect(await rotate(old.id, { password }).then(readProblemCode)).toBe('400 invalid_request');
    const made = (await rotate(old.id, { overlapSeconds: 600, password: PASSWORD }).expect(201)).body;
    expect(made).toMatchObject({ name: 'ci', allowedAddresses: old.allowedAddresses });
    expect(made.token).toMatch(/^igo_[\w-]{43}$/);
    for (const token of [old.token, made.token]) await send('get', PATH, token).expect(200);
    const row = (id: string) => management.db('personal_access_tokens').where({ id }).first();
    const [{ expires_at: endsAt }, { created_at: madeAt }] = [await row(old.id), await row(made.id)];
    expect(endsAt.getTime() - madeAt.getTime()).toBe(600_000);
    await rotate(made.id, { overlapSeconds: 0, password: PASSWORD }).expect(201);
    await send('get', PATH, made.token).expect(401);
    const expired = await make();
    await management
      .db('personal_access_tokens')
      .where({ id: expired.id })
      .update({ expires_at: new Date() });
    const ofOther = await send('post', PATH, theirs.owner.token, { name: 'n', password: PASSWORD });
    for (const id of [made.id, expired.id, ofOther.body.id])
      expect(await rotate(id, { password: PASSWORD }).then(readProblemCode)).toBe('404 not_found');
  });

  it('stop working when they expire', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const made = await send('post', PATH, mine.owner.token, {
      name: 'n',
      password: PASSWORD,
      expiresAt,
    }).expect(201);
    expect(made.body.expiresAt).toBe(expiresAt);
    await send('get', PATH, made.body.token).expect(200);
    await management
      .db('personal_access_tokens')
      .where({ id: made.body.id })
      .update({ expires_at: new Date() });
    const reply = await send('get', PATH, made.body.token);
    expect([readProblemCode(reply), reply.headers['www-authenticate']]).toEqual([
      '401 token_expired',
      'Bearer realm="gateway", error="invalid_token", error_description="The token expired"',
    ]);
    await send('delete', `${PATH}/${made.body.id}`, mine.owner.token).expect(204);
    expect(readProblemCode(await send('get', PATH, made.body.token))).toBe('401 token_invalid');
  });

  it('are bound to other addresses with the password alone, and get another name without it', async () => {
    const { id, token } = (
      await send('post', PATH, mine.owner.token, {
        name: 'n',
        password: PASSWORD,
        allowedAddresses: ['127.0.0.1'],
      })
    ).body;
    const change = (body: object, bearer = token) => send('patch', `${PATH}/${id}`, bearer, body);
    for (const allowedAddresses of [null, ['10.0.0.0/8'], ['127.0.0.1']]) {
      expect(readProblemCode(await change({ allowedAddresses }))).toBe('400 invalid_request');
      expect(readProblemCode(await change({ allowedAddresses, password: 'another one' }))).toBe(
        '400 invalid_request',
      );
    }
    expect((await change({ name: 'renamed' }).expect(200)).body).toMatchObject({
      ...{ name: 'renamed', allowedAddresses: ['127.0.0.1/32'] },
    });
    expect(readProblemCode(await change({ name: 'x' }, theirs.owner.token))).toBe('404 not_found');
    const changed = await change({ allowedAddresses: null, password: PASSWORD }).expect(200);
    expect(changed.body).toMatchObject({ name: 'renamed', allowedAddresses: null });
    expect((await change({}).expect(200)).body).toMatchObject({ name: 'renamed', allowedAddresses: null });
    expect(management.logText()).not.toContain(PASSWORD);
  });

  it('of another operator are neither seen nor revoked', async () => {
    const foreign = (await send('post', PATH, theirs.owner.token, { name: 'theirs', password: PASSWORD }))
      .body;
    const list = await send('get', `${PATH}?limit=200`, mine.owner.token).expect(200);
    expect(list.text).not.toContain(foreign.id);
    expect(await send('delete', `${PATH}/${foreign.id}`, mine.owner.token).then(readProblemCode)).toBe(
      '404 not_found',
    );
    await send('get', PATH, foreign.token).expect(200);
  });

  it('are for operators only', async () => {
    for (const method of ['get', 'post'] as const) {
      await send(method, PATH).expect(401);
      for (const credential of [mine.apiKey, `user:${mine.id}:u`]) {
        expect(await send(method, PATH, credential).then(readProblemCode)).toBe('403 forbidden_principal');
      }
    }
  });

  it.each([
    {},
    { name: 'n', expiresAt: '2020-01-01T00:00:00Z' },
    { name: 'n', operatorId: 'x' },
    { name: '\u0000' },
  ])('refuse %j', async (body) => {
    expect(await send('post', PATH, mine.owner.token, body).then(readProblemCode)).toBe(
      '400 invalid_request',
    );
  });

  it('are listed page by page', async () => {
    const { owner } = await addProject(management);
    for (const name of ['a', 'b'])
      await send('post', PATH, owner.token, { name, password: PASSWORD }).expect(201);
    const first = await send('get', `${PATH}?limit=2`, owner.token);
    const second = await send('get', `${PATH}?cursor=${first.body.nextCursor}`, owner.token);
    const names = [...first.body.personalAccessTokens, ...second.body.personalAccessTokens].map(
      ({ name }) => name,
    );
    expect(names).toEqual(['b', 'a', 'test']);
  });
});
