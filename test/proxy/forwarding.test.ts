import { gzipSync } from 'node:zlib';
import { CLIENTS, type Harness, type HarnessOptions, PREFIX, USER_TOKEN } from '../support/proxy-harness.ts';
import { closeStage, startStage } from '../support/proxy-stage.ts';
import { fieldValue, okAnswer, type RawAnswer, type RawUpstream } from '../support/upstream.ts';

let upstream: RawUpstream;
let gateway: Harness;

async function start(answer: RawAnswer, options: Partial<HarnessOptions> = {}): Promise<void> {
  ({ upstream, gateway } = await startStage(answer, options));
}

afterEach(closeStage);

describe('a request', () => {
  it('reaches the provider with the bytes of its target, order, case and duplicates of its fields', async () => {
    await start(okAnswer('done'), { apiBase: { basePath: '/base' } });
    await gateway.call('GET', '//a%2Fb/%zz/C;x=1?b=2&a=1&a=%20&B', [
      'X-Two: 2',
      'x-one: 1',
      'X-Two: 3',
      'Accept: */*',
    ]);
    expect(upstream.requests[0]?.requestLine).toBe('GET /base//a%2Fb/%zz/C;x=1?b=2&a=1&a=%20&B HTTP/1.1');
    // Host and Connection are the gateway's own.
    const own = (line: string): boolean => /^(?:host|connection|content-length):/i.test(line);
    const lines = upstream.requests[0]?.fieldLines ?? [];
    expect(lines.filter((line) => !own(line))).toEqual([
      'Authorization: Bearer provider-token-1',
      'X-Two: 2',
      'x-one: 1',
      'X-Two: 3',
      'Accept: */*',
    ]);
    expect(lines.filter((line) => /^host:/i.test(line)).map((line) => line.slice(5).trim())).toEqual([
      `127.0.0.1:${upstream.port}`,
    ]);
  });

  it.each(['//evil.example/x', '//a:b/x', '/@evil.example/', '/http://evil.example/'])(
    'with the path %s goes to the connection’s origin',
    async (path) => {
      await start(okAnswer('ok'));
      const answer = await gateway.call('GET', path);
      expect(answer.status).toBe(200);
      expect(upstream.requests[0]?.requestLine).toBe(`GET ${path} HTTP/1.1`);
    },
  );

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])(
    'keeps the method %s',
    async (method) => {
      await start(okAnswer('ok'));
      await gateway.call(method, '/x');
      expect(upstream.requests[0]?.requestLine).toBe(`${method} /x HTTP/1.1`);
    },
  );

  it.each(['GET', 'POST', 'DELETE'])('with %s carries its body byte for byte', async (method) => {
    await start(okAnswer('ok'));
    const body = '{"big": 12345678901234567890, "a":1,"a":2 }\r\n\r\n\xff\xfe';
    await gateway.call(
      method,
      '/x',
      [`Content-Length: ${body.length}`, 'Content-Type: application/json'],
      body,
    );
    expect(upstream.requests[0]?.body.toString('latin1')).toBe(body);
    expect(fieldValue(upstream.requests[0]?.fieldLines ?? [], 'content-length')).toBe(String(body.length));
    expect(upstream.requests[0]?.head).not.toMatch(/transfer-encoding/i);
  });

  it.each(['POST', 'DELETE', 'GET'])(
    'with %s and a chunked body arrives whole, on a connection that is used again',
    async (method) => {
      await start(okAnswer('ok'));
      const chunks = '5\r\nhello\r\n6;ext=1\r\n world\r\n0\r\nX-Trailer: 1\r\n\r\n';
      const answer = await gateway.call(
        method,
        '/x',
        ['Transfer-Encoding: chunked', 'Trailer: X-Trailer'],
        chunks,
      );
      expect(answer.status).toBe(200);
      expect(upstream.requests[0]?.body.toString()).toBe('hello world');
      expect(upstream.requests[0]?.head).not.toMatch(/connection: close/i);
      expect(upstream.requests[0]?.head).not.toMatch(/trailer/i);
      await gateway.finished(1);
      await gateway.call('PUT', '/y', ['Transfer-Encoding: chunked'], '2\r\nhi\r\n0\r\n\r\n');
      expect(upstream.requests).toHaveLength(2);
      expect(upstream.connectionCount()).toBe(1);
    },
  );

  it('over HTTP/1.0 is served', async () => {
    await start(okAnswer('ok'));
    const answer = await gateway.send([`GET ${PREFIX}/x HTTP/1.0`, `Authorization: Bearer ${USER_TOKEN}`]);
    expect(answer.status).toBe(200);
    expect(answer.body).toBe('ok');
    expect(upstream.requests[0]?.fieldLines[0]).toMatch(
      new RegExp(`^host: 127.0.0.1:${upstream.port}$`, 'i'),
    );
  });

  it('after another uses the provider’s connection again', async () => {
    await start(okAnswer('ok'));
    for (let count = 1; count <= 3; count += 1) {
      await gateway.call('GET', '/x');
      await gateway.finished(count);
    }
    expect(upstream.requests).toHaveLength(3);
    expect(upstream.connectionCount()).toBe(1);
  });
});

