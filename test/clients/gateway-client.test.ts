import { createHmac, generateKeyPairSync, randomUUID } from 'node:crypto';
import {
  createGatewayClient,
  exchangeUserToken,
  GatewayError,
  type Integration,
  signUserToken,
} from '../../clients/node/src/index.ts';
import { type Gateway, type Project, provision, startGateway } from '../support/gateway.ts';

let gateway: Gateway;
let project: Project;

beforeAll(async () => {
  gateway = await startGateway();
  project = await provision(gateway);
});

afterAll(() => gateway.stop());

const clientOf = (apiKey: string) => createGatewayClient({ url: gateway.url, apiKey });
const asProject = () => clientOf(project.apiKey);
const asOperator = () => clientOf(project.personalAccessToken);
const hubspot = (clientId: string) => ({
  serviceProvider: 'hubspot',
  clientId,
  clientSecret: 'secret',
  scopes: ['oauth'],
});

describe('the Node client', () => {
  it('mints tokens with a mandate, and exchanges them for narrower ones', async () => {
    const api = asProject();
    const read = { type: 'gateway_access', provider: 'hubspot', access: 'read', approval: 'none' } as const;
    const { id } = await api.post('/projects/{projectId}/mandates', {
      path: { projectId: project.id },
      body: { name: 'Agents', entries: [read], state: 'active' },
    });
    const { token } = await api.userTokens.create({ userId: 'user-1', mandate: id, actor: { id: 'agent' } });
    const narrow = await api.userTokens.exchange({
      token,
      entries: [{ ...read, paths: ['/a'] }],
      actor: 'helper',
      expiresIn: 60,
    });
    const claims = JSON.parse(Buffer.from(narrow.token.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({ gateway_mandate: id, act: { sub: 'helper', act: { sub: 'agent' } } });
    expect(claims.authorization_details).toMatchObject([{ paths: ['/a'] }]);
    const wider = { ...read, access: 'write' } as const;
    await expect(api.userTokens.exchange({ token, entries: [wider] })).rejects.toMatchObject({
      status: 400,
      code: 'invalid_target',
    });
    await expect(exchangeUserToken({ url: gateway.url, token: 'x' })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  it('creates, reads, changes and deletes', async () => {
    const api = asProject();
    const { id } = await api.post('/integrations', { body: hubspot('one') });
    expect((await api.get('/integrations/{id}', { path: { id } })).clientId).toBe('one');
    await api.patch('/integrations/{id}', { path: { id }, body: { clientId: 'two' } });
    expect((await api.get('/integrations/{id}', { path: { id } })).clientId).toBe('two');
    expect(await api.delete('/integrations/{id}', { path: { id } })).toBeUndefined();
    await expect(api.get('/integrations/{id}', { path: { id } })).rejects.toMatchObject({ status: 404 });
  });

  it.each([
    [undefined, 'undefined'],
    ['', '""'],
    ['gateway.example', '"gateway.example"'],
    ['localhost:3000', '"localhost:3000"'],
  ])('says at once that %j is no url', (url, shown) => {
    const wrong: { url: string; apiKey: string } = JSON.parse(JSON.stringify({ url, apiKey: 'igk_x' }));
    expect(() => createGatewayClient(wrong)).toThrow(
      `\`url\` must be the gateway's PUBLIC_URL, such as https://gateway.example, and is ${shown}`,
    );
  });

  it('says at once that the key is missing', () => {
    const wrong: { url: string; apiKey: string } = JSON.parse('{"url":"https://gateway.example"}');
    expect(() => createGatewayClient(wrong)).toThrow('`apiKey` is missing');
  });

  it('takes an address with a slash at its end', async () => {
    const api = createGatewayClient({ url: `${gateway.url}/`, apiKey: project.apiKey });
    expect((await api.get('/integrations')).nextCursor).toBeNull();
  });

  it('shows the faults of a request in the message of its error', async () => {
    const body = JSON.parse('{"provider":"hubspot"}');
    await expect(asProject().post('/integrations', { body })).rejects.toThrow(
      /^400 invalid_request: .*\(.*body\.serviceProvider: .*body\.provider: Not a known name here\. Did you mean `serviceProvider`\?/,
    );
  });

  it('tells status and headers, so that concurrent edits can be guarded', async () => {
    const api = asProject();
    const made = await api.request('post', '/integrations', { body: hubspot('guarded') });
    const path = { id: made.body.id };
    const etag = (await api.request('get', '/integrations/{id}', { path })).headers.get('etag') ?? '';
    const change = (clientId: string) =>
      api.patch('/integrations/{id}', { path, header: { 'If-Match': etag }, body: { clientId } });
    await change('first');
    const late = change('second');
    expect(made.status).toBe(201);
    expect(made.headers.get('location')).toContain(made.body.id);
    await expect(late).rejects.toMatchObject({ status: 412, code: 'precondition_failed' });
    await api.delete('/integrations/{id}', { path });
  });

  it('gives every entry of a list, whatever the size of its pages', async () => {
    const api = asProject();
    for (const name of ['a', 'b', 'c']) await api.post('/integrations', { body: hubspot(name) });
    const all: Integration[] = [];
    for await (const entry of api.listAll('/integrations', { query: { limit: 2 } })) all.push(entry);
    expect(all.map(({ clientId }) => clientId)).toEqual(['c', 'b', 'a']);
  });

  it('gives every entry once of a list that stands under two names', async () => {
    const api = asProject();
    const secret = 'secret of the webhooks';
    const { id, webhookUrl } = await api.post('/integrations', {
      body: { ...hubspot('receiving'), serviceProvider: 'github', webhookSecret: secret },
    });
    for (const body of ['{"after":"1"}', '{"after":"2"}']) {
      const signature = createHmac('sha256', secret).update(body).digest('hex');
      const headers = {
        'Content-Type': 'application/json',
        'X-GitHub-Event': 'push',
        'X-GitHub-Delivery': randomUUID(),
        'X-Hub-Signature-256': `sha256=${signature}`,
      };
      expect((await fetch(webhookUrl, { method: 'POST', headers, body })).ok).toBe(true);
    }
    const ids: string[] = [];
    for await (const receipt of api.listAll('/webhook-receipts', { query: { integrationId: id, limit: 1 } }))
      ids.push(receipt.id);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(2);
  });

  it('filters by tags', async () => {
    const api = asProject();
    const { id: integrationId } = await api.post('/integrations', { body: hubspot('tagged') });
    const credentials = { accessToken: 'at', refreshToken: 'rt' };
    for (const plan of ['pro', 'free'])
      await api.post('/connections', {
        body: { integrationId, userId: plan, credentials, tags: { plan, region: 'eu & us' } },
      });
    const { connections } = await api.get('/projects/{projectId}/connections', {
      path: { projectId: project.id },
      query: { tag: { plan: 'pro', region: 'eu & us' } },
    });
    expect(connections.map(({ userId }) => userId)).toEqual(['pro']);
  });

  it('gives what is no JSON as its text', async () => {
    const api = asProject();
    const asCsv: string = await api.get('/activity/export', { query: { format: 'csv' } });
    expect(asCsv).toMatch(/^id,createdAt/);
    const [line = ''] = (await api.get('/activity/export', { query: { format: 'jsonl' } })).split('\n');
    expect(JSON.parse(line)).toHaveProperty('action');
    expect(await api.get('/configuration/schema')).toHaveProperty('description');
  });

  it('throws what the gateway says of a refusal, and never the key', async () => {
    const refusal = await asProject()
      .post('/user-tokens', { body: { userId: '', expiresIn: 1 } })
      .catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(GatewayError);
    expect(refusal).toMatchObject({
      status: 400,
      code: 'invalid_request',
      remedy: expect.stringContaining('errors'),
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      retryable: false,
      errors: expect.arrayContaining([expect.objectContaining({ path: expect.stringContaining('userId') })]),
    });
    expect(JSON.stringify([refusal, String(refusal)])).not.toContain(project.apiKey);
  });

  it('answers the same POST with the first reply where the caller names the key', async () => {
    const create = () =>
      asProject().post('/integrations', {
        header: { 'Idempotency-Key': 'made-once' },
        body: hubspot('idempotent'),
      });
    expect((await create()).id).toBe((await create()).id);
  });

  it('has tokens minted that the gateway takes', async () => {
    const { token, expiresAt } = await asProject().userTokens.create({
      ...{ userId: 'user-1', expiresIn: 600, nonce: 'state' },
      ...{ organizationId: 'acme', gatewayRoles: ['connections:manage'] },
    });
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now());
    expect((await clientOf(token).get('/connections')).connections).toEqual([]);
    expect(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())).toMatchObject({
      ...{ org: 'acme', gateway_roles: ['connections:manage'], nonce: 'state' },
    });
  });
});

describe('signUserToken', () => {
  const elliptic = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve });
  const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 });

  it.each([
    ['ES256', elliptic('P-256'), undefined],
    ['ES512', elliptic('P-521'), undefined],
    ['RS256', rsa(), undefined],
    ['PS384', rsa(), 'PS384'],
  ] as const)('signs with %s what the gateway takes', async (alg, { privateKey, publicKey }, algorithm) => {
    const operator = asOperator();
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const path = { projectId: project.id };
    const { id, kid } = await operator.post('/projects/{projectId}/signing-keys', {
      path,
      body: { alg, publicKey: pem },
    });
    const token = signUserToken({
      privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      keyId: kid,
      projectId: project.id,
      userId: 'Zoë "1"',
      ...(algorithm === undefined ? {} : { algorithm }),
    });
    expect((await clientOf(token).get('/connections')).connections).toEqual([]);
    await operator.delete('/projects/{projectId}/signing-keys/{id}', { path: { ...path, id } });
    await expect(clientOf(token).get('/connections')).rejects.toMatchObject({ code: 'token_invalid' });
  });

  it('refuses lifetimes and keys that the gateway would refuse', () => {
    const { privateKey } = elliptic('P-256');
    const input = { privateKey, keyId: 'k', projectId: 'p', userId: 'u' };
    const { privateKey: edwards } = generateKeyPairSync('ed25519');
    expect(() => signUserToken({ ...input, expiresIn: 86_401 })).toThrow(RangeError);
    expect(() => signUserToken({ ...input, expiresIn: 0 })).toThrow(RangeError);
    expect(() => signUserToken({ ...input, privateKey: edwards })).toThrow(TypeError);
  });
});
