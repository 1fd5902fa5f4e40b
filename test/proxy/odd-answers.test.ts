import { once } from 'node:events';
import type { Socket } from 'node:net';
import tls from 'node:tls';
import { createAgents } from '../../src/platform/agents.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '../support/certificate.ts';
import { listen } from '../support/listen.ts';
import { CLIENTS, type Harness, type HarnessOptions, startHarness } from '../support/proxy-harness.ts';
import { closeLater, closeStage, startStage } from '../support/proxy-stage.ts';
import { fieldValue, okAnswer, type RawAnswer, type RawUpstream } from '../support/upstream.ts';

let upstream: RawUpstream;
let gateway: Harness;

async function start(answer: RawAnswer, options: Partial<HarnessOptions> = {}): Promise<void> {
  ({ upstream, gateway } = await startStage(answer, options));
}

afterEach(closeStage);

describe.each(CLIENTS)('over %s, an answer', (_client, fields) => {
  it('has its values without the blanks around them', async () => {
    await start(okAnswer('body', ['X-A:  a b \t', 'X-B: \t ', 'X-C: a\tb', 'X-D: \xa0']));
    const { fieldLines } = await gateway.call('GET', '/x', fields);
    expect(fieldLines.slice(0, 4)).toEqual(['X-A: a b', 'X-B: ', 'X-C: a\tb', 'X-D: \xc2\xa0']);
  });

  it('loses none of its fields, however many there are', async () => {
    const many = Array.from({ length: 1_500 }, (_, index) => `X-${index}: ${index}`);
    await start(okAnswer('body', [...many, 'X-Last: 1']));
    const { fieldLines } = await gateway.call('GET', '/x', fields);
    expect(fieldLines.slice(0, many.length + 1)).toEqual([...many, 'X-Last: 1']);
  });

  it('whose length has blanks after it is whole', async () => {
    await start('HTTP/1.1 200 OK\r\nContent-Length: 5  \r\n\r\nhello');
    const answer = await gateway.call('GET', '/x', fields);
    expect(fieldValue(answer.fieldLines, 'content-length')).toBe('5');
    expect(answer.body).toBe('hello');
    await gateway.finished(1);
    expect(gateway.calls[0]).toMatchObject({ status: 200, error: undefined, attempts: 1 });
  });

  it('that asks for too long a wait is understood, blanks or not', async () => {
    await start('HTTP/1.1 503 Later\r\nRetry-After: 50 \r\nX-A: b \r\nContent-Length: 0\r\n\r\n');
    const answer = await gateway.call('GET', '/x', [...fields, 'Gateway-Retry: 1']);
    expect(answer.status).toBe(503);
    expect(upstream.requests).toHaveLength(1);
  });

  it('whose trailers name a connection to close leaves nothing behind', async () => {
    const trailed = 'Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nConnection: close\r\n\r\n';
    await start((socket, _request, index) =>
      socket.write(index === 0 ? `HTTP/1.1 200 OK\r\n${trailed}` : okAnswer('next')),
    );
    expect((await gateway.call('GET', '/x', fields)).status).toBe(200);
    await gateway.finished(1);
    expect((await gateway.call('GET', '/y', fields)).body).toBe('next');
  });

  it.each([
    ['a length', 'Content-Length: 9\r\n\r\nhello'],
    ['chunks', 'Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n'],
  ])('of %s on a connection to close, that ends too early, was broken off', async (_framing, rest) => {
    await start((socket) => socket.end(`HTTP/1.1 200 OK\r\nConnection: close\r\n${rest}`));
    await gateway.call('GET', '/x', fields);
    await gateway.finished(1);
    expect(gateway.calls[0]).toMatchObject({ status: 200, error: 'upstream_unreachable' });
  });

  const cut = 'upstream_unreachable';
  const invalid = 'upstream_invalid_response';
  const BROKEN: readonly (readonly [string, string, string])[] = [
    ['nothing but a line feed', '\r\n', cut],
    ['half a status line', 'HTTP/1.1 20', cut],
    ['half a header section', 'HTTP/1.1 200 OK\r\nContent-Len', cut],
    ['an early hint', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n', cut],
    ['no HTTP', 'HELLO\r\n\r\n', invalid],
    ['another protocol', 'HTTP/1.1 101 Other\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n', invalid],
    ['another protocol without its name', 'HTTP/1.1 101 Other\r\nContent-Type: text/plain\r\n\r\n', invalid],
    ['70 KiB of fields', `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(70 * 1024)}\r\n\r\n`, invalid],
  ];

  it.each(BROKEN)('of %s on a new connection is not asked for again', async (_what, bytes, code) => {
    await start((socket) => socket.end(bytes));
    const answer = await gateway.call('GET', '/x', fields);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe(code);
    expect(upstream.requests).toHaveLength(1);
  });

  it.each(BROKEN)('of %s on a connection that was used before is not either', async (_what, bytes, code) => {
    await start((socket, _request, index) =>
      index === 0 ? socket.write(okAnswer('first')) : socket.end(bytes),
    );
    expect((await gateway.call('GET', '/x', fields)).status).toBe(200);
    await gateway.finished(1);
    const answer = await gateway.call('GET', '/y', fields);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe(code);
    expect(upstream.requests).toHaveLength(2);
  });

  it('with a head of 60 KiB is passed on', async () => {
    const long = 'a'.repeat(60 * 1024);
    await start(okAnswer('body', [`X-A: ${long}`]));
    const answer = await gateway.call('GET', '/x', fields);
    expect([answer.status, fieldValue(answer.fieldLines, 'x-a')]).toEqual([200, long]);
  });
});

describe('an answer that breaks off while a new credential is awaited', () => {
  it('costs nothing but the retry that was asked for', async () => {
    const broken = 'HTTP/1.1 401 Unauthorized\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n';
    await start((socket, _request, index) => socket.write(index === 0 ? broken : okAnswer('ok')), {
      deps: { refreshAfter401: () => new Promise(() => {}), random: () => 0 },
    });
    const answer = await gateway.call('POST', '/x', ['Content-Length: 2', 'Gateway-Retry: 1'], 'hi');
    expect(answer.body).toBe('ok');
    expect(upstream.requests).toHaveLength(2);
  });
});

/** A TLS server that does with the connection beneath what the test says when a request arrives. */
async function startTls(misbehave: (connection: Socket) => void): Promise<() => number> {
  let requests = 0;
  const connections = new Set<Socket>();
  const server = tls.createServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }, (secure) => {
    secure.on('error', () => {});
    secure.on('data', () => {
      requests += 1;
      for (const connection of connections) misbehave(connection);
    });
  });
  server.on('connection', (connection) => {
    connections.add(connection.on('error', () => {}));
    connection.on('close', () => connections.delete(connection));
  });
  const agents = createAgents({ allowPrivateNetworks: true, maxSockets: 4, ca: TEST_CERTIFICATE });
  gateway = await startHarness({
    upstreamPort: await listen(server),
    apiBase: { protocol: 'https:', hostname: 'localhost' },
    deps: { agents },
  });
  closeLater(
    () => gateway.close(),
    () => agents.destroy(),
    async () => {
      const closed = once(server, 'close');
      server.close();
      for (const connection of connections) connection.destroy();
      await closed;
    },
  );
  return () => requests;
}

describe.each(CLIENTS)('over %s and TLS, a provider', (_client, fields) => {
  it('that ends a new connection without an answer is not asked again', async () => {
    const requests = await startTls((connection) => connection.end());
    const answer = await gateway.call('GET', '/x', fields);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('upstream_unreachable');
    expect(requests()).toBe(1);
  });

  it('that answers in the clear is 502 at once', async () => {
    const requests = await startTls((connection) => void connection.write('HTTP/1.1 200 OK\r\n\r\n'));
    const answer = await gateway.call('GET', '/x', fields);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('upstream_unreachable');
    expect(requests()).toBe(1);
  });
});
