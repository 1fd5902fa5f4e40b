import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { listen } from '../support/listen.ts';
import {
  CLIENTS,
  type Harness,
  type HarnessOptions,
  PREFIX,
  startHarness,
} from '../support/proxy-harness.ts';
import { closeLater, closeStage, openCaller, startStage } from '../support/proxy-stage.ts';
import {
  closed,
  fieldValue,
  okAnswer,
  type RawAnswer,
  type RawUpstream,
  readAnswer,
  unusedPort,
} from '../support/upstream.ts';

let upstream: RawUpstream;
let gateway: Harness;

async function start(answer: RawAnswer, options: Partial<HarnessOptions> = {}): Promise<void> {
  ({ upstream, gateway } = await startStage(answer, options));
}

afterEach(closeStage);

const caller = (head: readonly string[], body?: string) => openCaller(gateway, head, body);

describe.each(CLIENTS)('over %s, a provider that answers nonsense', (_client, fields) => {
  it.each([
    [
      '101 to a plain request',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
    ],
    ['a status below 100', 'HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 99 Low\r\nContent-Length: 0\r\n\r\n'],
    ['a control byte in the reason', 'HTTP/1.1 200 O\x01K\r\nContent-Length: 0\r\n\r\n'],
    ['no HTTP at all', 'SSH-2.0-OpenSSH_9.6\r\n'],
    [
      'a bad chunk before any head is sent',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx',
    ],
    [
      'both length and chunks',
      'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a huge header section', `HTTP/1.1 200 OK\r\nX-Big: ${'b'.repeat(80_000)}\r\n\r\n`],
    ['a control byte in a field', 'HTTP/1.1 200 OK\r\nX-Bad: a\x01b\r\nContent-Length: 0\r\n\r\n'],
  ])('(%s) is 502 upstream_invalid_response, and the next call is served', async (_what, bytes) => {
    await start((socket, { requestLine }) => {
      if (requestLine.includes('secret')) socket.write(Buffer.from(bytes, 'latin1'));
      else socket.write(okAnswer('fine'));
    });
    const answer = await gateway.call('GET', '/x?secret=1', fields);
    expect(answer.status).toBe(502);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('upstream_invalid_response');
    expect(answer.text).not.toContain('secret');
    expect((await gateway.call('GET', '/y', fields)).body).toBe('fine');
  });

  it.each([
    'SSH-2.0-OpenSSH_9.6\r\n',
    'HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 200 OK\r\nX-Bad: a\x01b\r\n\r\n',
  ])('and ends the connection after it is 502 upstream_invalid_response: %j', async (bytes) => {
    await start((socket) => void socket.end(bytes));
    const answer = await gateway.call('GET', '/x', fields);
    expect([answer.status, fieldValue(answer.fieldLines, 'gateway-error')]).toEqual([
      ...[502, 'upstream_invalid_response'],
    ]);
  });
});

