import { type Agents, createAgents } from '../../src/platform/agents.ts';
import { ClientCertificate } from '../../src/platform/client-certificate.ts';
import { TEST_CERTIFICATE } from '../support/certificate.ts';
import {
  ALERTS,
  type CertifiedServer,
  EXPIRED,
  KEY_PASSPHRASE,
  STRANGER,
  startAlertingServer,
  startCertifiedServer,
  TENANT_A,
  TENANT_A_ENCRYPTED_KEY,
  TENANT_B,
  TENANT_C,
} from '../support/client-certificates.ts';
import { CLIENTS, connectionTo, type Harness, startHarness } from '../support/proxy-harness.ts';
import { until } from '../support/until.ts';
import { fieldValue } from '../support/upstream.ts';

let provider: CertifiedServer;
let gateway: Harness;
let agents: Agents;
/** The certificate of the connection that the next call goes out on. */
let current: ClientCertificate | undefined;
/** Where it goes. */
let port: number;

const connectionOf = (port: number) => connectionTo(port, { protocol: 'https:', hostname: 'localhost' });

beforeAll(async () => {
  provider = await startCertifiedServer(() => ({ body: { ok: true } }));
});
afterAll(() => provider.close());

beforeEach(async () => {
  provider.calls.splice(0);
  agents = createAgents({
    allowPrivateNetworks: true,
    maxSockets: 4,
    ca: TEST_CERTIFICATE,
    certificatesMax: 3,
  });
  port = provider.port;
  gateway = await startHarness({
    upstreamPort: port,
    deps: { agents, resolve: () => ({ ...connectionOf(port), clientCertificate: current }) },
  });
});
afterEach(async () => {
  await gateway.close();
  agents.destroy();
});

const problemOf = (answer: { readonly body: string }) => JSON.parse(answer.body);

describe.each(CLIENTS)('a proxied call by %s', (_client, fields) => {
  const get = () => gateway.call('GET', '/accounts', fields);

  it('shows the certificate of its connection, and the provider answers', async () => {
    current = new ClientCertificate(TENANT_A);
    expect((await get()).status).toBe(200);
    expect(provider.calls.map(({ client }) => client)).toEqual(['tenant-a']);
  });

  it('never travels on a connection of another certificate, and shares those of its own', async () => {
    for (const pair of [TENANT_A, TENANT_B, TENANT_A, TENANT_B]) {
      current = new ClientCertificate(pair);
      await get();
    }
    expect(provider.calls.map(({ client }) => client)).toEqual([
      'tenant-a',
      'tenant-b',
      'tenant-a',
      'tenant-b',
    ]);
    const connectionsOf = (name: string) =>
      new Set(provider.calls.filter(({ client }) => client === name).map(({ connection }) => connection));
    expect([connectionsOf('tenant-a').size, connectionsOf('tenant-b').size]).toEqual([1, 1]);
  });

  it('goes on with a new certificate as soon as the connection has one', async () => {
    current = new ClientCertificate(TENANT_A);
    await get();
    current = new ClientCertificate(TENANT_B);
    await get();
    expect(provider.calls.map(({ client }) => client)).toEqual(['tenant-a', 'tenant-b']);
  });

  it('shows the whole chain', async () => {
    current = new ClientCertificate(TENANT_C);
    expect((await get()).status).toBe(200);
    expect(provider.calls[0]?.client).toBe('tenant-c');
  });

  it.each([
    ['of an unknown authority', STRANGER],
    ['that has expired', EXPIRED],
    ['with half of its chain', { ...TENANT_C, certificate: firstOf(TENANT_C.certificate) }],
  ])(
    'with a certificate %s does not get through, and the refusal names the certificate',
    async (_name, pair) => {
      current = new ClientCertificate(pair);
      const answer = await get();
      expect(answer.status).toBe(502);
      // Node's server ends such connections without an alert.
      expect(problemOf(answer).detail).toContain('may not take the client certificate');
      expect(provider.calls).toHaveLength(0);
    },
  );

  it.each(ALERTS)(
    'that gets the alert %s is client_certificate_refused, which names the alert',
    async (alert, code) => {
      const refusing = await startAlertingServer(code);
      current = new ClientCertificate(TENANT_A);
      port = refusing.port;
      const answer = await get();
      await refusing.close();
      expect(answer.status).toBe(502);
      expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('client_certificate_refused');
      expect(problemOf(answer)).toMatchObject({
        retryable: false,
        remedy: expect.stringContaining('certificate'),
      });
      expect(problemOf(answer).detail).toContain(alert);
      expect(gateway.calls.at(-1)).toMatchObject({ status: 502, error: 'client_certificate_refused' });
    },
  );

  it('without a certificate is client_certificate_refused as well', async () => {
    current = undefined;
    expect(fieldValue((await get()).fieldLines, 'gateway-error')).toBe('client_certificate_refused');
  });

  it('with a key of another certificate is integration_misconfigured, and nothing goes out', async () => {
    current = new ClientCertificate({ ...TENANT_A, privateKey: TENANT_B.privateKey });
    const answer = await get();
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('integration_misconfigured');
    expect(answer.body).not.toContain('PRIVATE KEY');
    expect(provider.calls).toHaveLength(0);
  });

  it('of one connection goes on while the certificate of another is refused', async () => {
    current = new ClientCertificate(STRANGER);
    await get();
    current = new ClientCertificate(TENANT_A);
    expect((await get()).status).toBe(200);
  });
});

