import {
  callApi,
  callApiOk,
  type Gateway,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';

let gateway: Gateway;
let project: Project;

beforeAll(async () => {
  gateway = await startGateway();
  project = await provision(gateway);
  await call('POST', '/v1/providers', {
    id: 'acme',
    name: 'Acme',
    auth: 'oauth2',
    authorizationUrl: 'https://{region}.acme.example/authorize',
    tokenUrl: 'https://{region}.acme.example/token',
    apiBaseUrl: 'https://{region}.acme.example',
    webhooks: {
      supported: true,
      scope: 'application',
      signature: { scheme: 'hmac', at: 'header:X-Signature', signed: ['{body}'] },
      secret: { from: 'operator' },
      payload: { eventType: '{type}' },
    },
    variables: {
      region: { from: 'integration', title: 'Region', example: 'eu', pattern: '[a-z]{2,10}' },
      passphrase: {
        from: 'integration',
        title: 'Passphrase',
        example: 'sesame',
        secret: true,
        optional: true,
      },
    },
  });
});
afterAll(() => gateway?.stop());

const call = (method: string, path: string, body?: unknown) =>
  callApiOk(gateway.url, method, path, { bearer: project.apiKey, body });

const create = () =>
  call('POST', '/v1/integrations', {
    serviceProvider: 'custom:acme',
    clientId: 'client-1',
    clientSecret: 'secret-1',
    scopes: ['read'],
    variables: { region: 'eu' },
  });

const change = (id: string, body: object) => call('PATCH', `/v1/integrations/${id}`, body);

type Shown = { readonly kind: string; readonly age: string; readonly expiresAt: string | null };

const secretsOf = async (id: string) => {
  const { secrets } = await call('GET', `/v1/integrations/${id}/secrets`);
  return secrets.map(({ kind, age, expiresAt }: Shown) => [kind, age, expiresAt]);
};

describe('a change of an integration', () => {
  it.each<[string, object]>([
    ['clientId', { clientId: 'client-2' }],
    ['scopes', { scopes: ['read', 'write'] }],
    ['optionalScopes', { optionalScopes: ['delete'] }],
    ['variables', { variables: { region: 'us' } }],
    ['settings', { settings: { authorizationParams: { prompt: 'consent' } } }],
  ])('of its %s changes nothing else', async (_member, body) => {
    const before = await create();
    const { updatedAt, ...after } = await change(before.id, body);
    expect(after).toEqual({ ...before, updatedAt: undefined, ...body });
    expect(Date.parse(updatedAt)).toBeGreaterThan(Date.parse(before.updatedAt));
    expect(await call('GET', `/v1/integrations/${before.id}`)).toEqual({ ...after, updatedAt });
    expect(await secretsOf(before.id)).toEqual([['client', 'newer', null]]);
  });

  it('of its client secret keeps the older one for a while, and takes the end of the new one in any time zone', async () => {
    const { id } = await create();
    await change(id, { clientSecret: 'secret-2', secretExpiresAt: '2030-01-01T02:00:00+02:00' });
    const newer = ['client', 'newer', '2030-01-01T00:00:00.000Z'];
    expect(await secretsOf(id)).toEqual([newer, ['client', 'older', null]]);
  });

  it('of its webhook secret adds it, replaces it, and takes it away, with the one before it tried for a while', async () => {
    const { id } = await create();
    const client = ['client', 'newer', null];
    await change(id, { webhookSecret: 'first' });
    expect(await secretsOf(id)).toEqual([client, ['webhook', 'newer', null]]);
    await change(id, { webhookSecret: 'second' });
    expect(await secretsOf(id)).toEqual([client, ['webhook', 'newer', null], ['webhook', 'older', null]]);
    await change(id, { webhookSecret: null });
    expect(await secretsOf(id)).toEqual([client, ['webhook', 'older', null]]);
  });

  it('to a webhook secret that nothing would use is refused, as on creating it, and says what counts instead', async () => {
    const client = { serviceProvider: 'hubspot', clientId: 'id', clientSecret: 's', scopes: ['oauth'] };
    const { id } = await call('POST', '/v1/integrations', client);
    for (const [method, path, body] of [
      ['POST', '/v1/integrations', { ...client, webhookSecret: 'hook' }],
      ['PATCH', `/v1/integrations/${id}`, { webhookSecret: 'hook' }],
    ] as const) {
      const refused = await callApi(gateway.url, method, path, { bearer: project.apiKey, body });
      expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request']);
      expect(refused.body.errors).toEqual([
        {
          path: 'body.webhookSecret',
          message: 'HubSpot signs webhooks with the values of the client: set clientSecret instead',
        },
      ]);
    }
    await call('PATCH', `/v1/integrations/${id}`, { webhookSecret: null });
  });

  it('keeps credentials without what copying brought along, and refuses several lines', async () => {
    const { id } = await create();
    const { clientId } = await change(id, { clientId: ' CLIENT_ID="client-3"\n' });
    expect(clientId).toBe('client-3');
    const body = { clientSecret: 'first line\nsecond line' };
    const refused = await callApi(gateway.url, 'PATCH', `/v1/integrations/${id}`, {
      bearer: project.apiKey,
      body,
    });
    expect(refused.body.errors).toEqual([
      {
        path: 'body.clientSecret',
        message: 'is one line, without line ends or control characters inside',
      },
    ]);
  });

  it('shows no secret variable', async () => {
    const { id } = await create();
    const { variables } = await change(id, { variables: { region: 'us', passphrase: 'sesame' } });
    expect(variables).toEqual({ region: 'us' });
  });
});
