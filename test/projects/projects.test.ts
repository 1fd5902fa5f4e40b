import { addMember, addProject, readBody, readProblemCode, startProjects } from './support.ts';

const MISSING = '01890000-0000-7000-8000-0000000000ff';

const { management, project: mine, theirs, send } = await startProjects();
afterAll(management.drop);

describe('projects', () => {
  it('are created with defaults, a location, a tag, and a managed signing key', async () => {
    const made = await send('post', '/projects', mine.owner.token, { name: '  New one ' }).expect(201);
    expect(made.body).toEqual({
      id: expect.any(String),
      name: 'New one',
      allowedOrigins: [],
      approvalPage: null,
      agentSignIn: null,
      frozen: null,
      returnUrls: [],
      tagClaims: [],
      limits: {},
      requireMandate: false,
      branding: {},
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
    });
    expect(made.headers.location).toBe(`https://gateway.example/v1/projects/${made.body.id}`);
    expect(made.headers.etag).toMatch(/^"1\./);
    const keys = await send('get', `/projects/${made.body.id}/signing-keys`, mine.owner.token).expect(200);
    expect(keys.body.signingKeys).toMatchObject([{ kind: 'managed', alg: 'ES256' }]);
    const stored = await management.db('signing_keys').where({ project_id: made.body.id }).first();
    expect(stored.private_key_sealed).toMatch(/^v1\.k1\./);
  });

  it('are created and deleted by operators only', async () => {
    await send('post', '/projects', undefined, { name: 'No' }).expect(401);
    for (const credential of [mine.apiKey, `user:${mine.id}:u`]) {
      const refused = await send('post', '/projects', credential, { name: 'No' }).expect(403);
      expect(refused.body.code).toBe('forbidden_principal');
      await send('delete', `/projects/${mine.id}`, credential).expect(403);
    }
  });

  it('are listed newest first, page by page, to their members and their own keys only', async () => {
    const owner = (await addProject(management, 'first')).owner;
    await send('post', '/projects', owner.token, { name: 'second' }).expect(201);
    await send('post', '/projects', owner.token, { name: 'third' }).expect(201);
    const page = await send('get', '/projects?limit=2', owner.token).expect(200).then(readBody);
    const rest = await send('get', `/projects?limit=2&cursor=${page.nextCursor}`, owner.token).then(readBody);
    const names = [...page.projects, ...rest.projects].map(({ name }) => name);
    expect(names).toEqual(['third', 'second', 'first']);
    expect(rest.nextCursor).toBeNull();
    const ofKey = await send('get', '/projects', mine.apiKey).expect(200).then(readBody);
    expect(ofKey.projects.map(({ id }: { id: string }) => id)).toEqual([mine.id]);
    await send('get', '/projects').expect(401);
    await send('get', '/projects', `user:${mine.id}:u`).expect(403);
  });

  it('of others look exactly like ones that do not exist', async () => {
    const body = { name: 'Taken over' };
    for (const id of [theirs.id, MISSING, 'no-uuid']) {
      for (const credential of [mine.owner.token, mine.apiKey]) {
        expect(await send('get', `/projects/${id}`, credential).then(readProblemCode)).toBe(
          '404 project_not_found',
        );
        expect(await send('patch', `/projects/${id}`, credential, body).then(readProblemCode)).toBe(
          '404 project_not_found',
        );
      }
      expect(await send('delete', `/projects/${id}`, mine.owner.token).then(readProblemCode)).toBe(
        '404 project_not_found',
      );
    }
    expect((await management.projects.find(theirs.id))?.name).toBe('Theirs');
  });

  it('are changed by owners, admins and their own key, and caches drop what changed', async () => {
    const admin = await addMember(management, mine, 'admin');
    for (const credential of [mine.owner.token, admin.token, mine.apiKey]) {
      const name = `Renamed ${credential.slice(0, 9)}`;
      management.changed.length = 0;
      const reply = await send('patch', `/projects/${mine.id}`, credential, { name }).expect(200);
      expect(reply.body.name).toBe(name);
      expect(new Set(management.changed)).toEqual(new Set([mine.id]));
    }
  });

  it('are read but not changed by viewers', async () => {
    const viewer = await addMember(management, mine, 'viewer');
    await send('get', `/projects/${mine.id}`, viewer.token).expect(200);
    const refused = await send('patch', `/projects/${mine.id}`, viewer.token, { name: 'No' });
    expect(readProblemCode(refused)).toBe('403 insufficient_role');
    expect(await send('delete', `/projects/${mine.id}`, viewer.token).then(readProblemCode)).toBe(
      '403 insufficient_role',
    );
  });

  it('guard concurrent changes by entity tag', async () => {
    const path = `/projects/${mine.id}`;
    const read = await send('get', path, mine.owner.token).expect(200);
    const tag = read.headers.etag ?? '';
    const changed = await send('patch', path, mine.owner.token, { name: 'A' })
      .set('If-Match', tag)
      .expect(200);
    expect(changed.headers.etag).not.toBe(tag);
    const late = await send('patch', path, mine.owner.token, { name: 'B' }).set('If-Match', tag);
    expect(readProblemCode(late)).toBe('412 precondition_failed');
    expect((await send('get', path, mine.owner.token)).body.name).toBe('A');
  });

  it('let exactly one of two changes with the same tag through', async () => {
    const path = `/projects/${mine.id}`;
    const tag = (await send('get', path, mine.owner.token)).headers.etag ?? '';
    const replies = await Promise.all(
      ['X', 'Y'].map((name) => send('patch', path, mine.owner.token, { name }).set('If-Match', tag)),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 412]);
  });

  it.each([
    ['an unknown member', { id: MISSING }],
    ['an empty name', { name: ' ' }],
    ['a name that Postgres cannot store', { name: 'a\u0000b' }],
    ['a lone surrogate', { name: 'a\ud800' }],
    ['a wildcard origin', { allowedOrigins: ['https://*.example.com'] }],
    ['the origin *', { allowedOrigins: ['*'] }],
    ['the origin null', { allowedOrigins: ['null'] }],
    ['an origin with a path', { allowedOrigins: ['https://example.com/'] }],
    ['an origin with a default port', { allowedOrigins: ['https://example.com:443'] }],
    ['an origin in upper case', { allowedOrigins: ['https://Example.com'] }],
    ['an origin with credentials', { allowedOrigins: ['https://a@example.com'] }],
    ['a plain http origin', { allowedOrigins: ['http://example.com'] }],
    ['an origin twice', { allowedOrigins: ['https://a.example', 'https://a.example'] }],
    ['a return URL with a fragment', { returnUrls: ['https://example.com/#'] }],
    ['a plain http return URL', { returnUrls: ['http://example.com/done'] }],
    ['a return URL that runs script', { returnUrls: ['javascript:alert(1)'] }],
    ['a relative return URL', { returnUrls: ['/done'] }],
    ['a return URL with a line feed', { returnUrls: ['https://example.com/\ndone'] }],
    ['a return URL with a password', { returnUrls: ['https://a:b@example.com/'] }],
    ['an unknown limit', { limits: { speed: 1 } }],
    ['a limit of nothing', { limits: { proxyCallsPerMinute: 0 } }],
    ['an unknown piece of branding', { branding: { font: 'Comic' } }],
    ['a colour by name', { branding: { color: 'red' } }],
    ['a colour that goes on', { branding: { color: '#112233;' } }],
    ['an empty display name', { branding: { displayName: ' ' } }],
    ['a plain http logo', { branding: { logoUrl: 'http://localhost/logo.svg' } }],
    ['a logo in the address itself', { branding: { logoUrl: 'data:image/svg+xml,<svg/>' } }],
    ['a logo with a password', { branding: { logoUrl: 'https://a:b@example.com/logo.svg' } }],
    ['a logo of every host', { branding: { logoUrl: 'https://*.example.com/logo.svg' } }],
    ['a logo whose host ends a directive', { branding: { logoUrl: 'https://a;sandbox/logo.svg' } }],
  ])('refuse %s', async (_what, body) => {
    const before = await management.projects.find(mine.id);
    const refused = await send('patch', `/projects/${mine.id}`, mine.owner.token, body);
    expect(readProblemCode(refused)).toBe('400 invalid_request');
    const created = await send('post', '/projects', mine.owner.token, { name: 'No', ...body });
    expect(readProblemCode(created)).toBe('400 invalid_request');
    expect(await management.projects.find(mine.id)).toEqual(before);
  });

  it('take exact origins and return URLs, and plain http on loopback', async () => {
    const body = {
      allowedOrigins: [
        'https://app.example.com',
        'https://app.example.com:8443',
        'http://localhost:5173',
        'http://[::1]',
      ],
      returnUrls: ['https://app.example.com/done?from=gateway', 'http://127.0.0.1:4000/done'],
      limits: { proxyCallsPerMinute: 600 },
    };
    const changed = await send('patch', `/projects/${mine.id}`, mine.owner.token, body).expect(200);
    expect(changed.body).toMatchObject(body);
    expect(await management.projects.findProjectRules(mine.id)).toEqual({
      allowedOrigins: body.allowedOrigins,
      returnUrls: body.returnUrls,
      tagClaims: [],
      limits: body.limits,
      organizationQuotas: new Map(),
    });
    const asked = ['http://localhost:5173', 'https://app.example', 'http://[::1]'];
    const known = await management.projects.findKnownOriginsOfAnyProject(asked);
    expect(known.toSorted()).toEqual(['http://[::1]', 'http://localhost:5173']);
  });

  it('have a look of their own, which a change replaces as a whole', async () => {
    const path = `/projects/${mine.id}`;
    const branding = { displayName: 'Acme', logoUrl: 'https://cdn.example:8443/a.svg?v=2', color: '#0B5cad' };
    const changed = await send('patch', path, mine.owner.token, { name: 'Own', branding }).expect(200);
    expect(changed.body.branding).toEqual(branding);
    const { displayName: name, ...look } = branding;
    expect(await management.projects.findBrand(mine.id)).toEqual({ name, ...look });
    await send('patch', path, mine.owner.token, { branding: { color: '#000000' } }).expect(200);
    expect(await management.projects.findBrand(mine.id)).toEqual({ name: 'Own', color: '#000000' });
    const made = await send('post', '/projects', mine.owner.token, { name: 'New', branding }).expect(201);
    expect(made.body.branding).toEqual(branding);
    expect(await management.projects.findBrand(MISSING)).toBeUndefined();
  });

  it('are deleted by owners with everything in them, and the log still tells who did it', async () => {
    const doomed = await addProject(management, 'Doomed');
    const admin = await addMember(management, doomed, 'admin');
    expect(await send('delete', `/projects/${doomed.id}`, admin.token).then(readProblemCode)).toBe(
      '403 insufficient_role',
    );
    await send('delete', `/projects/${doomed.id}`, doomed.owner.token).expect(204);
    expect(management.changed).toContain(doomed.id);
    expect(await send('get', `/projects/${doomed.id}`, doomed.owner.token).then(readProblemCode)).toBe(
      '404 project_not_found',
    );
    await send('get', `/projects/${doomed.id}`, doomed.apiKey).expect(401);
    const log = await send('get', `/activity?subjectId=${doomed.id}`, doomed.owner.token).expect(200);
    expect(log.body.activity[0]).toMatchObject({
      action: 'project.deleted',
      projectId: doomed.id,
      actorId: doomed.owner.id,
      details: { name: 'Doomed' },
    });
  });
});