describe('client certificates of the proxy', () => {
  it('stand for calls with a body too', async () => {
    current = new ClientCertificate(TENANT_A);
    const body = JSON.stringify({ amount: 1 });
    const answer = await gateway.call('POST', '/payments', [`Content-Length: ${body.length}`], body);
    expect(answer.status).toBe(200);
    expect(provider.calls).toMatchObject([{ method: 'POST', client: 'tenant-a', body }]);
    current = undefined;
    const refused = await gateway.call('POST', '/payments', [`Content-Length: ${body.length}`], body);
    expect(fieldValue(refused.fieldLines, 'gateway-error')).toBe('client_certificate_refused');
  });

  it('are opened by the passphrase of an encrypted key', async () => {
    const encrypted = { ...TENANT_A, privateKey: TENANT_A_ENCRYPTED_KEY };
    current = new ClientCertificate({ ...encrypted, passphrase: KEY_PASSPHRASE });
    expect((await gateway.call('GET', '/accounts')).status).toBe(200);
    current = new ClientCertificate(encrypted);
    expect(problemOf(await gateway.call('GET', '/accounts')).code).toBe('integration_misconfigured');
  });

  it('do not lead around the guard of addresses', async () => {
    const guarded = createAgents({ allowPrivateNetworks: false, maxSockets: 4, ca: TEST_CERTIFICATE });
    const base = connectionOf(provider.port);
    const closed = await startHarness({
      upstreamPort: provider.port,
      connection: { ...base, clientCertificate: new ClientCertificate(TENANT_A) },
      deps: { agents: guarded },
    });
    for (const [, fields] of CLIENTS) {
      const answer = await closed.call('GET', '/accounts', fields);
      expect(problemOf(answer).detail).toContain('private network');
    }
    await closed.close();
    guarded.destroy();
    expect(provider.calls).toHaveLength(0);
  });

  it('do not make the certificate of the provider count less', async () => {
    const strict = createAgents({ allowPrivateNetworks: true, maxSockets: 4 });
    const base = connectionOf(provider.port);
    const closed = await startHarness({
      upstreamPort: provider.port,
      connection: { ...base, clientCertificate: new ClientCertificate(TENANT_A) },
      deps: { agents: strict },
    });
    const answer = await closed.call('GET', '/accounts');
    await closed.close();
    strict.destroy();
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('upstream_unreachable');
    expect(provider.calls).toHaveLength(0);
  });

  it('lose their idle connections when more of them are in use than are kept', async () => {
    const other = [
      TENANT_B,
      TENANT_C,
      { ...TENANT_A, certificate: `${TENANT_A.certificate}${TENANT_B.certificate}` },
    ];
    current = new ClientCertificate(TENANT_A);
    await gateway.call('GET', '/first');
    for (const pair of other) {
      current = new ClientCertificate(pair);
      await gateway.call('GET', '/others');
    }
    current = new ClientCertificate(TENANT_A);
    await gateway.call('GET', '/last');
    const own = provider.calls.filter(({ url }) => url !== '/others').map(({ connection }) => connection);
    expect(new Set(own).size).toBe(2);
  });

  it('let go of what was not used for a while', async () => {
    const short = createAgents({
      allowPrivateNetworks: true,
      maxSockets: 4,
      ca: TEST_CERTIFICATE,
      certificateIdleMs: 20,
    });
    const certificate = new ClientCertificate(TENANT_A);
    const first = short.withCertificate(certificate);
    expect(short.withCertificate(certificate)).toBe(first);
    // The sweeper holds no process open, so something else has to wait for it.
    await until(() => first.https.maxFreeSockets === 0);
    expect(short.withCertificate(certificate)).not.toBe(first);
    short.destroy();
  });
});

function firstOf(chain: string): string {
  return chain.slice(0, chain.indexOf('-----END CERTIFICATE-----') + 26);
}
