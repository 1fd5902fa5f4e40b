import { providerFromFile } from '../../src/catalog/loading/provider-from-file.ts';
import { createOpenApplication } from '../../src/credentials/calling/application-client.ts';
import { createProviderClient } from '../../src/credentials/calling/provider-client.ts';
import { readApplication } from '../../src/credentials/calling/warm-connection.ts';
import { createClientTokens } from '../../src/credentials/client/client-tokens.ts';
import { createIntegrationClient } from '../../src/credentials/client/integration-client.ts';
import { createIntegrationsStore } from '../../src/integrations/integrations.store.ts';
import { createTokenEndpoint } from '../../src/oauth/token-endpoint.ts';
import { createOutbound } from '../../src/platform/outbound.ts';
import { describeWebhooks } from '../../src/webhooks/message/description.ts';
import { createFetchKey, KeyUnavailableError } from '../../src/webhooks/receiving/key-fetcher.ts';
import { findKeyAddress } from '../../src/webhooks/signatures/public-keys.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { createTestVault, insertIntegration, insertProject } from '../support/rows.ts';
import { type HttpFake, startHttpFake } from './http-fake.ts';
import { describeProvider } from './support/requests.ts';

let database: TestDatabase;
let api: HttpFake;

beforeAll(async () => {
  api = await startHttpFake();
  database = await createTestDatabase();
});
afterAll(async () => {
  await database?.drop();
  await api?.close();
});

async function prepare() {
  const loaded = providerFromFile(
    {
      id: 'shop',
      name: 'Shop',
      auth: 'oauth2',
      authorizationUrl: `${api.url}/authorize`,
      tokenUrl: `${api.url}/token`,
      apiBaseUrl: `${api.url}/v1`,
      webhooks: {
        supported: true,
        scope: 'application',
        clientToken: { scopes: ['keys'] },
        signature: { scheme: 'hmac', at: 'header:X-Signature', signed: ['{body}'] },
        secret: { from: 'client' },
        payload: { eventType: '{type}' },
      },
    },
    { allowPrivateNetworks: true },
  );
  const description = loaded.ok ? describeWebhooks(loaded.provider) : undefined;
  if (!loaded.ok || description === undefined) throw new Error(JSON.stringify(loaded));
  const { provider } = loaded;
  const vault = createTestVault();
  const db = database.knex;
  const projectId = await insertProject(db);
  const integrationId = await insertIntegration(db, vault, projectId, 'shop');
  const outbound = createOutbound({ allowPrivateNetworks: true });
  const integrations = createIntegrationsStore({ vault });
  const publicUrl = 'https://gateway.test';
  const client = createIntegrationClient({
    db,
    providers: { find: () => provider },
    integrations,
    publicUrl,
  });
  const clientTokens = createClientTokens({
    tokenEndpoint: createTokenEndpoint({ outbound }),
    now: Date.now,
  });
  const openApplication = createOpenApplication({ outbound, client, clientTokens, now: Date.now });
  const openConnection = async ({ connectionId }: { connectionId: string }) =>
    createProviderClient(
      { outbound, now: Date.now },
      {
        provider,
        api: readApplication(provider, {}),
        credential: async () => ({ version: 0, values: { accessToken: `token-of-${connectionId}` } }),
        credentialAfter: async () => null,
      },
    );
  const fetchKey = createFetchKey({ outbound, openApplication, openConnection, now: Date.now });
  return { fetchKey, owner: { integrationId, projectId, description } };
}

