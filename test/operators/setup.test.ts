import { sha256 } from '../../src/lib/credentials.ts';
import { verifyPassword } from '../../src/operators/password.ts';
import { caller, codeOf, type Management, startManagement } from '../projects/support.ts';

const PASSWORD = 'a long enough pass phrase';

describe('the first set-up', () => {
  let management: Management;
  beforeEach(async () => {
    management = await startManagement();
  });
  afterEach(() => management.drop());

  const send = caller(() => management.app);
  const setUp = (body: object) =>
    send('post', '/setup', undefined, { email: 'owner@example.test', password: PASSWORD, ...body });

  async function prepared(configuredToken?: string): Promise<string> {
    const { pending, token } = await management.setup.prepare({ configuredToken });
    expect(pending).toBe(true);
    return token ?? '';
  }

  it('makes an operator, a project and credentials that work', async () => {
    const made = await setUp({ token: await prepared(), projectName: 'Shop' }).expect(201);
    expect(made.headers['cache-control']).toBe('no-store');
    expect(made.body).toEqual({
      operator: {
        id: expect.any(String),
        email: 'owner@example.test',
        createdAt: expect.stringMatching(/Z$/),
      },
      project: {
        id: expect.any(String),
        name: 'Shop',
        allowedOrigins: [],
        returnUrls: [],
        limits: {},
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
      personalAccessToken: { id: expect.any(String), token: expect.stringMatching(/^igo_[\w-]{43}$/) },
      apiKey: { id: expect.any(String), key: expect.stringMatching(/^igk_[\w-]{43}$/) },
    });
    const { project, personalAccessToken, apiKey } = made.body;
    await send('patch', `/projects/${project.id}`, personalAccessToken.token, { name: 'Mine' }).expect(200);
    await send('get', `/projects/${project.id}`, apiKey.key).expect(200);
    await send('post', '/user-tokens', apiKey.key, { userId: 'u' }).expect(201);
    const log = await send('get', '/activity', personalAccessToken.token).expect(200);
    const actions = log.body.activity.map(({ action }: { action: string }) => action);
    expect(actions).toEqual(['project.updated', 'operator.created', 'api_key.created', 'project.created']);
  });

  it('needs no project name, and keeps no secret readable', async () => {
    const token = await prepared();
    const { body } = await setUp({ token }).expect(201);
    expect(body.project.name).toBe('My project');
    const tables = ['setup', 'operators', 'personal_access_tokens', 'api_keys', 'activity'];
    const rows = await Promise.all(tables.map((table) => management.db(table)));
    const dump = JSON.stringify(rows) + management.logText();
    for (const secret of [token, PASSWORD, body.personalAccessToken.token, body.apiKey.key]) {
      expect(dump).not.toContain(secret);
    }
    const operator = await management.db('operators').first();
    expect(await verifyPassword(PASSWORD, operator.password_hash)).toBe(true);
  });

  it('happens once: afterwards it is over, whatever the token', async () => {
    const token = await prepared();
    await setUp({ token }).expect(201);
    for (const later of [token, 'another token']) {
      expect(await setUp({ token: later, email: 'b@example.test' }).then(codeOf)).toBe('409 already_set_up');
    }
    expect(await management.setup.prepare({ configuredToken: 'configured again' })).toEqual({
      pending: false,
    });
    expect(await management.setup.isPending()).toBe(false);
    expect(await management.db('operators')).toHaveLength(1);
  });

  it('happens once for requests at the same time', async () => {
    const token = await prepared();
    const replies = await Promise.all(
      Array.from({ length: 4 }, (_, index) => setUp({ token, email: `operator${index}@example.test` })),
    );
    expect(replies.map(codeOf).sort()).toEqual(['201 undefined', ...Array(3).fill('409 already_set_up')]);
    for (const table of ['operators', 'projects', 'api_keys', 'personal_access_tokens']) {
      expect(await management.db(table)).toHaveLength(1);
    }
  });

  it('refuses a wrong token and changes nothing', async () => {
    const token = await prepared();
    expect(await management.setup.isPending()).toBe(true);
    for (const wrong of ['wrong', token.slice(1), token.toUpperCase()]) {
      expect(await setUp({ token: wrong }).then(codeOf)).toBe('403 setup_token_invalid');
    }
    expect(await management.db('operators')).toEqual([]);
    await setUp({ token }).expect(201);
  });

  it('refuses every token before a start has made one', async () => {
    expect(await setUp({ token: 'any' }).then(codeOf)).toBe('403 setup_token_invalid');
  });

  it('takes the link of the latest start, not of an earlier one', async () => {
    const earlier = await prepared();
    const latest = await prepared();
    expect(latest).not.toBe(earlier);
    expect(await setUp({ token: earlier }).then(codeOf)).toBe('403 setup_token_invalid');
    await setUp({ token: latest }).expect(201);
  });

  it('takes a configured token, start after start', async () => {
    expect(await prepared('configured-token-1')).toBe('configured-token-1');
    await prepared('configured-token-1');
    const row = await management.db('setup').first();
    expect(row.token_hash).toEqual(sha256('configured-token-1'));
    await setUp({ token: 'configured-token-1' }).expect(201);
  });

  it('is prepared by several replicas at once, and one of their tokens works', async () => {
    const made = await Promise.all([1, 2, 3].map(() => management.setup.prepare({})));
    const statuses = [];
    for (const { token } of made) statuses.push((await setUp({ token: token ?? '' })).status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
  });

  it.each([
    ['a short password', { password: 'elevenchars' }],
    ['no e-mail address', { email: 'owner' }],
    ['no token', { token: undefined }],
    ['an empty project name', { projectName: ' ' }],
    ['an unknown member', { role: 'king' }],
  ])('refuses %s', async (_what, body) => {
    const token = await prepared();
    const refused = await setUp({ token, ...body });
    expect(codeOf(refused)).toBe('400 invalid_request');
    expect(refused.text).not.toContain('elevenchars');
    expect(await management.db('operators')).toEqual([]);
  });
});
