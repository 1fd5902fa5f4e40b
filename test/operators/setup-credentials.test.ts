import { verifyPassword } from '../../src/operators/accounts/password.ts';
import { prepareSetup } from '../../src/operators/gateway/setup.ts';
import { caller, type Management, startManagement } from '../projects/support.ts';

const PASSWORD = 'a long enough pass phrase';

describe('what the first set-up makes', () => {
  let management: Management;
  let setupToken: string;
  let made: Record<string, Record<string, string>>;

  const send = caller(() => management.app);

  beforeAll(async () => {
    management = await startManagement();
    setupToken = (await prepareSetup(management.db, {})).token ?? '';
    const body = { token: setupToken, email: 'owner@example.test', password: PASSWORD };
    made = (await send('post', '/setup', undefined, body).expect(201)).body;
  });
  afterAll(() => management.drop());

  it('is an operator, a project with a name, and credentials for both', () => {
    expect(made).toEqual({
      operator: expect.objectContaining({ email: 'owner@example.test', gatewayOwner: true }),
      project: {
        id: expect.any(String),
        name: 'My project',
        allowedOrigins: [],
        approvalPage: null,
        agentSignIn: null,
        requireMandate: false,
        branding: {},
        returnUrls: [],
        tagClaims: [],
        limits: {},
        createdAt: expect.any(String),
        frozen: null,
        updatedAt: expect.any(String),
      },
      personalAccessToken: { id: expect.any(String), token: expect.stringMatching(/^igo_/) },
      apiKey: { id: expect.any(String), key: expect.stringMatching(/^igk_/) },
    });
  });

  it('works at once: the operator owns the project, and its key mints user tokens', async () => {
    const path = `/projects/${made.project?.id}`;
    await send('patch', path, made.personalAccessToken?.token, { name: 'Shop' }).expect(200);
    const { body } = await send('get', `${path}/members`, made.personalAccessToken?.token).expect(200);
    expect(body.members).toMatchObject([{ operatorId: made.operator?.id, role: 'owner' }]);
    await send('post', '/user-tokens', made.apiKey?.key, { userId: 'u' }).expect(201);
  });

  it('is told in the audit log', async () => {
    const { body } = await send('get', '/activity', made.personalAccessToken?.token).expect(200);
    const actions = body.activity.map(({ action }: { action: string }) => action);
    expect(actions).toEqual(
      expect.arrayContaining(['operator.created', 'api_key.created', 'project.created']),
    );
  });

  it('is without credentials where a browser asks, which goes on with its session', async () => {
    const own = await startManagement();
    const token = (await prepareSetup(own.db, {})).token ?? '';
    const body = { token, email: 'owner@example.test', password: PASSWORD, credentials: false };
    const reply = await caller(() => own.app)('post', '/setup', undefined, body).expect(201);
    expect(reply.body).toMatchObject({ personalAccessToken: null, apiKey: null });
    expect(reply.headers['set-cookie']?.[0]).toContain('gateway_session=');
    for (const table of ['personal_access_tokens', 'api_keys']) expect(await own.db(table)).toEqual([]);
    const actions = (await own.db('activity')).map(({ action }: { action: string }) => action);
    expect(actions).not.toContain('api_key.created');
    await own.drop();
  });

  it('is readable nowhere: every secret is kept as a hash', async () => {
    const tables = ['setup', 'operators', 'personal_access_tokens', 'api_keys', 'activity'];
    const rows = await Promise.all(tables.map((table) => management.db(table)));
    const dump = JSON.stringify(rows) + management.logText();
    for (const secret of [setupToken, PASSWORD, made.personalAccessToken?.token, made.apiKey?.key]) {
      expect(dump).not.toContain(secret);
    }
    const operator = await management.db('operators').first();
    expect(await verifyPassword(PASSWORD, operator.password_hash)).toBe(true);
  });
});
