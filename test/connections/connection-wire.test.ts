import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import type { Connection } from '../../src/connections/connection.ts';
import { createReachTenants } from '../../src/connections/connection-tenants.ts';
import { createConnectionWire } from '../../src/connections/connection-wire.ts';
import {
  connectionSchema,
  importConnectionBody,
  updateConnectionBody,
} from '../../src/connections/connections.schema.ts';
import { acmeProvider } from '../support/acme-provider.ts';

const AT = new Date(Date.UTC(2026, 0, 31));
const CONNECTION: Connection = {
  id: 'connection-1',
  projectId: 'project-1',
  integrationId: 'integration-1',
  serviceProvider: 'acme',
  grant: null,
  endUserId: 'end-user-1',
  subject: 'mia',
  organization: null,
  organizationClientId: null,
  tags: {},
  status: 'active',
  statusReason: null,
  grantedScopes: [],
  accountId: null,
  accountName: null,
  tenantId: null,
  tenantName: null,
  variables: {},
  customMetadata: {},
  accessTokenExpiresAt: null,
  credentialsVersion: 1,
  lastUsedAt: null,
  refreshedAt: null,
  version: 1,
  createdAt: AT,
  updatedAt: AT,
};

const show = (known: Partial<Connection>, provider: Provider | undefined) =>
  createConnectionWire({ find: async () => provider } as unknown as Parameters<
    typeof createConnectionWire
  >[0])({
    ...CONNECTION,
    ...known,
  });

/** Its API has the address that the token response tells, as Salesforce's has. */
const namedByToken = acmeProvider({
  apiBaseUrl: '{instance_url}',
  variables: {
    instance_url: {
      from: 'token-response',
      title: 'Instance',
      example: 'https://eu1.acme.example',
      pattern: 'https:\\/\\/[a-z0-9]+\\.acme\\.example',
    },
  },
});
const withTenants = acmeProvider({
  tenants: {
    kind: 'site',
    items: 'sites',
    id: 'id',
    name: 'name',
    request: { url: 'https://api.acme.example/sites' },
  },
});

describe('authMetadata of a connection', () => {
  it('is NoAuthMetadata while nothing is known of the account', async () => {
    const { authMetadata } = await show({}, acmeProvider());
    expect(authMetadata).toEqual({ NoAuthMetadata: {} });
  });

  it.each([{ accountId: '7' }, { accountName: 'Acme Ltd' }])('tells the account: %o', async (known) => {
    const { authMetadata } = await show(known, acmeProvider());
    expect(authMetadata).toEqual({
      ProviderAccount: {
        accountId: null,
        accountName: null,
        apiBaseUrl: 'https://api.acme.example',
        ...known,
      },
    });
  });

  it('tells the address that the provider told, though nothing is known of the account', async () => {
    const { authMetadata } = await show(
      { variables: { instance_url: 'https://eu1.acme.example' } },
      namedByToken,
    );
    expect(authMetadata).toEqual({
      ProviderAccount: { accountId: null, accountName: null, apiBaseUrl: 'https://eu1.acme.example' },
    });
  });

  it.each([
    ['account', true],
    ['token-response', true],
    ['user', false],
  ])('is told of a provider with a variable from %s: %p', async (from, isShown) => {
    const variables = { site: { from, title: 'Site', ...(from !== 'user' && { path: 'site' }) } };
    const account = { request: { url: 'https://api.acme.example/me' }, id: { from: 'request', path: 'id' } };
    const { authMetadata } = await show({}, acmeProvider({ variables, account }));
    expect('ProviderAccount' in authMetadata).toBe(isShown);
  });

  it('is told of a provider whose tenants tell a variable', async () => {
    const variables = { site: { from: 'tenant', title: 'Site', path: 'id' } };
    const tenants = { request: { url: 'https://api.acme.example/sites' }, id: 'id' };
    const { authMetadata } = await show({}, acmeProvider({ variables, tenants }));
    expect(authMetadata).toHaveProperty('ProviderAccount');
  });

  it('tells no address where a part of it is not known, or the provider is not', async () => {
    for (const provider of [namedByToken, undefined])
      expect((await show({ accountId: '7' }, provider)).authMetadata).toEqual({
        ProviderAccount: { accountId: '7', accountName: null, apiBaseUrl: null },
      });
  });
});

describe('the tenant of a connection', () => {
  it('stays known when its provider is not known any more', async () => {
    const { tenantId, tenantName } = await show({ tenantId: 'site-1', accountName: 'Acme Ltd' }, undefined);
    expect([tenantId, tenantName]).toEqual(['site-1', 'Acme Ltd']);
  });

  it('has the name of the account only where there is a tenant', async () => {
    const { tenantId, tenantName } = await show({ accountName: 'Acme Ltd' }, undefined);
    expect([tenantId, tenantName]).toEqual([null, null]);
  });
});

describe('the list of tenants that a connection reaches', () => {
  const reach = (provider: Provider | undefined) =>
    createReachTenants({
      findProvider: async () => provider,
      listTenants: async () => ({ ok: true, tenants: [], isComplete: true }),
    });

  it('is asked for twenty times a minute at most, each connection on its own', async () => {
    const reachTenants = reach(withTenants);
    for (let count = 0; count < 20; count += 1) await reachTenants(CONNECTION);
    await expect(reachTenants(CONNECTION)).rejects.toMatchObject({
      code: 'rate_limited',
      headers: { 'Retry-After': expect.stringMatching(/^[1-9]\d*$/) },
    });
    await expect(reachTenants({ ...CONNECTION, id: 'another' })).resolves.toMatchObject({ isComplete: true });
  });

  it('is refused where the provider is unknown or has none', async () => {
    await expect(reach(undefined)(CONNECTION)).rejects.toMatchObject({ code: 'provider_unknown' });
    await expect(reach(acmeProvider())(CONNECTION)).rejects.toMatchObject({ code: 'tenants_unsupported' });
  });
});

describe('metadata', () => {
  const { customMetadata } = connectionSchema.shape;

  it('is answered as it is stored, without a look at each of its values', () => {
    const list = Array.from({ length: 5_000 }, () => ({}));
    expect(customMetadata.parse({ list }).list).toBe(list);
    expect(() => customMetadata.parse([])).toThrow();
  });

  it('is refused with a number that is none in JSON, in one fault however many there are', () => {
    const given = JSON.parse(`{ "a": { "b": [${Array(1_000).fill('1e400')}] } }`);
    const patch = { customMetadata: given };
    const credentials = { apiKey: 'key' };
    const imported = { integrationId: crypto.randomUUID(), userId: 'mia', credentials, ...patch };
    for (const { error } of [updateConnectionBody.safeParse(patch), importConnectionBody.safeParse(imported)])
      expect(error?.issues).toMatchObject([{ path: ['customMetadata', 'a', 'b', 0] }]);
    expect(updateConnectionBody.parse({ customMetadata: { a: [1.5, null] } })).toEqual({
      customMetadata: { a: [1.5, null] },
    });
  });
});
