import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { CallTiming } from '../../src/proxy/call-timing.ts';
import type { ProxyDependencies } from '../../src/proxy/contract.ts';
import { ALLOWED_ORIGIN, type Harness, type HarnessOptions, PREFIX } from '../support/proxy-harness.ts';
import { closeStage, openCaller, startStage } from '../support/proxy-stage.ts';
import { untilClosed } from '../support/until-closed.ts';
import { fieldValue, okAnswer, type RawAnswer, type RawUpstream, readAnswer } from '../support/upstream.ts';

let gateway: Harness;
let upstream: RawUpstream;
let warnings: (readonly [fields: object, message: string])[];

async function start(answer: RawAnswer, options: Partial<HarnessOptions> = {}): Promise<void> {
  warnings = [];
  const log: ProxyDependencies['log'] = {
    info() {},
    warn: (fields, message) => warnings.push([fields, message]),
    error: (fields, message) => warnings.push([fields, message]),
  };
  ({ gateway, upstream } = await startStage(answer, { ...options, deps: { log, ...options.deps } }));
}

afterEach(closeStage);

describe('a call whose body turns out to be no HTTP', () => {
  it.each([
    ['in chunks', 'Transfer-Encoding: chunked', '5\r\nhello\r\n', 'zz\r\n'],
    ['with a length', 'Content-Length: 9', 'hello', undefined],
  ])('%s is refused as the call that it is', async (_how, field, begun, rest) => {
    const providers: Socket[] = [];
    await start((socket) => void providers.push(socket));
    const { socket, received } = await openCaller(
      gateway,
      [`POST ${PREFIX}/x HTTP/1.1`, `Origin: ${ALLOWED_ORIGIN}`, field],
      begun,
    );
    if (rest === undefined) socket.end();
    else socket.write(rest);
    await untilClosed(socket);
    await gateway.finished(1);
    const answer = readAnswer(received);
    expect([answer.status, fieldValue(answer.fieldLines, 'gateway-error')]).toEqual([400, 'invalid_request']);
    expect(fieldValue(answer.fieldLines, 'access-control-allow-origin')).toBe(ALLOWED_ORIGIN);
    expect(gateway.calls[0]).toMatchObject({
      requestId: fieldValue(answer.fieldLines, 'gateway-request-id'),
      status: 400,
      error: 'invalid_request',
    });
    expect(warnings).toEqual([]);
  });
});

describe('the log', () => {
  it('tells of a provider that fails, by the code of the cause alone', async () => {
    await start((socket) => socket.resetAndDestroy());
    await gateway.call('POST', '/secret?q=secret', ['Content-Length: 0']);
    await gateway.finished(1);
    const [call] = gateway.calls;
    expect(call).toMatchObject({ status: 502, error: 'upstream_unreachable' });
    expect(warnings).toEqual([
      [
        {
          requestId: call?.requestId,
          provider: 'demo',
          code: 'upstream_unreachable',
          cause: 'ECONNRESET',
        },
        'provider call failed',
      ],
    ]);
  });

  it.each([
    ['for its token', 'GET', ['Authorization: Bearer other'], 401],
    ['for a field that means nothing', 'GET', ['Gateway-Retry: none'], 400],
    ['for the length of its body', 'POST', ['Transfer-Encoding: chunked'], 413],
  ])('says nothing of a call that is refused %s', async (_which, method, fields, status) => {
    await start(okAnswer('ok'), { limits: { requestBodyBytesMax: 3 } });
    const answer = await gateway.call(
      method,
      '/x',
      fields,
      method === 'POST' ? '4\r\nlong\r\n0\r\n\r\n' : '',
    );
    await gateway.finished(1);
    expect([answer.status, warnings]).toEqual([status, []]);
  });
});

describe('an event stream that its provider ends', () => {
  const asked = { hasOpenStreams: true };
  const stream = '200 OK\r\nContent-Type: text/event-stream';

  it.each([
    ['of those that stay open is no failure', asked, stream, undefined],
    ['is none with parameters of its type', asked, stream.replace('-stream', '-stream ; x=y'), undefined],
    ['is one at any other provider', {}, stream, 'upstream_unreachable'],
    ['is one where it is no success', asked, stream.replace('200 OK', '201 Made'), 'upstream_unreachable'],
    ['is one where it is no stream', asked, stream.replace('-stream', '-streams'), 'upstream_unreachable'],
  ])('%s', async (_which, connection, head, error) => {
    await start(
      (socket) => {
        socket.write(`HTTP/1.1 ${head}\r\nContent-Length: 99\r\n\r\ndata: 1\n\n`);
        setImmediate(() => socket.resetAndDestroy());
      },
      { connection },
    );
    await gateway.call('GET', '/x', ['Accept: text/event-stream']).catch(() => undefined);
    await gateway.finished(1);
    expect(gateway.calls[0]?.status).toBe(Number(head.slice(0, 3)));
    expect([gateway.calls[0]?.error, warnings.length]).toEqual([error, error === undefined ? 0 : 1]);
  });
});

describe('the record of a call', () => {
  it('tells how much of its time was the provider’s', async () => {
    await start((socket) => void setTimeout(() => socket.write(okAnswer('ok')), 60));
    await gateway.call('GET', '/x');
    await gateway.finished(1);
    const { durationMs = 0, providerMs = 0 } = gateway.calls[0] ?? {};
    expect(providerMs).toBeGreaterThan(50);
    expect(durationMs).toBeGreaterThanOrEqual(providerMs);
  });

  it('ends where a stream is open, whatever comes after', () => {
    const timing = new CallTiming();
    timing.beginProvider();
    timing.stop();
    const stopped = timing.read();
    timing.beginProvider();
    timing.endProvider();
    expect(timing.read()).toEqual(stopped);
  });
});

describe('a retry after a time-out', () => {
  it('leaves no request behind at the provider', async () => {
    const closed: Promise<void>[] = [];
    await start(
      (socket, _request, index) => {
        if (index > 0) socket.write(okAnswer('ok'));
        else closed.push(untilClosed(socket));
      },
      { limits: { firstByteTimeoutMs: 100 } },
    );
    const answer = await gateway.call('GET', '/x', ['Gateway-Retry: 1']);
    expect([answer.body, upstream.requests.length, closed.length]).toEqual(['ok', 2, 1]);
    // Nothing else would end it.
    expect(await Promise.race([closed[0]?.then(() => 'closed'), wait(5_000, 'open')])).toBe('closed');
  });
});
