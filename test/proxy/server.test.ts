import { execFile } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import express from 'express';
import fc from 'fast-check';
import { createAgents } from '../../src/platform/agents.ts';
import { createProxy } from '../../src/proxy/proxy.router.ts';
import { openServer } from '../../src/proxy/server.ts';
import { closeServer, listen } from '../support/listen.ts';
import { connectionTo, LIMITS, PREFIX, startHarness, USER_TOKEN } from '../support/proxy-harness.ts';
import { untilClosed } from '../support/until-closed.ts';
import { exchange, fieldValue, okAnswer, type RawUpstream, startRawUpstream } from '../support/upstream.ts';

const run = promisify(execFile);
const slowly = async (projectId: string) => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  return { projectId, subject: 'user-1' };
};
let upstream: RawUpstream;

beforeEach(async () => {
  upstream = await startRawUpstream(okAnswer('ok'));
});

afterEach(() => upstream.close());

describe('the proxy as the first middleware of an Express app', () => {
  it('forwards its own addresses byte for byte and leaves the others to the app', async () => {
    const agents = createAgents({ allowPrivateNetworks: true, maxSockets: 4 });
    const connection = connectionTo(upstream.port);
    const proxy = createProxy({
      publicUrl: 'http://gateway.test',
      log: { info() {}, warn() {}, error() {} },
      now: Date.now,
      agents,
      limits: LIMITS,
      verifyUserToken: (projectId) => ({ projectId, subject: 'user-1' }),
      isAllowedOrigin: () => false,
      resolve: () => connection,
      credential: () => ({ version: 1, values: { accessToken: 'a' } }),
      refreshAfter401: async () => null,
      noteUse() {},
      callerCredentials: () => [],
    });
    const app = express();
    app.use(proxy);
    app.use(express.json());
    app.post('/v1/things', (request, response) => {
      response.json({ got: request.body });
    });
    const server = openServer(app, { publicUrl: 'http://gateway.test' });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const head = `Host: g\r\nAuthorization: Bearer ${USER_TOKEN}\r\nConnection: close\r\nContent-Length: 7\r\n`;

    const proxied = await exchange(port, `POST ${PREFIX}/a%2f..b/%?x=%zz HTTP/1.1\r\n${head}\r\n{"a":1}`);
    const own = await exchange(
      port,
      `POST /v1/things HTTP/1.1\r\n${head}Expect: 100-continue\r\nContent-Type: application/json\r\n\r\n{"a":1}`,
    );
    proxy.close();
    agents.destroy();
    await new Promise((resolve) => server.close(resolve));

    expect(proxied.body).toBe('ok');
    expect(upstream.requests[0]?.requestLine).toBe('POST /a%2f..b/%?x=%zz HTTP/1.1');
    expect(upstream.requests[0]?.body.toString()).toBe('{"a":1}');
    expect(own.text).toContain('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK');
    expect(own.text).toContain('{"got":{"a":1}}');
    expect(upstream.requests).toHaveLength(1);
  });
});

