import { inspect } from 'node:util';
import { ClientCertificate } from '../../src/platform/client-certificate.ts';
import { createOutbound } from '../../src/platform/outbound.ts';
import { TEST_CERTIFICATE } from '../support/certificate.ts';
import {
  ALERTS,
  type CertifiedServer,
  startAlertingServer,
  startCertifiedServer,
  TENANT_A,
  TENANT_B,
} from '../support/client-certificates.ts';

const outbound = createOutbound({ allowPrivateNetworks: true, ca: TEST_CERTIFICATE });
const guarded = createOutbound({ allowPrivateNetworks: false, ca: TEST_CERTIFICATE });
let server: CertifiedServer;

beforeAll(async () => {
  server = await startCertifiedServer();
});
afterAll(async () => {
  await Promise.all([outbound.stop(), guarded.stop(), server.close()]);
});
beforeEach(() => void server.calls.splice(0));

const post = (clientCertificate?: ClientCertificate, url = server.origin) =>
  outbound.request({ url: `${url}/token`, method: 'POST', body: 'grant_type=x', clientCertificate });

describe('a call of the gateway’s own', () => {
  it('shows the certificate that it is given, and a session of another one is not resumed', async () => {
    for (const pair of [TENANT_A, TENANT_B, TENANT_A]) await post(new ClientCertificate(pair));
    expect(server.calls.map(({ client }) => client)).toEqual(['tenant-a', 'tenant-b', 'tenant-a']);
  });

  it('without one, after others with one, is refused, and certainly was not processed', async () => {
    await post(new ClientCertificate(TENANT_A));
    // TLS 1.3: the request is out by the time that the refusal arrives.
    await expect(post()).rejects.toMatchObject({
      kind: 'certificate_refused',
      code: 'ALERT_CERTIFICATE_REQUIRED',
      mayHaveBeenProcessed: false,
    });
    expect(server.calls).toHaveLength(1);
  });

  it.each(ALERTS)('names the alert %s of a handshake', async (name, number) => {
    const alerting = await startAlertingServer(number);
    const refused = await post(new ClientCertificate(TENANT_A), alerting.origin).catch(
      (error: unknown) => error,
    );
    await alerting.close();
    expect(refused).toMatchObject({ kind: 'certificate_refused', code: `ALERT_${name.toUpperCase()}` });
  });

  it('takes other alerts for failures of TLS', async () => {
    const alerting = await startAlertingServer(70);
    await expect(post(new ClientCertificate(TENANT_A), alerting.origin)).rejects.toMatchObject({
      kind: 'tls',
    });
    await alerting.close();
  });

  it('with a key of another certificate goes nowhere', async () => {
    const mixed = new ClientCertificate({ ...TENANT_A, privateKey: TENANT_B.privateKey });
    await expect(post(mixed)).rejects.toMatchObject({
      kind: 'certificate_unusable',
      mayHaveBeenProcessed: false,
    });
    expect(server.calls).toHaveLength(0);
  });

  it('stays within public networks', async () => {
    const clientCertificate = new ClientCertificate(TENANT_A);
    await expect(guarded.request({ url: server.origin, clientCertificate })).rejects.toMatchObject({
      kind: 'refused_address',
    });
  });
});

describe('a client certificate', () => {
  it('shows its key to no log and no JSON', () => {
    const certificate = new ClientCertificate({ ...TENANT_A, passphrase: 'open-sesame' });
    for (const text of [JSON.stringify(certificate), inspect(certificate, { depth: 9, showHidden: true })])
      expect(text).not.toMatch(/BEGIN|open-sesame/);
  });

  it('is the same as another one only with the same chain, key and passphrase', () => {
    const of = (...more: object[]) => new ClientCertificate(Object.assign({}, TENANT_A, ...more)).fingerprint;
    expect(of()).toBe(of());
    const others = [of({ passphrase: 'x' }), of({ privateKey: TENANT_B.privateKey }), of(TENANT_B)];
    expect(new Set([of(), ...others]).size).toBe(4);
  });
});