describe('Expect: 100-continue', () => {
  it('is answered by the gateway, is not forwarded, and does not keep the user token in the request', async () => {
    await start(okAnswer('ok'));
    const answer = await gateway.call('POST', '/x', ['Expect: 100-continue', 'Content-Length: 5'], 'hello');
    expect(answer.text.startsWith('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200')).toBe(true);
    expect(upstream.requests[0]?.body.toString()).toBe('hello');
    expect(upstream.requests[0]?.head).not.toMatch(/expect/i);
    expect(upstream.requests[0]?.head).not.toContain(USER_TOKEN);
    expect(upstream.requests[0]?.head).toContain('Authorization: Bearer provider-token-1');
  });

  it('gets a refusal instead of 100 when the call is refused', async () => {
    await start(okAnswer('ok'));
    const fields = ['Expect: 100-continue', 'Content-Length: 5', 'Authorization: Bearer bad'];
    const answer = await gateway.call('POST', '/x', fields);
    expect(answer.head).toContain('HTTP/1.1 401');
    expect(upstream.requests).toHaveLength(0);
  });

  it('with any other value is 417', async () => {
    await start(okAnswer('ok'));
    const answer = await gateway.call('POST', '/x', ['Expect: 200-ok', 'Content-Length: 0']);
    expect(answer.status).toBe(417);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('expectation_failed');
    expect(upstream.requests).toHaveLength(0);
  });
});

