import { up as addLifetimes } from '../../migrations/0098_lifetimes_of_api_keys.ts';
import { KEY_SCOPE_NAMES } from '../../src/http/key-scopes.ts';
import { sha256 } from '../../src/lib/opaque-tokens.ts';
import { addMember, readProblemCode, startProjects } from '../projects/support.ts';

const DAY_MS = 24 * 60 * 60_000;
const MISSING = '01890000-0000-7000-8000-0000000000ff';

const { management, project, theirs, send } = await startProjects();
afterAll(management.drop);

describe('API keys', () => {
  const path = (rest = '') => `/projects/${project.id}/api-keys${rest}`;
  const create = (body: object = { name: 'backend' }) =>
    send('post', path(), project.owner.token, body).expect(201);

  it('are shown once, then only by prefix, and are stored as a hash', async () => {
    const made = await create();
    const { key, ...shown } = made.body;
    expect(key).toMatch(/^igk_[\w-]{43}$/);
    expect(made.headers['cache-control']).toBe('no-store');
    expect(shown).toEqual({
      id: expect.any(String),
      name: 'backend',
      prefix: key.slice(0, 12),
      createdBy: { operatorId: project.owner.id, email: project.owner.email },
      createdAt: expect.any(String),
      expiresAt: null,
      lastUsedAt: null,
      scopes: ['*'],
      allowedAddresses: null,
    });
    const list = await send('get', path(), project.owner.token).expect(200);
    expect(list.body.apiKeys[0]).toEqual(shown);
    expect(list.text).not.toContain(key);
    const dump = JSON.stringify([await management.db('api_keys'), await management.db('activity')]);
    expect(dump).not.toContain(key);
    expect(management.logText()).not.toContain(key);
  });

  it('are managed by operators with a writing role only', async () => {
    const viewer = await addMember(management, project, 'viewer');
    const { id } = (await create()).body;
    await send('get', path(), viewer.token).expect(200);
    expect(await send('post', path(), viewer.token, { name: 'n' }).then(readProblemCode)).toBe(
      '403 insufficient_role',
    );
    expect(await send('delete', path(`/${id}`), viewer.token).then(readProblemCode)).toBe(
      '403 insufficient_role',
    );
    const rotated = await send('post', path(`/${id}/rotate`), viewer.token, {});
    expect(readProblemCode(rotated)).toBe('403 insufficient_role');
    const changed = await send('patch', path(`/${id}`), viewer.token, { scopes: ['*'] });
    expect(readProblemCode(changed)).toBe('403 insufficient_role');
    await send('get', path(`/${id}`), viewer.token).expect(200);
    for (const credential of [project.apiKey, `user:${project.id}:u`]) {
      for (const method of ['get', 'post'] as const) {
        expect(await send(method, path(), credential).then(readProblemCode)).toBe('403 forbidden_principal');
      }
      const ofKey = [
        await send('delete', path(`/${id}`), credential),
        await send('patch', path(`/${id}`), credential, { scopes: ['*'] }),
        await send('post', path(`/${id}/rotate`), credential, {}),
      ];
      for (const answer of ofKey) expect(readProblemCode(answer)).toBe('403 forbidden_principal');
    }
    await send('post', path(), undefined, { name: 'n' }).expect(401);
  });

  it('of other projects are out of reach, also under the own project’s path', async () => {
    const foreign = `/projects/${theirs.id}/api-keys`;
    const [key] = (await send('get', foreign, theirs.owner.token)).body.apiKeys;
    expect(await send('get', foreign, project.owner.token).then(readProblemCode)).toBe(
      '404 project_not_found',
    );
    expect(await send('post', foreign, project.owner.token, { name: 'n' }).then(readProblemCode)).toBe(
      '404 project_not_found',
    );
    for (const id of [key.id, MISSING]) {
      expect(await send('delete', path(`/${id}`), project.owner.token).then(readProblemCode)).toBe(
        '404 not_found',
      );
      const others = [
        await send('post', path(`/${id}/rotate`), project.owner.token, {}),
        await send('patch', path(`/${id}`), project.owner.token, { scopes: ['polls'] }),
        await send('get', path(`/${id}`), project.owner.token),
      ];
      for (const answer of others) expect(readProblemCode(answer)).toBe('404 not_found');
    }
    expect(await management.apiKeys.findApiKey(sha256(theirs.apiKey))).toMatchObject({
      projectId: theirs.id,
    });
  });

  it('stop working when revoked, once', async () => {
    const { id, key } = (await create()).body;
    await send('get', '/projects', key).expect(200);
    await send('delete', path(`/${id}`), project.owner.token).expect(204);
    await send('get', '/projects', key).expect(401);
    expect(await send('delete', path(`/${id}`), project.owner.token).then(readProblemCode)).toBe(
      '404 not_found',
    );
    const list = await send('get', path(), project.owner.token);
    expect(JSON.stringify(list.body)).not.toContain(id);
  });

  it('stop working when they expire', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { id, key, ...shown } = (await create({ name: 'brief', expiresAt })).body;
    expect(shown.expiresAt).toBe(expiresAt);
    await send('get', '/projects', key).expect(200);
    await management.db('api_keys').where({ id }).update({ expires_at: new Date() });
    expect(readProblemCode(await send('get', '/projects', key))).toBe('401 token_expired');
    await send('delete', path(`/${id}`), project.owner.token).expect(204);
    expect(readProblemCode(await send('get', '/projects', key))).toBe('401 token_invalid');
  });

  it.each([
    ['no name', {}],
    ['an expiry in the past', { name: 'n', expiresAt: '2020-01-01T00:00:00Z' }],
    ['an expiry that is no time', { name: 'n', expiresAt: 'tomorrow' }],
    ['an unknown member', { name: 'n', projectId: MISSING }],
    ['no scope at all', { name: 'n', scopes: [] }],
    ['a scope that there is none', { name: 'n', scopes: ['connections:delete'] }],
    ['every scope and another one', { name: 'n', scopes: ['*', 'polls'] }],
    ['one scope as text', { name: 'n', scopes: 'polls' }],
    [
      'more scopes than there are',
      { name: 'n', scopes: Array.from({ length: KEY_SCOPE_NAMES.length + 2 }, () => 'polls') },
    ],
    ['no address at all', { name: 'n', allowedAddresses: [] }],
    ['an address that is none', { name: 'n', allowedAddresses: ['10.0.0.0/8', 'localhost'] }],
    [
      'more ranges than there may be',
      { name: 'n', allowedAddresses: Array.from({ length: 33 }, (_, i) => `10.${i}.0.0/16`) },
    ],
  ])('are not made with %s', async (_what, body) => {
    expect(await send('post', path(), project.owner.token, body).then(readProblemCode)).toBe(
      '400 invalid_request',
    );
  });

  it('are rotated with overlap: the old one works for a while beside the new one', async () => {
    const old = (await create({ name: 'rotated' })).body;
    const made = await send('post', path(`/${old.id}/rotate`), project.owner.token, { overlapSeconds: 600 });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      name: 'rotated',
      key: expect.stringMatching(/^igk_/),
      expiresAt: null,
    });
    await send('get', '/projects', old.key).expect(200);
    await send('get', '/projects', made.body.key).expect(200);
    const { expires_at: endsAt } = await management.db('api_keys').where({ id: old.id }).first();
    const { created_at: rotatedAt } = await management.db('api_keys').where({ id: made.body.id }).first();
    expect(endsAt.getTime() - rotatedAt.getTime()).toBe(600_000);
  });

  it('are rotated without overlap at once, and never live longer by being rotated', async () => {
    const old = (await create()).body;
    await send('post', path(`/${old.id}/rotate`), project.owner.token, { overlapSeconds: 0 }).expect(201);
    await send('get', '/projects', old.key).expect(401);
    expect(await send('post', path(`/${old.id}/rotate`), project.owner.token, {}).then(readProblemCode)).toBe(
      '404 not_found',
    );
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const brief = (await create({ name: 'brief', expiresAt })).body;
    await send('post', path(`/${brief.id}/rotate`), project.owner.token, { overlapSeconds: 3600 }).expect(
      201,
    );
    const { expires_at: endsAt } = await management.db('api_keys').where({ id: brief.id }).first();
    expect(endsAt.toISOString()).toBe(expiresAt);
    const bad = await send('post', path(`/${brief.id}/rotate`), project.owner.token, { overlapSeconds: -1 });
    expect(readProblemCode(bad)).toBe('400 invalid_request');
  });

  it('get as long a life as before when they are rotated, also once more, unless another end is asked for', async () => {
    const daysLeft = ({ expiresAt }: { expiresAt: string | null }) =>
      expiresAt === null ? null : Math.round((Date.parse(expiresAt) - Date.now()) / DAY_MS);
    const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
    const rotate = async (id: string, body: object = {}) =>
      (await send('post', path(`/${id}/rotate`), project.owner.token, body).expect(201)).body;
    const old = (await create({ name: 'quarterly', expiresAt: inDays(90) })).body;
    const [first, again] = [await rotate(old.id), await rotate(old.id)];
    const asked = await rotate(first.id, { expiresAt: inDays(30) });
    const forever = await rotate(first.id, { expiresAt: null });
    expect([first, again, asked, forever, await rotate(forever.id)].map(daysLeft)).toEqual([
      90,
      90,
      30,
      null,
      null,
    ]);
  });

  it('end as late as dates go, also once they are rotated, and with the migration that notes for how long they were made', async () => {
    const expiresAt = '9999-12-31T23:59:59.000Z';
    const made = (await create({ name: 'for good', expiresAt })).body;
    expect(made.expiresAt).toBe(expiresAt);
    const rotated = await send('post', path(`/${made.id}/rotate`), project.owner.token, {}).expect(201);
    expect(Date.parse(rotated.body.expiresAt)).toBeGreaterThan(Date.now() + 60 * 365 * DAY_MS);
    const trx = await management.db.transaction();
    try {
      const ofKey = trx('api_keys').where({ id: made.id });
      await ofKey.clone().update({ expires_at: expiresAt });
      await trx.raw('ALTER TABLE api_keys DROP COLUMN lifetime_seconds');
      await addLifetimes(trx);
      expect(await ofKey.first()).toMatchObject({ lifetime_seconds: 2_147_483_647 });
    } finally {
      await trx.rollback();
    }
  });

  it('have scopes and ranges in their one notation, which rotating keeps', async () => {
    const limits = {
      scopes: ['polls', 'connect', 'polls'],
      allowedAddresses: ['::ffff:10.1.2.3/104', '10.9.9.9/8'],
    };
    const normalized = { scopes: ['connect', 'polls'], allowedAddresses: ['10.0.0.0/8'] };
    const made = await create({ name: 'least', ...limits });
    expect(made.body).toMatchObject(normalized);
    const rotated = await send('post', path(`/${made.body.id}/rotate`), project.owner.token, {}).expect(201);
    expect(rotated.body).toMatchObject({ name: 'least', ...normalized });
    const more = await send('post', path(`/${made.body.id}/rotate`), project.owner.token, { scopes: ['*'] });
    expect(readProblemCode(more)).toBe('400 invalid_request');
    const { body } = await send('get', path(), project.owner.token).expect(200);
    expect(body.apiKeys.slice(0, 2)).toMatchObject([normalized, normalized]);
  });

  it('are narrowed and widened by operators, and the audit log has both ways', async () => {
    const { id, key } = (await create({ name: 'changing' })).body;
    await send('get', '/projects', key).expect(200);
    const narrow = { scopes: ['connections:read'], allowedAddresses: ['192.0.2.1'] };
    const changed = await send('patch', path(`/${id}`), project.owner.token, narrow).expect(200);
    expect(changed.body).toMatchObject({
      name: 'changing',
      scopes: ['connections:read'],
      allowedAddresses: ['192.0.2.1/32'],
    });
    const refused = await send('get', '/projects', key);
    expect([readProblemCode(refused), refused.body.detail]).toEqual([
      '403 scope_missing',
      'The API key lacks the scope `projects:read`, which this operation takes.',
    ]);
    const back = { name: 'changed', scopes: ['*'], allowedAddresses: null };
    expect((await send('patch', path(`/${id}`), project.owner.token, back).expect(200)).body).toMatchObject(
      back,
    );
    await send('get', '/projects', key).expect(200);
    const log = await send('get', `/activity?subjectId=${id}`, project.owner.token).expect(200);
    expect(
      log.body.activity.map(({ action, details }: { action: string; details: unknown }) => [action, details]),
    ).toEqual([
      [
        'api_key.updated',
        {
          ...{ ...back, fields: ['name', 'scopes', 'allowedAddresses'] },
          previous: { name: 'changing', scopes: ['connections:read'], allowedAddresses: ['192.0.2.1/32'] },
        },
      ],
      [
        'api_key.updated',
        {
          ...{ name: 'changing', scopes: ['connections:read'], allowedAddresses: ['192.0.2.1/32'] },
          ...{
            fields: ['scopes', 'allowedAddresses'],
            previous: { name: 'changing', scopes: ['*'], allowedAddresses: null },
          },
        },
      ],
      ['api_key.created', { name: 'changing', scopes: ['*'], allowedAddresses: null }],
    ]);
  });

  it('are not changed by who saw an older version, nor once they are revoked or over', async () => {
    const { id } = (await create()).body;
    const { etag = '' } = (await send('get', path(`/${id}`), project.owner.token).expect(200)).headers;
    const change = (body: object) =>
      send('patch', path(`/${id}`), project.owner.token, body).set('If-Match', etag);
    await change({ scopes: ['polls'] }).expect(200);
    expect(readProblemCode(await change({ scopes: ['*'] }))).toBe('412 precondition_failed');
    await management.db('api_keys').where({ id }).update({ expires_at: new Date() });
    const late = await send('patch', path(`/${id}`), project.owner.token, { scopes: ['*'] });
    expect(readProblemCode(late)).toBe('404 not_found');
    await send('delete', path(`/${id}`), project.owner.token).expect(204);
    expect(readProblemCode(await send('get', path(`/${id}`), project.owner.token))).toBe('404 not_found');
  });
});