describe('the server', () => {
  it('refuses what is not HTTP with a problem, and closes the connection', async () => {
    const gateway = await startHarness({ upstreamPort: upstream.port });
    const answer = await exchange(gateway.port, 'NOT HTTP AT ALL\r\n\r\n');
    await gateway.close();
    expect(answer.status).toBe(400);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('invalid_request');
    expect(fieldValue(answer.fieldLines, 'content-type')).toBe('application/problem+json');
    expect(fieldValue(answer.fieldLines, 'connection')).toBe('close');
  });

  it.each([
    [`${PREFIX}/x`, 'application/json'],
    ['/v1/things', 'application/problem+json'],
  ])('refuses an unknown expectation of %s as %s', async (path, type) => {
    const gateway = await startHarness({ upstreamPort: upstream.port });
    const answer = await exchange(
      gateway.port,
      `GET ${path} HTTP/1.1\r\nHost: g\r\nExpect: 200-ok\r\nConnection: close\r\n\r\n`,
    );
    await gateway.close();
    expect([answer.status, fieldValue(answer.fieldLines, 'gateway-error')]).toEqual([
      ...[417, 'expectation_failed'],
    ]);
    expect(fieldValue(answer.fieldLines, 'content-type')).toBe(type);
    expect(upstream.requests).toHaveLength(0);
  });

  it.each(['/a b', '/a b c', '/a\nb'])('calls white space in the path by its name: %j', async (path) => {
    const gateway = await startHarness({ upstreamPort: upstream.port });
    const answer = await exchange(gateway.port, `GET ${PREFIX}${path} HTTP/1.1\r\nHost: g\r\n\r\n`);
    await gateway.close();
    expect([answer.status, fieldValue(answer.fieldLines, 'gateway-error')]).toEqual([400, 'invalid_path']);
  });

  it('finishes an answer in progress when garbage follows on the same connection, and refuses that after it', async () => {
    const provider: Socket[] = [];
    const slow = await startRawUpstream((socket) => {
      provider.push(socket);
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nbegun');
    });
    const gateway = await startHarness({ upstreamPort: slow.port });
    const socket = connect(gateway.port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
      if (!text.endsWith('begun')) return;
      socket.write('\x00garbage\r\n\r\n', () => provider[0]?.write('ended'));
    });
    socket.write(`GET ${PREFIX}/x HTTP/1.1\r\nHost: g\r\nAuthorization: Bearer ${USER_TOKEN}\r\n\r\n`);
    await untilClosed(socket);
    await gateway.close();
    await slow.close();
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*begunendedHTTP\/1\.1 400 /);
  });

  it.each([
    ['a malformed request', 'NO HTTP\r\n\r\n', 'HTTP/1.1 400 '],
    [
      'an upgrade',
      `GET ${PREFIX}/x HTTP/1.1\r\nHost: g\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n`,
      'HTTP/1.1 501 ',
    ],
    ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: g\r\n\r\n', 'HTTP/1.1 405 '],
  ])('answers a POST before %s that came behind it', async (_what, second, refusal) => {
    const gateway = await startHarness({ upstreamPort: upstream.port });
    const head = `POST ${PREFIX}/x HTTP/1.1\r\nHost: g\r\nAuthorization: Bearer ${USER_TOKEN}\r\nContent-Length: 2\r\n\r\nhi`;
    const { text } = await exchange(gateway.port, head + second);
    await gateway.close();
    expect(text.indexOf('HTTP/1.1 200 OK')).toBe(0);
    expect(text.indexOf(refusal)).toBeGreaterThan(0);
    expect(text.match(/HTTP\/1\.1 /g)).toHaveLength(2);
  });

  it('never sends a second answer behind one that is complete, whatever becomes of the rest of the body', async () => {
    const early = http.createServer((_request, response) => response.end('early'));
    const gateway = await startHarness({ upstreamPort: await listen(early) });
    const head = `POST ${PREFIX}/x HTTP/1.1\r\nHost: g\r\nAuthorization: Bearer ${USER_TOKEN}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`;
    for (const rest of ['zz\r\nmalformed', undefined]) {
      const socket = connect(gateway.port, '127.0.0.1', () => socket.write(head));
      let text = '';
      socket.on('error', () => {});
      socket.on('data', (chunk) => {
        text += String(chunk);
        if (!text.endsWith('0\r\n\r\n') && !text.endsWith('early')) return;
        if (rest === undefined) socket.end();
        else socket.write(rest);
      });
      await untilClosed(socket);
      expect(text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
      expect(text).toContain('early');
    }
    await gateway.close();
    await closeServer(early);
  });

  it.each([
    ['at once', {}],
    ['while it is looked up who calls', { verifyUserToken: slowly }],
  ])('refuses a malformed body that comes with its head, %s, and goes on', async (_when, deps) => {
    const gateway = await startHarness({ upstreamPort: upstream.port, deps });
    const fields = ['Expect: 100-continue', 'Transfer-Encoding: chunked'];
    const answers = await Promise.all(
      ['zz\r\n', '5\r\nhello\r\nzz\r\n', '5\r\nhelloo', '0\r\nX : y\r\n\r\n'].flatMap((body) => [
        gateway.call('POST', '/x', fields, body),
        gateway.call('POST', '/x', fields.slice(1), body),
      ]),
    );
    await gateway.finished(answers.length);
    const next = await gateway.call('GET', '/y');
    await gateway.close();
    expect(new Set(answers.map(({ text }) => text.includes('HTTP/1.1 400 ')))).toEqual(new Set([true]));
    expect(next.body).toBe('ok');
  });

  it('survives whatever is sent to it', async () => {
    const gateway = await startHarness({ upstreamPort: upstream.port, limits: { firstByteTimeoutMs: 100 } });
    const part = fc.constantFrom(
      ...[
        `GET ${PREFIX}/x HTTP/1.1\r\n`,
        `POST ${PREFIX}/x HTTP/1.1\r\n`,
        'GET / HTTP/1.0\r\n',
        '\r\n',
        'Host: g\r\n',
      ],
      ...[
        `Authorization: Bearer ${USER_TOKEN}\r\n`,
        'Content-Length: 5\r\n',
        'Transfer-Encoding: chunked\r\n',
      ],
      ...[
        'Expect: 100-continue\r\n',
        'Connection: close\r\n',
        'Upgrade: x\r\nConnection: Upgrade\r\n',
        'hello',
      ],
      ...[
        '0\r\n\r\n',
        'zz',
        '\0',
        'Gateway-Retry: 1\r\n',
        `Gateway-Rewrite-Links: true\r\n`,
        'CONNECT a:1 HTTP/1.1\r\n',
      ],
    );
    const head = `POST ${PREFIX}/x HTTP/1.1\r\nHost: g\r\nAuthorization: Bearer ${USER_TOKEN}\r\n`;
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.array(part, { maxLength: 12 }), async (isBegun, parts) => {
        const socket = connect({ port: gateway.port, host: '127.0.0.1' }).on('error', () => {});
        socket.resume();
        socket.end((isBegun ? head : '') + parts.join(''));
        await Promise.race([untilClosed(socket), new Promise((resolve) => setTimeout(resolve, 50))]);
        socket.destroy();
      }),
      { numRuns: 300 },
    );
    expect((await gateway.call('GET', '/y')).body).toBe('ok');
    await gateway.close();
  });

  it('answers a request whose sender ended its side of the connection behind it', async () => {
    const provider: Socket[] = [];
    const slow = await startRawUpstream((socket) => void provider.push(socket));
    const gateway = await startHarness({ upstreamPort: slow.port });
    const socket = connect({ port: gateway.port, host: '127.0.0.1', allowHalfOpen: true });
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
    });
    socket.end(`GET ${PREFIX}/x HTTP/1.1\r\nHost: g\r\nAuthorization: Bearer ${USER_TOKEN}\r\n\r\n`);
    await slow.arrived(1);
    // A sign that its sender is not taken for gone.
    while (!text.includes('100 Continue')) await once(socket, 'data');
    provider[0]?.write(okAnswer('late'));
    await untilClosed(socket);
    await gateway.close();
    await slow.close();
    expect(text.replaceAll('HTTP/1.1 100 Continue\r\n\r\n', '')).toMatch(
      /^HTTP\/1\.1 200 OK\r\n[\s\S]*late$/,
    );
  });

  it('refuses a request whose sender ended its side in the middle of the body', async () => {
    const gateway = await startHarness({ upstreamPort: upstream.port });
    const socket = connect({ port: gateway.port, host: '127.0.0.1', allowHalfOpen: true });
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
    });
    const head = `POST ${PREFIX}/x HTTP/1.1\r\nHost: g\r\nAuthorization: Bearer ${USER_TOKEN}\r\nContent-Length: 9\r\n\r\n`;
    socket.end(`${head}four`);
    await untilClosed(socket);
    await gateway.finished(1);
    await gateway.close();
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });

  it.each([
    ['HTTP/2.0', 'GET', 'Host: g', 505],
    ['HTTP/0.9', 'GET', 'Host: g', 505],
    ['HTTP/3.0', 'GET', 'Host: g', 505],
    ['HTTP/1.0', 'POST', 'Host: g\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked', 400],
    ['HTTP/1.1', 'POST', 'Host: g\r\nTransfer-Encoding: gzip', 400],
    ['HTTP/1.1', 'POST', 'Host: g\r\nTransfer-Encoding: xchunked', 400],
    ['HTTP/1.1', 'POST', 'Host: g\r\nTransfer-Encoding: gzip, chunked', 400],
    ['HTTP/1.1', 'GET', 'Host: a/b', 400],
    ['HTTP/1.1', 'GET', 'Host: u@b', 400],
    ['HTTP/1.1', 'GET', 'Host: a b', 400],
    ['HTTP/1.1', 'GET', 'Host: a:b:c', 400],
    ['HTTP/1.1', 'GET', 'Host: a:b', 400],
    ['HTTP/1.1', 'GET', 'Host: [::1', 400],
    ['HTTP/1.1', 'GET', 'Host: a?b', 400],
    ['HTTP/1.1', 'GET', 'Host: a,b', 200],
    ['HTTP/1.1', 'GET', 'Host: [::1]:80', 200],
    ['HTTP/1.1', 'GET', 'Host: gateway.example:', 200],
  ])('takes a message of %s, %s and %j for what it is', async (version, method, fields, status) => {
    const gateway = await startHarness({ upstreamPort: upstream.port });
    const body = method === 'POST' ? '0\r\n\r\n' : '';
    const close = status === 200 ? 'Connection: close\r\n' : '';
    const head = `${method} ${PREFIX}/x ${version}\r\n${fields}\r\n${close}Authorization: Bearer ${USER_TOKEN}\r\n\r\n`;
    // The connection of such a sender is closed.
    const answer = await exchange(gateway.port, head + body);
    await gateway.close();
    expect(answer.status).toBe(status);
    expect(fieldValue(answer.fieldLines, 'connection')).toBe('close');
    expect(upstream.requests).toHaveLength(status === 200 ? 1 : 0);
  });

  it('has no limit on the length of a whole request, and one on its header section', async () => {
    const gateway = await startHarness({ upstreamPort: upstream.port });
    expect(gateway.server.requestTimeout).toBe(0);
    expect(gateway.server.headersTimeout).toBe(10_000);
    await gateway.close();
  });
});

