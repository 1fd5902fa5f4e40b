import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAgents } from '../../src/platform/agents.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '../support/certificate.ts';
import { type Harness, startHarness } from '../support/proxy-harness.ts';
import { fieldValue } from '../support/upstream.ts';

let gateway: Harness;
let provider: https.Server;
let seen: { host: string | undefined; servername: unknown }[];

beforeEach(async () => {
  seen = [];
  provider = https.createServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }, (request, response) => {
    const { socket } = request;
    seen.push({
      host: request.headers.host,
      servername: 'servername' in socket ? socket.servername : undefined,
    });
    response.end('secure');
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  await gateway.close();
  provider.closeAllConnections();
  await new Promise((resolve) => provider.close(resolve));
});

const port = (): number => (provider.address() as AddressInfo).port;

describe('a provider over TLS', () => {
  it('with a certificate of an unknown authority is 502, and gets no request', async () => {
    gateway = await startHarness({
      upstreamPort: port(),
      apiBase: { protocol: 'https:', hostname: 'localhost' },
    });
    const answer = await gateway.call('GET', '/x');
    expect(answer.status).toBe(502);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('upstream_unreachable');
    expect(seen).toHaveLength(0);
  });

  it('is called by its own name, whatever Host the caller sent', async () => {
    const agents = createAgents({ allowPrivateNetworks: true, maxSockets: 4, ca: TEST_CERTIFICATE });
    gateway = await startHarness({
      upstreamPort: port(),
      apiBase: { protocol: 'https:', hostname: 'localhost' },
      deps: { agents },
    });
    const answer = await gateway.call('GET', '/x');
    agents.destroy();
    expect(answer.body).toBe('secure');
    expect(seen).toEqual([{ host: `localhost:${port()}`, servername: 'localhost' }]);
  });

  it('in a private network is 502 unless private networks are allowed', async () => {
    const agents = createAgents({ allowPrivateNetworks: false, maxSockets: 4, ca: TEST_CERTIFICATE });
    gateway = await startHarness({
      upstreamPort: port(),
      apiBase: { protocol: 'https:', hostname: 'localhost' },
      deps: { agents },
    });
    const answer = await gateway.call('GET', '/x');
    agents.destroy();
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('upstream_unreachable');
    expect(JSON.parse(answer.body).detail).toContain('private network');
    expect(seen).toHaveLength(0);
  });
});
