import {
  addMember,
  addProject,
  type OwnProject,
  readProblemCode,
  startProjects,
} from '../projects/support.ts';

const { management, theirs, send } = await startProjects();
afterAll(management.drop);

let project: OwnProject;
beforeEach(async () => {
  project = await addProject(management);
});

const DAY_MS = 24 * 60 * 60 * 1_000;

describe('revocations of user tokens', () => {
  const path = (id?: string) => `/projects/${project.id}/revocations${id === undefined ? '' : `/${id}`}`;
  const revoke = (body: object, credential = project.apiKey) => send('post', path(), credential, body);
  const inForce = () => management.revocations.loadRevocations(project.id);

  it('are of one token, of a user or of everyone, by keys and operators, and live a day longer than they count', async () => {
    management.changed.length = 0;
    const one = await revoke({ jti: 'token-1' }).expect(201);
    expect(one.body).toEqual({
      id: expect.any(String),
      projectId: project.id,
      jti: 'token-1',
      userId: null,
      everyone: false,
      issuedBefore: null,
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
    });
    expect(one.headers.location).toContain(path(one.body.id));
    const livesMs = Date.parse(one.body.expiresAt) - Date.parse(one.body.createdAt);
    expect(livesMs).toBeGreaterThan(DAY_MS);
    expect(livesMs).toBeLessThan(DAY_MS + 300_000);
    const user = await revoke({ userId: 'mia' }, project.owner.token).expect(201);
    expect(user.body).toMatchObject({ jti: null, userId: 'mia', everyone: false });
    expect(Date.now() - Date.parse(user.body.issuedBefore)).toBeLessThan(10_000);
    const issuedBefore = '2026-01-31T10:30:00.000Z';
    const all = await revoke({ everyone: true, issuedBefore: '2026-01-31T11:30:00+01:00' }).expect(201);
    expect(all.body).toMatchObject({ jti: null, userId: null, everyone: true, issuedBefore });
    expect(management.changed).toEqual([project.id, project.id, project.id]);

    const { body } = await send('get', path(), project.apiKey).expect(200);
    expect(body).toEqual({ revocations: [all.body, user.body, one.body], nextCursor: null });
    const page = (await send('get', `${path()}?limit=1`, project.apiKey)).body;
    const rest = (await send('get', `${path()}?cursor=${page.nextCursor}`, project.apiKey)).body;
    expect([...page.revocations, ...rest.revocations]).toEqual(body.revocations);
    expect((await send('get', path(user.body.id), project.apiKey)).body).toEqual(user.body);
  });

  it('change the version of what is kept in memory, and not the ETag of the project', async () => {
    const versionOf = async () =>
      (await management.signingKeys.loadProjectKeys(project.id))?.revocationsVersion;
    const { etag } = (await send('get', `/projects/${project.id}`, project.apiKey)).headers;
    expect(await versionOf()).toBe(0);
    const { id } = (await revoke({ jti: 'a' })).body;
    expect([await versionOf(), await inForce()]).toEqual([
      1,
      [{ jti: 'a', subject: null, issuedBefore: null }],
    ]);
    await send('delete', path(id), project.apiKey).expect(204);
    expect([await versionOf(), await inForce()]).toEqual([2, []]);
    expect(await send('delete', path(id), project.apiKey).then(readProblemCode)).toBe('404 not_found');
    expect((await send('get', `/projects/${project.id}`, project.apiKey)).headers.etag).toBe(etag);
  });

  it('stand in the audit log', async () => {
    const { id } = (await revoke({ userId: 'mia' })).body;
    await send('delete', path(id), project.owner.token).expect(204);
    const log = await send('get', `/activity?subjectId=${id}`, project.apiKey);
    expect(log.body.activity).toMatchObject([
      { action: 'token_revocation.deleted', actorKind: 'operator', subjectKind: 'token_revocation' },
      { action: 'token_revocation.created', actorKind: 'api_key', details: { userId: 'mia', jti: null } },
    ]);
  });

  it('are forgotten when they concern no token that can be alive, and count for nothing before', async () => {
    const { id } = (await revoke({ jti: 'old' })).body;
    await revoke({ jti: 'new' });
    const row = management.db('token_revocations').where({ id });
    await row.update({ expires_at: management.db.raw("now() - interval '1 second'") });
    expect((await inForce()).map(({ jti }) => jti)).toEqual(['new']);
    expect((await send('get', path(), project.apiKey)).body.revocations).toHaveLength(1);
    await send('get', path(id), project.apiKey).expect(404);
    expect(await management.revocations.purgeOfAnyProject(new AbortController().signal)).toBe(1);
    expect(await management.db('token_revocations').where({ id })).toEqual([]);
  });

  it('are ten thousand at most', async () => {
    await management.db.raw(
      `INSERT INTO token_revocations (id, project_id, jti, expires_at)
       SELECT gen_random_uuid(), ?, n::text, now() + interval '1 day' FROM generate_series(1, 10000) AS n`,
      [project.id],
    );
    const refused = await revoke({ jti: 'one more' });
    expect(readProblemCode(refused)).toBe('409 revocation_limit');
    expect(await inForce()).toHaveLength(10_000);
  });

  it.each([
    ['nothing', {}],
    ['two at once', { jti: 'a', userId: 'b' }],
    ['an empty jti', { jti: '' }],
    ['a long jti', { jti: 'x'.repeat(256) }],
    ['a jti that is no text', { jti: 7 }],
    ['a jti with a time', { jti: 'a', issuedBefore: '2026-01-31T10:30:00Z' }],
    ['an empty user', { userId: '' }],
    ['everyone but false', { everyone: false }],
    ['a time that is none', { everyone: true, issuedBefore: 'yesterday' }],
    ['a time to come', { everyone: true, issuedBefore: '2999-01-01T00:00:00Z' }],
    ['a typo', { userid: 'a' }],
  ])('are refused for %s', async (_what, body) => {
    expect(await revoke(body).then(readProblemCode)).toBe('400 invalid_request');
  });

  it('are made by who may write: no viewer, no end user, no stranger', async () => {
    const viewer = await addMember(management, project, 'viewer');
    expect(await revoke({ jti: 'a' }, viewer.token).then(readProblemCode)).toBe('403 insufficient_role');
    await send('get', path(), viewer.token).expect(200);
    expect(await revoke({ jti: 'a' }, `user:${project.id}:u`).then(readProblemCode)).toBe(
      '403 forbidden_principal',
    );
    for (const credential of [theirs.apiKey, theirs.owner.token]) {
      expect(await revoke({ jti: 'a' }, credential).then(readProblemCode)).toBe('404 project_not_found');
    }
    const { id } = (await revoke({ jti: 'a' })).body;
    const foreign = `/projects/${theirs.id}/revocations/${id}`;
    expect(await send('delete', foreign, theirs.apiKey).then(readProblemCode)).toBe('404 not_found');
    expect(await send('get', foreign, theirs.apiKey).then(readProblemCode)).toBe('404 not_found');
    await send('post', path(), undefined, { jti: 'a' }).expect(401);
    expect(await inForce()).toHaveLength(1);
  });
});