describe('a key of a provider', () => {
  it('is asked for with a token of the application where the provider wants one, once', async () => {
    const { fetchKey, owner } = await prepare();
    api.answerNext(200, { key: 'the-key' }, '/keys/k1');
    const ask = () => fetchKey(`${api.url}/keys/k1`, { authorization: 'application' }, owner);
    expect([await ask(), await ask()]).toEqual(Array(2).fill('{"key":"the-key"}'));
    const requests = api.requests('GET', '/keys/k1');
    expect(requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer app-token']);
  });

  it('is asked for without a token elsewhere, and never with it at another origin than the API’s', async () => {
    const { fetchKey, owner } = await prepare();
    await fetchKey(`${api.url}/keys/open`, {}, owner);
    expect(api.requests('GET', '/keys/open')[0]?.headers.authorization).toBeUndefined();
    const elsewhere = fetchKey('http://elsewhere.test/keys/k1', { authorization: 'application' }, owner);
    await expect(elsewhere).rejects.toBeInstanceOf(KeyUnavailableError);
  });

  it('is asked for with the credential of the connection whose address was called, each for itself', async () => {
    const { fetchKey, owner } = await prepare();
    const options = { authorization: 'connection', body: '{"key_id":"k1"}' } as const;
    const ask = (connectionId: string | null) =>
      fetchKey('/key/get', options, { ...owner, address: { connectionId } });
    for (const connectionId of ['c1', 'c1', 'c2']) await ask(connectionId);
    const asked = api.requests('POST', '/v1/key/get');
    expect(asked.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer token-of-c1',
      'Bearer token-of-c2',
    ]);
    expect(asked.map(({ body }) => body)).toEqual(Array(2).fill('{"key_id":"k1"}'));
    await expect(ask(null)).rejects.toBeInstanceOf(KeyUnavailableError);
  });

  it('of one integration is not another’s: neither its failures nor its flood', async () => {
    const { fetchKey, owner } = await prepare();
    const other = { ...owner, integrationId: 'another' };
    const honest = () => fetchKey(`${api.url}/keys/shared`, { authorization: 'application' }, owner);
    api.answerNext(200, { key: 'honest' }, '/keys/shared');
    expect(await honest()).toContain('honest');
    // The same address without a token fails, and made-up ids fail as well.
    api.answerNext(401, {}, '/keys/shared');
    await expect(fetchKey(`${api.url}/keys/shared`, {}, owner)).rejects.toBeInstanceOf(KeyUnavailableError);
    const before = api.requests('GET', '/keys/made-up').length;
    const flood = Array.from({ length: 300 }, (_, index) =>
      fetchKey(`http://127.0.0.1:1/keys/${index}`, {}, other).catch((error: unknown) => error),
    );
    const errors = await Promise.all(flood);
    expect(errors.every((error) => error instanceof KeyUnavailableError)).toBe(true);
    const refused = errors.filter((error) => error instanceof Error && error.message.startsWith('too many'));
    expect(refused.length).toBe(280);
    expect(api.requests('GET', '/keys/made-up').length).toBe(before);
    expect(await honest()).toContain('honest');
    api.answerNext(200, { key: 'second' }, '/keys/second');
    expect(await fetchKey(`${api.url}/keys/second`, {}, owner)).toContain('second');
  });

  it('that exists is not pushed out by names of keys that do not', async () => {
    const { fetchKey, owner } = await prepare();
    api.answerNext(200, { key: 'honest' }, '/keys/kept');
    await fetchKey(`${api.url}/keys/kept`, {}, owner);
    const madeUp = Array.from({ length: 100 }, (_, index) =>
      fetchKey(`http://127.0.0.1:1/keys/${index}`, {}, owner).catch(() => undefined),
    );
    await Promise.all(madeUp);
    expect(await fetchKey(`${api.url}/keys/kept`, {}, owner)).toContain('honest');
    expect(api.requests('GET', '/keys/kept')).toHaveLength(1);
  });
});

it.each([
  ['https://api.paypal.com/v1/notifications/certs/CERT-360', true],
  ['https://api.paypal.com/v1/other/certs/CERT-360', false],
  ['https://api.paypal.com/v1/notifications/certs/../../identity/x', false],
  ['https://api.paypal.com/v1/notifications/certs/%2e%2e/x', false],
  ['https://api.paypal.com/v1/notifications/certs//x', false],
  ['https://evil.example/v1/notifications/certs/x', false],
])('the certificate of PayPal is asked for where PayPal has certificates: %s', (address, isTaken) => {
  const { signature } = describeProvider('paypal');
  const key = 'key' in signature ? (signature.key ?? {}) : {};
  expect(findKeyAddress(key, address)).toBe(isTaken ? address : undefined);
});
