import net from 'node:net';
import { createCatalogDir } from '../support/catalog-dir.ts';
import { callApiOk, type Gateway, provision, startGateway } from '../support/gateway.ts';
import { post } from './receiver-stage.ts';

/** As the gateway fetches at once for one integration; then one more every three seconds. */
const FETCHES = 20;
const POSTS = 100;

let gateway: Gateway;
let catalog: Awaited<ReturnType<typeof createCatalogDir>>;
let keyServer: net.Server;
let connections = 0;

beforeAll(async () => {
  keyServer = net.createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => keyServer.listen(0, '127.0.0.1', resolve));
  const address = keyServer.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const file = {
    id: 'keyed',
    name: 'Keyed',
    auth: 'oauth2',
    authorizationUrl: 'https://provider.test/authorize',
    tokenUrl: 'https://provider.test/token',
    apiBaseUrl: 'https://api.provider.test',
    webhooks: {
      supported: true,
      scope: 'application',
      signature: {
        scheme: 'public-key',
        algorithm: 'ed25519',
        at: 'header:X-Signature',
        signed: ['{body}'],
        encoding: 'base64',
        key: { url: `https://127.0.0.1:${port}/keys/{keyId}`, idAt: 'header:X-Key' },
      },
      secret: { from: 'none' },
      payload: { eventType: '{type}', objectId: '{id}' },
    },
  };
  catalog = await createCatalogDir({ keyed: JSON.stringify(file) });
  gateway = await startGateway({ catalogDir: catalog.path });
});

afterAll(async () => {
  await gateway?.stop();
  await catalog?.remove();
  keyServer?.close();
});

it('answers webhooks 503 and when to try again, once their senders have named too many keys', async () => {
  const { apiKey: bearer } = await provision(gateway);
  const { webhookUrl } = await callApiOk(gateway.url, 'POST', '/v1/integrations', {
    bearer,
    body: { serviceProvider: 'keyed', clientId: 'id', clientSecret: 'secret', scopes: [] },
  });
  const signature = Buffer.alloc(64).toString('base64');
  for (let index = 0; index < POSTS; index += 1) {
    const headers = { 'X-Signature': signature, 'X-Key': `made-up-${index}` };
    const answer = await post(webhookUrl, '{"type":"made"}', headers);
    expect([answer.status, answer.code]).toEqual([503, 'overloaded']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect(connections).toBeGreaterThanOrEqual(FETCHES);
  expect(connections).toBeLessThan(POSTS / 2);
});