it('a log that fails, in a call that is refused after a look-up, ends neither call nor process', async () => {
  const script = new URL('../support/faulty-log-process.ts', import.meta.url).pathname;
  const { stdout } = await run(process.execPath, [script]);
  expect(stdout.trim().split('\n')).toEqual(['demo refusal: 401', 'demo fault: 500', 'odd refusal: cut off']);
});

describe('look-ups that throw outside of a promise', () => {
  it('end the call, not the process', async () => {
    const unauthorized = await startRawUpstream('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n');
    const gateway = await startHarness({
      upstreamPort: unauthorized.port,
      deps: {
        refreshAfter401() {
          throw new Error('broken');
        },
      },
    });
    const answer = await gateway.call('POST', '/x', ['Content-Length: 2'], 'hi');
    expect(answer.status).toBe(500);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('internal_error');
    await gateway.close();
    await unauthorized.close();
  });

  it('do not harm an answer when they are the log', async () => {
    const gateway = await startHarness({
      upstreamPort: upstream.port,
      deps: {
        accessLog() {
          throw new Error('disk full');
        },
      },
    });
    expect((await gateway.call('GET', '/x')).body).toBe('ok');
    expect((await gateway.call('GET', '/y')).body).toBe('ok');
    await gateway.close();
  });
});
