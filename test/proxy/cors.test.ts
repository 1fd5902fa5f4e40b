import { ALLOWED_ORIGIN, type Harness, PREFIX, startHarness, USER_TOKEN } from '../support/proxy-harness.ts';
import { fieldValue, okAnswer, type RawUpstream, startRawUpstream } from '../support/upstream.ts';

let upstream: RawUpstream;
let gateway: Harness;

beforeEach(async () => {
  upstream = await startRawUpstream(okAnswer('ok', ['Access-Control-Allow-Origin: *']));
  gateway = await startHarness({ upstreamPort: upstream.port });
});

afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

const preflight = (origin: string, path = `${PREFIX}/x`): string[] => [
  `OPTIONS ${path} HTTP/1.1`,
  'Host: g',
  `Origin: ${origin}`,
  'Access-Control-Request-Method: PATCH',
  'Access-Control-Request-Headers: authorization, x-custom',
  'Connection: close',
];

describe('a preflight', () => {
  it('of an allowed origin is answered by the gateway without a token', async () => {
    const answer = await gateway.send(preflight(ALLOWED_ORIGIN));
    expect(answer.status).toBe(204);
    expect(fieldValue(answer.fieldLines, 'access-control-allow-origin')).toBe(ALLOWED_ORIGIN);
    expect(fieldValue(answer.fieldLines, 'access-control-allow-methods')).toContain('PATCH');
    expect(fieldValue(answer.fieldLines, 'access-control-allow-headers')).toBe('authorization, x-custom');
    expect(fieldValue(answer.fieldLines, 'access-control-allow-credentials')).toBeUndefined();
    expect(upstream.requests).toHaveLength(0);
  });

  it.each(['https://evil.example', 'null', `${ALLOWED_ORIGIN}.evil.example`, 'http://app.example.com'])(
    'of %s is refused without CORS fields',
    async (origin) => {
      const answer = await gateway.send(preflight(origin));
      expect(answer.status).toBe(403);
      expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('invalid_origin');
      expect(answer.head).not.toMatch(/access-control/i);
    },
  );
});

describe('what is no preflight', () => {
  it.each([
    ['GET', [`Origin: ${ALLOWED_ORIGIN}`, 'Access-Control-Request-Method: PATCH']],
    ['OPTIONS', ['Access-Control-Request-Method: PATCH']],
    ['OPTIONS', [`Origin: ${ALLOWED_ORIGIN}`]],
  ])('goes to the provider: %s with %j', async (method, fields) => {
    expect((await gateway.call(method, '/x', fields)).body).toBe('ok');
    expect(upstream.requests[0]?.requestLine).toBe(`${method} /x HTTP/1.1`);
  });
});

describe('OPTIONS without a requested method', () => {
  it('is a call like any other', async () => {
    expect((await gateway.call('OPTIONS', '/x')).body).toBe('ok');
    expect(upstream.requests[0]?.requestLine).toBe('OPTIONS /x HTTP/1.1');
  });
});

describe('an answer to a web page', () => {
  it('of an allowed origin can be read by it alone', async () => {
    const answer = await gateway.call('GET', '/x', [`Origin: ${ALLOWED_ORIGIN}`]);
    const origins = answer.fieldLines.filter((line) => /^access-control-allow-origin/i.test(line));
    expect(origins).toEqual([`Access-Control-Allow-Origin: ${ALLOWED_ORIGIN}`]);
    expect(fieldValue(answer.fieldLines, 'access-control-expose-headers')).toContain('Gateway-Error');
    expect(fieldValue(answer.fieldLines, 'vary')).toContain('Origin');
    expect(upstream.requests[0]?.head).not.toMatch(/^origin/im);
  });

  it('of another origin has no CORS fields, the provider’s own least of all', async () => {
    const answer = await gateway.call('GET', '/x', ['Origin: https://evil.example']);
    expect(answer.head).not.toMatch(/access-control/i);
  });

  it('that is a refusal can be read as well', async () => {
    const answer = await gateway.call('GET', '/a/../b', [`Origin: ${ALLOWED_ORIGIN}`]);
    expect(answer.status).toBe(400);
    expect(fieldValue(answer.fieldLines, 'access-control-allow-origin')).toBe(ALLOWED_ORIGIN);
  });

  it('is allowed by a look-up that takes its time', async () => {
    await gateway.close();
    gateway = await startHarness({
      upstreamPort: upstream.port,
      deps: { isAllowedOrigin: async () => true },
    });
    const answer = await gateway.call('GET', '/x', [
      'Origin: https://later.example',
      `Authorization: Bearer ${USER_TOKEN}`,
    ]);
    expect(fieldValue(answer.fieldLines, 'access-control-allow-origin')).toBe('https://later.example');
  });
});
