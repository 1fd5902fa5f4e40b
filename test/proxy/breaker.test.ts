import { createServer } from 'node:http';
import { createBreaker, isConnectFailure } from '../../src/proxy/breaker.ts';
import { CLIENTS, type Harness, startHarness } from '../support/proxy-harness.ts';
import { fieldValue, unusedPort } from '../support/upstream.ts';

const ORIGIN = 'https://api.acme.example';

function createClock() {
  const clock = { ms: 0 };
  return { clock, breaker: createBreaker({ now: () => clock.ms }) };
}

/** Whether a call may try, and how long it has to wait otherwise. */
function tryCall(breaker: ReturnType<typeof createBreaker>, projectId = 'p'): string {
  try {
    breaker.assertOpen(projectId, ORIGIN);
    return 'goes out';
  } catch (error) {
    const { code, headers } = error as { code: string; headers: Record<string, string> };
    return `${code} ${headers['Retry-After']}`;
  }
}

describe('a provider to which no connection can be made', () => {
  it('is tried five times, then by one call after each pause, and pauses grow to half a minute', () => {
    const { clock, breaker } = createClock();
    for (let call = 0; call < 5; call += 1) {
      expect(tryCall(breaker)).toBe('goes out');
      breaker.noteFailure('p', ORIGIN);
    }
    const pauses: string[] = [];
    for (let probe = 0; probe < 7; probe += 1) {
      const refusal = tryCall(breaker);
      pauses.push(refusal);
      clock.ms += Number(refusal.split(' ')[1]) * 1_000;
      expect(tryCall(breaker)).toBe('goes out');
      expect(tryCall(breaker)).toMatch(/^upstream_paused/);
      breaker.noteFailure('p', ORIGIN);
    }
    expect(pauses.map((pause) => Number(pause.split(' ')[1]))).toEqual([1, 2, 4, 8, 16, 30, 30]);
  });

  it('is another for each project, so that no tenant can pause it for others', () => {
    const { breaker } = createClock();
    for (let call = 0; call < 9; call += 1) breaker.noteFailure('p', ORIGIN);
    expect([tryCall(breaker), tryCall(breaker, 'q')]).toEqual(['upstream_paused 1', 'goes out']);
  });

  it('is tried by all again after one that got through', () => {
    const { clock, breaker } = createClock();
    for (let call = 0; call < 5; call += 1) breaker.noteFailure('p', ORIGIN);
    clock.ms += 1_000;
    expect(tryCall(breaker)).toBe('goes out');
    breaker.noteReached('p', ORIGIN);
    expect([tryCall(breaker), tryCall(breaker)]).toEqual(['goes out', 'goes out']);
  });

  it('is tried again where the call that tried never heard', () => {
    const { clock, breaker } = createClock();
    for (let call = 0; call < 5; call += 1) breaker.noteFailure('p', ORIGIN);
    clock.ms += 1_000;
    tryCall(breaker);
    clock.ms += 15_000;
    expect(tryCall(breaker)).toBe('goes out');
  });
});

it.each([
  ['ECONNREFUSED', true],
  ['ENOTFOUND', true],
  ['UND_ERR_CONNECT_TIMEOUT', true],
  ['CERT_HAS_EXPIRED', true],
  ['ECONNRESET', false],
  ['UND_ERR_HEADERS_TIMEOUT', false],
  ['HPE_INVALID_CONSTANT', false],
])('%s counts as no connection: %s', (code, isCounted) => {
  expect(isConnectFailure(Object.assign(new Error('x'), { code }))).toBe(isCounted);
});

describe.each(CLIENTS)('over %s', (_client, fields) => {
  let gateway: Harness | undefined;
  afterEach(() => gateway?.close());

  it('calls to a closed port are refused at once after five, with the seconds to wait', async () => {
    gateway = await startHarness({ upstreamPort: await unusedPort() });
    const codes: (string | undefined)[] = [];
    for (let call = 0; call < 7; call += 1) {
      const answer = await gateway.call('GET', '/x', fields);
      codes.push(`${answer.status} ${fieldValue(answer.fieldLines, 'gateway-error')}`);
      if (answer.status === 503) expect(fieldValue(answer.fieldLines, 'retry-after')).toBe('1');
    }
    const unreachable = Array<string>(5).fill('502 upstream_unreachable');
    expect(codes).toEqual([...unreachable, '503 upstream_paused', '503 upstream_paused']);
    expect(gateway.calls.at(-1)?.attempts).toBe(0);
  });

  it('answers that are errors never pause a provider', async () => {
    const server = createServer((_request, response) => {
      response.statusCode = 503;
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    gateway = await startHarness({ upstreamPort: typeof address === 'object' ? (address?.port ?? 0) : 0 });
    for (let call = 0; call < 8; call += 1) {
      const answer = await gateway.call('GET', '/x', fields);
      expect([answer.status, fieldValue(answer.fieldLines, 'gateway-error')]).toEqual([503, undefined]);
    }
    server.closeAllConnections();
    server.close();
  });
});