describe('a provider that sends more than its answer', () => {
  it.each([
    ['a body to HEAD', 'HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody', ''],
    ['bytes beyond the length', 'GET', 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbodyrest', 'body'],
    ['bytes beyond the length', 'PUT', 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbodyrest', 'body'],
    ['bytes after 204', 'DELETE', 'HTTP/1.1 204 No Content\r\n\r\nbody', ''],
    [
      'bytes after the last chunk',
      'POST',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\nrest',
      '4\r\nbody\r\n0\r\n\r\n',
    ],
  ])('(%s) has its answer relayed, and what is too much dropped', async (_what, method, bytes, body) => {
    await start((socket, _request, index) => void socket.write(index === 0 ? bytes : okAnswer('fine')));
    const answer = await gateway.call(method, '/x');
    expect(answer.head).toMatch(/^HTTP\/1.1 20[04] /);
    expect(answer.body).toBe(body);
    expect((await gateway.call('GET', '/y')).body).toBe('fine');
  });
});

describe.each(CLIENTS)('over %s, a provider that breaks off', (_client, fields) => {
  it('before its answer, on a new connection, is 502 without host, path or port', async () => {
    await start((socket) => socket.destroy());
    const answer = await gateway.call('GET', '/x?secret=1', fields);
    expect(answer.status).toBe(502);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('upstream_unreachable');
    expect(answer.text).not.toMatch(/secret|127\.0\.0\.1/);
    expect(upstream.requests).toHaveLength(1);
  });

  it.each([
    ['short of the length', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello', ''],
    ['before the end of the connection', 'HTTP/1.1 200 OK\r\n\r\nhello', ''],
    ['between chunks', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n', ''],
    ['with a broken chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n', 'zz\r\n'],
  ])('%s has its answer cut off on a closed connection, with nothing added', async (_how, first, rest) => {
    const provider: Socket[] = [];
    await start((socket) => {
      provider.push(socket);
      socket.write(first);
    });
    const { socket, received } = await caller([`GET ${PREFIX}/x HTTP/1.1`, ...fields]);
    while (!Buffer.concat(received).includes('hello')) await once(socket, 'data');
    if (rest === '') provider[0]?.resetAndDestroy();
    else provider[0]?.write(rest);
    await once(socket, 'close');
    const answer = readAnswer(received);
    expect(answer.body).not.toContain('0\r\n\r\n');
    expect(answer.text).not.toMatch(/gateway-error/i);
    expect(answer.body.replace('5\r\n', '').trim()).toBe('hello');
    await gateway.finished(1);
    expect(gateway.calls[0]?.error).toBeDefined();
  });

  it('has its answer broken off where the end of the connection is that of the answer', async () => {
    await start('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n');
    const { socket } = await caller([`GET ${PREFIX}/x HTTP/1.0`, ...fields]);
    await expect(once(socket, 'close')).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('on a connection that had served before is asked again once for a safe method', async () => {
    await start((socket, _request, index) => {
      if (index === 1) socket.destroy();
      else socket.write(okAnswer(`answer ${index}`));
    });
    expect((await gateway.call('GET', '/a', fields)).body).toBe('answer 0');
    await gateway.finished(1);
    expect((await gateway.call('GET', '/b', fields)).body).toBe('answer 2');
    expect(upstream.requests.map(({ requestLine }) => requestLine.split(' ')[1])).toEqual(['/a', '/b', '/b']);
  });
});

describe('a provider that breaks off a request with a body', () => {
  it('before its answer is 502 without host, path or port', async () => {
    await start((socket) => socket.destroy());
    const answer = await gateway.call('POST', '/x?secret=1', ['Content-Length: 2'], 'hi');
    expect(answer.status).toBe(502);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('upstream_unreachable');
    expect(answer.text).not.toMatch(/secret|127\.0\.0\.1/);
    expect(upstream.requests).toHaveLength(1);
  });

  it('on a connection that had served before is not asked again for a method that may have taken effect', async () => {
    await start((socket, _request, index) => {
      if (index === 1) socket.destroy();
      else socket.write(okAnswer('ok'));
    });
    await gateway.call('PUT', '/a', ['Content-Length: 2'], 'hi');
    await gateway.finished(1);
    const answer = await gateway.call('POST', '/b', ['Content-Length: 2'], 'hi');
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('upstream_unreachable');
    expect(upstream.requests).toHaveLength(2);
  });
});

describe.each(CLIENTS)('over %s, a provider that cannot be reached', (_client, fields) => {
  it('because it refuses the connection is 502', async () => {
    gateway = await startHarness({ upstreamPort: await unusedPort() });
    closeLater(() => gateway.close());
    const answer = await gateway.call('GET', '/x', fields);
    expect(answer.status).toBe(502);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('upstream_unreachable');
  });

  it('because its name does not resolve is 502', async () => {
    gateway = await startHarness({ upstreamPort: 80, apiBase: { hostname: 'nowhere.invalid' } });
    closeLater(() => gateway.close());
    const answer = await gateway.call('GET', '/x', fields);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('upstream_unreachable');
    expect(answer.text).not.toContain('nowhere.invalid');
  });

  it('because it does not speak TLS is 502', async () => {
    const sockets = new Set<Socket>();
    const plain = createServer((socket) => {
      sockets.add(socket.on('error', () => {}));
      socket.on('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
    });
    gateway = await startHarness({ upstreamPort: await listen(plain), apiBase: { protocol: 'https:' } });
    closeLater(
      () => gateway.close(),
      () => closed(plain, sockets),
    );
    const answer = await gateway.call('GET', '/x', fields);
    expect(answer.status).toBe(502);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('upstream_unreachable');
  });
});

describe.each(CLIENTS)('over %s, a provider that is too slow', (_client, fields) => {
  it('to answer is 504', async () => {
    await start(() => {}, { limits: { firstByteTimeoutMs: 80 } });
    const answer = await gateway.call('GET', '/x', fields);
    expect(answer.status).toBe(504);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('upstream_timeout');
  });

  it('in the middle of its answer has it cut off', async () => {
    await start((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello'), {
      limits: { idleTimeoutMs: 80 },
    });
    const answer = await gateway.call('GET', '/x', fields);
    expect(answer.status).toBe(200);
    expect(answer.body).toBe('hello');
    await gateway.finished(1);
    expect(gateway.calls[0]).toMatchObject({ status: 200, error: 'upstream_timeout' });
  });

  it('to finish the TLS handshake is 504', async () => {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => sockets.add(socket.on('error', () => {})));
    const port = await listen(silent);
    gateway = await startHarness({
      upstreamPort: port,
      apiBase: { protocol: 'https:' },
      limits: { connectTimeoutMs: 80 },
    });
    closeLater(
      () => gateway.close(),
      () => closed(silent, sockets),
    );
    const answer = await gateway.call('GET', '/x', fields);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('upstream_timeout');
  });
});

describe('a provider', () => {
  it('is not blamed for a caller that stops in the middle of its body', async () => {
    await start(() => {}, { limits: { idleTimeoutMs: 80 } });
    const { socket, received } = await caller([`POST ${PREFIX}/x HTTP/1.1`, 'Content-Length: 10'], 'hello');
    await once(socket, 'close');
    expect(readAnswer(received).status).toBe(408);
    expect(fieldValue(readAnswer(received).fieldLines, 'gateway-error')).toBe('request_timeout');
  });
});

describe.each(CLIENTS)('over %s, a caller that goes away', (_client, fields) => {
  it('before the answer ends the provider’s request', async () => {
    let ended: Promise<unknown> | undefined;
    await start((socket) => {
      ended = once(socket, 'close');
    });
    const { socket } = await caller([`GET ${PREFIX}/x HTTP/1.1`, ...fields]);
    await upstream.arrived(1);
    socket.destroy();
    await ended;
    await gateway.finished(1);
    expect(gateway.calls[0]).toMatchObject({ status: 0, error: 'cut_off' });
  });

  it('in the middle of the answer ends the provider’s answer', async () => {
    let ended: Promise<unknown> | undefined;
    await start((socket) => {
      ended = once(socket, 'close');
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello');
    });
    const { socket } = await caller([`GET ${PREFIX}/x HTTP/1.1`, ...fields]);
    await once(socket, 'data');
    socket.destroy();
    await ended;
    await gateway.finished(1);
    expect(gateway.calls[0]).toMatchObject({ status: 200, error: 'cut_off' });
  });

  it('in the middle of its body ends the provider’s request', async () => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => sockets.add(socket.on('error', () => {})));
    const port = await listen(server);
    gateway = await startHarness({ upstreamPort: port });
    closeLater(
      () => gateway.close(),
      () => closed(server, sockets),
    );
    const { socket } = await caller([`POST ${PREFIX}/x HTTP/1.1`, 'Content-Length: 10'], 'hello');
    const [provider] = (await once(server, 'connection')) as [Socket];
    await once(provider, 'data');
    socket.destroy();
    await once(provider, 'close');
  });
});