describe.each(CLIENTS)('over %s, an answer', (_client, marks) => {
  it('comes with the provider’s status line, fields and bytes, and what belongs to connections and origins left out', async () => {
    const fields = [
      'X-B: 1',
      'x-a: 2',
      'X-B: 3',
      'Set-Cookie: s=1',
      'Keep-Alive: timeout=5',
      'Gateway-Error: forged',
    ];
    const text = `HTTP/1.1 418 I'm a teapot\r\n${fields.join('\r\n')}\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nContent-Length: 4\r\n\r\n\x00\xff\r\n`;
    await start(Buffer.from(text, 'latin1'));
    const answer = await gateway.call('GET', '/x', marks);
    expect(answer.head.startsWith("HTTP/1.1 418 I'm a teapot\r\n")).toBe(true);
    expect(answer.fieldLines.slice(0, 4)).toEqual(['X-B: 1', 'x-a: 2', 'X-B: 3', 'Content-Length: 4']);
    expect(answer.head).not.toMatch(/set-cookie|gateway-error|x-hop|timeout=5/i);
    expect(fieldValue(answer.fieldLines, 'gateway-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.body).toBe('\x00\xff\r\n');
  });

  it('keeps a reason phrase beyond ASCII', async () => {
    await start(Buffer.from('HTTP/1.1 418 Théière\r\nContent-Length: 0\r\n\r\n'));
    const answer = await gateway.call('GET', '/x', marks);
    expect(Buffer.from(answer.head, 'latin1').toString()).toMatch(/^HTTP\/1\.1 418 Théière\r\n/);
  });

  it('keeps its content coding', async () => {
    const packed = gzipSync('hello');
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n`;
    await start(Buffer.concat([Buffer.from(head), packed]));
    const answer = await gateway.call('GET', '/x', [...marks, 'Accept-Encoding: gzip']);
    expect(Buffer.from(answer.body, 'latin1').equals(packed)).toBe(true);
  });

  it('to HEAD has the length and no body', async () => {
    await start('HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n');
    const answer = await gateway.call('HEAD', '/x');
    expect(fieldValue(answer.fieldLines, 'content-length')).toBe('1234');
    expect(answer.body).toBe('');
  });

  it.each([
    ['204 No Content', ''],
    ['304 Not Modified', 'ETag: "1"\r\n'],
    ['205 Reset Content', 'Content-Length: 0\r\n'],
  ])('of %s has no body', async (status, fields) => {
    await start(`HTTP/1.1 ${status}\r\n${fields}\r\n`);
    const answer = await gateway.call('GET', '/x', marks);
    expect(answer.head.startsWith(`HTTP/1.1 ${status}`)).toBe(true);
    expect(answer.body).toBe('');
    expect(answer.head).not.toMatch(/transfer-encoding/i);
  });

  it('to a range passes as 206', async () => {
    await start('HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 2-3/10\r\nContent-Length: 2\r\n\r\ncd');
    const answer = await gateway.call('GET', '/x', [...marks, 'Range: bytes=2-3']);
    expect(answer.status).toBe(206);
    expect(fieldValue(answer.fieldLines, 'content-range')).toBe('bytes 2-3/10');
    expect(answer.body).toBe('cd');
    expect(upstream.requests[0]?.head).toContain('Range: bytes=2-3');
  });

  it('that redirects is passed, not followed', async () => {
    await start('HTTP/1.1 302 Found\r\nLocation: http://elsewhere.example/\r\nContent-Length: 0\r\n\r\n');
    const answer = await gateway.call('GET', '/x', marks);
    expect(answer.status).toBe(302);
    expect(fieldValue(answer.fieldLines, 'location')).toBe('http://elsewhere.example/');
    expect(upstream.requests).toHaveLength(1);
  });

  it('after informational ones is the final one', async () => {
    await start(`HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${okAnswer('final')}`);
    const answer = await gateway.call('GET', '/x', marks);
    expect(answer.head.startsWith('HTTP/1.1 200 OK')).toBe(true);
    expect(answer.body).toBe('final');
  });
});

describe('an answer in pieces', () => {
  it('in chunks with trailers arrives whole, without the trailers and without their announcement', async () => {
    await start(
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n3\r\nabc\r\n3\r\ndef\r\n0\r\nX-T: 1\r\n\r\n',
    );
    const answer = await fetch(gateway.url, { headers: { authorization: `Bearer ${USER_TOKEN}` } });
    expect(await answer.text()).toBe('abcdef');
    expect(answer.headers.get('trailer')).toBeNull();
  });

  it('as an event stream flows event by event, its head before the first event', async () => {
    let send = (_text: string): void => {};
    await start((socket) => {
      socket.write(
        'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n',
      );
      send = (text) => socket.write(`${text.length.toString(16)}\r\n${text}\r\n`);
    });
    const answer = await fetch(gateway.url, { headers: { authorization: `Bearer ${USER_TOKEN}` } });
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    const reader = answer.body?.getReader();
    for (const event of ['data: 1\n\n', 'data: 2\n\n']) {
      send(event);
      const read = await reader?.read();
      expect(Buffer.from(read?.value ?? []).toString()).toBe(event);
    }
    await reader?.cancel();
  });
});
