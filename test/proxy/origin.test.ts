import { matchHost } from '../../src/proxy/origin.ts';
import { ALLOWED_ORIGIN, type Harness, PREFIX, startHarness, USER_TOKEN } from '../support/proxy-harness.ts';
import { fieldValue, okAnswer, type RawUpstream, startRawUpstream } from '../support/upstream.ts';

let upstream: RawUpstream;
let gateway: Harness;

beforeAll(async () => {
  upstream = await startRawUpstream(okAnswer('ok'));
  gateway = await startHarness({ upstreamPort: upstream.port, deps: { proxyUrl: 'http://proxy.test' } });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const ask = (target: string, host: string, fields: readonly string[] = [], method = 'GET') =>
  gateway.send([
    `${method} ${target} HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: Bearer ${USER_TOKEN}`,
    ...fields,
    'Connection: close',
  ]);

describe('a proxy with an origin of its own', () => {
  it.each(['proxy.test', 'PROXY.test', 'proxy.test:80'])('answers calls to %s', async (host) => {
    expect((await ask(`${PREFIX}/x`, host)).body).toBe('ok');
  });

  it.each(['gateway.test', 'proxy.test:81', 'proxy.test.evil.example', '127.0.0.1'])(
    'does not answer calls to %s, and says where it does',
    async (host) => {
      const before = upstream.requests.length;
      const answer = await ask(`${PREFIX}/x`, host);
      expect(answer.status).toBe(404);
      expect(JSON.parse(answer.body).detail).toBe('Proxied calls are answered at http://proxy.test.');
      expect(upstream.requests).toHaveLength(before);
    },
  );

  it.each(['/', '/v1/projects', '/docs', '/oauth/callback?code=1&state=2', '/projects/x', '/livez'])(
    'answers %s with 404 on its origin, and leaves it to the others elsewhere',
    async (target) => {
      const own = await ask(target, 'proxy.test');
      expect([own.status, fieldValue(own.fieldLines, 'gateway-error')]).toEqual([404, 'not_found']);
      // The harness has no other router.
      expect(fieldValue((await ask(target, 'gateway.test')).fieldLines, 'gateway-error')).toBeUndefined();
    },
  );

  it('answers preflights on its origin alone', async () => {
    const fields = [`Origin: ${ALLOWED_ORIGIN}`, 'Access-Control-Request-Method: GET'];
    expect((await ask(`${PREFIX}/x`, 'proxy.test', fields, 'OPTIONS')).status).toBe(204);
    expect((await ask(`${PREFIX}/x`, 'gateway.test', fields, 'OPTIONS')).status).toBe(404);
  });

  it('refuses a path that providers would rewrite on its origin, and does not judge it elsewhere', async () => {
    const errors = [];
    for (const host of ['proxy.test', 'gateway.test'])
      errors.push(fieldValue((await ask(`${PREFIX}/../x`, host)).fieldLines, 'gateway-error'));
    expect(errors).toEqual(['invalid_path', 'not_found']);
  });

  it.each(['*', 'http://proxy.test/x'])('refuses the target %s wherever it is sent to', async (target) => {
    for (const host of ['proxy.test', 'gateway.test']) {
      const answer = await ask(target, host, [], 'OPTIONS');
      expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('invalid_path');
    }
  });
});

describe('a host', () => {
  it.each([
    ['https://proxy.example', ['Host', 'proxy.example'], true],
    ['https://proxy.example', ['Host', 'proxy.example:443'], true],
    ['https://proxy.example', ['Host', 'proxy.example:80'], false],
    ['https://proxy.example:8443', ['Host', 'proxy.example:8443'], true],
    ['https://proxy.example:8443', ['Host', 'proxy.example'], false],
    ['http://[::1]:3000', ['Host', '[::1]:3000'], true],
    ['https://proxy.example', ['X-A', 'b', 'host', 'Proxy.Example'], true],
    ['https://proxy.example', ['X-Forwarded-Host', 'proxy.example'], false],
    ['https://proxy.example', [], false],
  ])('%s matches %j: %j', (origin, rawHeaders, expected) => {
    expect(matchHost(origin)(rawHeaders)).toBe(expected);
  });
});
