import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import express from 'express';
import { createAgents } from '../../src/platform/agents.ts';
import { createProxy } from '../../src/proxy/proxy.router.ts';
import { hardenServer, serverOptions } from '../../src/proxy/server.ts';
import { connectionTo, LIMITS, PREFIX, startHarness, USER_TOKEN } from '../support/proxy-harness.ts';
import { exchange, fieldValue, okAnswer, type RawUpstream, startRawUpstream } from '../support/upstream.ts';

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
    const server = http.createServer(serverOptions, app);
    hardenServer(server, { publicUrl: 'http://gateway.test' });
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

  it.each(['/a b', '/a b c', '/a\nb'])('calls white space in the path by its name: %j', async (path) => {
    const gateway = await startHarness({ upstreamPort: upstream.port });
    const answer = await exchange(gateway.port, `GET ${PREFIX}${path} HTTP/1.1\r\nHost: g\r\n\r\n`);
    await gateway.close();
    expect([answer.status, fieldValue(answer.fieldLines, 'gateway-error')]).toEqual([400, 'invalid_path']);
  });

  it('cuts an answer in progress off when garbage follows on the same connection', async () => {
    const silent = await startRawUpstream('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbegun');
    const gateway = await startHarness({ upstreamPort: silent.port });
    const socket = connect(gateway.port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
      if (text.endsWith('begun')) socket.write('\x00garbage\r\n\r\n');
    });
    socket.write(`GET ${PREFIX}/x HTTP/1.1\r\nHost: g\r\nAuthorization: Bearer ${USER_TOKEN}\r\n\r\n`);
    await new Promise((resolve) => socket.on('close', resolve));
    await gateway.close();
    await silent.close();
    expect(text.endsWith('begun')).toBe(true);
  });

  it('has no limit on the length of a whole request, and one on its header section', async () => {
    const gateway = await startHarness({ upstreamPort: upstream.port });
    expect(gateway.server.requestTimeout).toBe(0);
    expect(gateway.server.headersTimeout).toBe(10_000);
    await gateway.close();
  });
});

describe('look-ups that throw where nobody would catch it', () => {
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
