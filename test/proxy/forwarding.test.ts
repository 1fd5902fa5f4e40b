import http from 'node:http';
import { gzipSync } from 'node:zlib';
import { HttpError } from '../../src/http/errors.ts';
import {
  CLIENTS,
  type Harness,
  type HarnessOptions,
  PREFIX,
  startHarness,
  USER_TOKEN,
} from '../support/proxy-harness.ts';
import { closeLater, closeStage, startStage } from '../support/proxy-stage.ts';
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
    expect(upstream.requests[0]?.head).toContain(`Content-Length: ${body.length}`);
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
      await gateway.call('PUT', '/y', ['Content-Length: 2'], 'hi');
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

describe('what never reaches a provider', () => {
  it.each([
    ['CONNECT', 'provider.test:443', [], 405, 'method_not_allowed'],
    ['TRACE', `${PREFIX}/x`, [], 405, 'method_not_allowed'],
    ['GET', `${PREFIX}/x`, ['Upgrade: websocket', 'Connection: Upgrade'], 501, 'upgrade_not_supported'],
    ['OPTIONS', '*', [], 400, 'invalid_path'],
    ['GET', `http://gateway.test${PREFIX}/x`, [], 400, 'invalid_path'],
    ['GET', `${PREFIX}/a/../b`, [], 400, 'invalid_path'],
    ['GET', `${PREFIX}/a/%2e%2E/b`, [], 400, 'invalid_path'],
    ['GET', `${PREFIX}/a%5cb`, [], 400, 'invalid_path'],
    ['GET', `${PREFIX}/a\\b`, [], 400, 'invalid_path'],
    ['GET', `${PREFIX}/a#b`, [], 400, 'invalid_path'],
    ['GET', `${PREFIX}/caf\xe9`, [], 400, 'invalid_path'],
    ['GET', `${PREFIX}/x?token=${USER_TOKEN}`, [], 400, 'invalid_request'],
    ['GET', `${PREFIX}/x?token=${USER_TOKEN.replaceAll('.', '%2E')}`, [], 400, 'invalid_request'],
    [
      'GET',
      `${PREFIX}/x?t=${Buffer.from(`:${USER_TOKEN}`).toString('base64url')}`,
      [],
      400,
      'invalid_request',
    ],
    ['GET', `${PREFIX}/${encodeURIComponent(USER_TOKEN)}/x`, [], 400, 'invalid_request'],
    ['GET', `${PREFIX}/x`, ['Authorization: Bearer igk_abc'], 401, 'token_invalid'],
    ['GET', `${PREFIX}/x`, ['Authorization: Bearer '], 401, 'token_missing'],
    ['GET', `${PREFIX}/x`, ['Gateway-Timeout: 0'], 400, 'invalid_request'],
    ['GET', `${PREFIX}/x`, ['Gateway-Timeout: 601'], 400, 'invalid_request'],
    ['GET', `${PREFIX}/x`, ['Gateway-Rewrite-Links: yes'], 400, 'invalid_request'],
    ['GET', `${PREFIX}/x`, ['Host: other'], 400, 'invalid_request'],
    ['POST', `${PREFIX}/x`, ['Content-Length: 3', 'Content-Length: 4'], 400, 'invalid_request'],
    ['POST', `${PREFIX}/x`, ['Content-Length: 3', 'Transfer-Encoding: chunked'], 400, 'invalid_request'],
    ['POST', `${PREFIX}/x`, ['Transfer-Encoding: gzip, chunked'], 400, 'invalid_request'],
    ['POST', `${PREFIX}/x`, ['Transfer-Encoding: chunked, identity'], 400, 'invalid_request'],
    ['POST', `${PREFIX}/x`, ['Transfer-Encoding : chunked'], 400, 'invalid_request'],
    ['GET', `${PREFIX}/x`, ['X-Folded: a', ' b'], 400, 'invalid_request'],
    ['GET', `${PREFIX}/x`, [`X-Big: ${'b'.repeat(17_000)}`], 431, 'headers_too_large'],
    ['GET', `${PREFIX}/x`, ['Gateway-Retry: 9'], 400, 'invalid_request'],
    ['GET', `${PREFIX}/x`, ['Gateway-Connection: other'], 404, 'connection_not_found'],
    ['GET', `${PREFIX}/x`, ['Gateway-Integration: other'], 404, 'integration_not_found'],
    ['GET', `${PREFIX}/x`, ['Authorization: Bearer bad'], 401, 'token_invalid'],
    ['GET', `${PREFIX}/x`, ['Authorization: Basic eDp5'], 401, 'token_missing'],
    ['GET', PREFIX.replace('demo', 'other'), [], 404, 'provider_unknown'],
    ['GET', PREFIX.replace('demo', 'DEMO'), [], 404, 'provider_unknown'],
    ['GET', '/projects/not-a-uuid/proxy/demo/x', [], 401, 'token_invalid'],
    ['GET', '/projects/0192f0c8-0000-7000-8000-00000000000f/proxy/demo/x', [], 401, 'token_invalid'],
    ['POST', `${PREFIX}/x`, ['Content-Length: 1048577'], 413, 'body_too_large'],
  ])('%s %s %j is %d %s', async (method, target, fields, status, code) => {
    await start(okAnswer('ok'));
    const hasAuth = fields.some((line) => line.startsWith('Authorization'));
    const close = fields.some((line) => line.startsWith('Connection')) ? [] : ['Connection: close'];
    const auth = hasAuth ? [] : [`Authorization: Bearer ${USER_TOKEN}`];
    const answer = await gateway.send([
      `${method} ${target} HTTP/1.1`,
      'Host: g',
      ...auth,
      ...fields,
      ...close,
    ]);
    expect(answer.status).toBe(status);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe(code);
    expect(fieldValue(answer.fieldLines, 'gateway-request-id')).toBeDefined();
    expect(JSON.parse(answer.body)).toMatchObject({ code, status });
    expect(upstream.requests).toHaveLength(0);
  });

  it.each([9_000, 40_000])('is a URL of %i bytes', async (length) => {
    await start(okAnswer('ok'));
    const answer = await gateway.call('GET', `/${'a'.repeat(length)}`);
    expect(answer.status).toBe(414);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('uri_too_long');
    expect(upstream.requests).toHaveLength(0);
  });

  it('is a request without Host', async () => {
    await start(okAnswer('ok'));
    const answer = await gateway.send([
      `GET ${PREFIX}/x HTTP/1.1`,
      `Authorization: Bearer ${USER_TOKEN}`,
      'Connection: close',
    ]);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('invalid_request');
  });

  it('is a request without credentials, whose challenge names no error', async () => {
    await start(okAnswer('ok'));
    const answer = await gateway.send([`GET ${PREFIX}/x HTTP/1.1`, 'Host: g', 'Connection: close']);
    expect(answer.status).toBe(401);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('token_missing');
    expect(fieldValue(answer.fieldLines, 'www-authenticate')).not.toContain('error');
  });

  it('is a request with two credentials', async () => {
    await start(okAnswer('ok'));
    const fields = [`Authorization: Bearer ${USER_TOKEN}`, `authorization: Bearer ${USER_TOKEN}`];
    const answer = await gateway.call('GET', '/x', fields);
    expect(answer.status).toBe(400);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('invalid_request');
    expect(upstream.requests).toHaveLength(0);
  });

  it('is a request hidden behind a body', async () => {
    await start(okAnswer('ok'));
    const hidden = `GET ${PREFIX}/hidden HTTP/1.1\r\nHost: g\r\n\r\n`;
    await gateway.call('POST', '/x', [`Content-Length: ${hidden.length}`], hidden);
    expect(upstream.requests).toHaveLength(1);
    expect(upstream.requests[0]?.body.toString()).toBe(hidden);
  });
});

describe('the user token', () => {
  const places = { callerCredentials: () => CALLER_PLACES };
  const CALLER_PLACES = [
    { in: 'scheme', scheme: 'token' },
    { in: 'header', name: 'X-Shop-Token' },
    { in: 'header', name: 'X-Session', carriesCredential: true },
    { in: 'basic', part: 'password' },
  ] as const;

  it.each([
    [[`Authorization: token ${USER_TOKEN}`], 'Authorization: Bearer provider-token-1'],
    [[`X-Shop-Token: ${USER_TOKEN}`], 'Authorization: Bearer provider-token-1'],
    [[`X-Session: ${USER_TOKEN}`], 'X-Session: provider-token-1'],
    [
      [`Authorization: Basic ${Buffer.from(`ada:${USER_TOKEN}`).toString('base64')}`],
      'Authorization: Bearer provider-token-1',
    ],
    [
      [`Authorization: Basic ${Buffer.from(`${USER_TOKEN}:${USER_TOKEN}`).toString('base64')}`],
      'Authorization: Bearer provider-token-1',
    ],
    [
      [`Authorization: Bearer ${USER_TOKEN}`, 'Connection: authorization', `X-Copy: ${USER_TOKEN}`],
      'Authorization: Bearer provider-token-1',
    ],
  ])('in %j is replaced by the credential in the provider’s own place', async (fields, expected) => {
    await start(okAnswer('ok'), { deps: places });
    const answer = await gateway.call('GET', '/x', fields);
    expect(answer.status).toBe(200);
    expect(upstream.requests[0]?.fieldLines).toContain(expected);
    expect(upstream.requests[0]?.head).not.toContain(USER_TOKEN);
    expect(upstream.requests[0]?.head).not.toMatch(/basic/i);
  });

  it('beside a second place of the provider is refused', async () => {
    await start(okAnswer('ok'), { deps: places });
    const fields = [`Authorization: Bearer ${USER_TOKEN}`, `X-Shop-Token: ${USER_TOKEN}`];
    expect((await gateway.call('GET', '/x', fields)).status).toBe(400);
  });

  it('in another provider’s place is no credential', async () => {
    await start(okAnswer('ok'));
    const answer = await gateway.call('GET', '/x', [`X-Shop-Token: ${USER_TOKEN}`]);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('token_missing');
  });
});

describe('refusals of the look-ups', () => {
  it.each([
    ['reauthorization_required', 424],
    ['connection_not_found', 404],
    ['refresh_unavailable', 503],
  ] as const)('%s, at once or later, is %d', async (code, status) => {
    const refusal = new HttpError(code);
    await start(okAnswer('ok'), {
      deps: {
        resolve: async () => {
          throw refusal;
        },
      },
    });
    expect((await gateway.call('GET', '/x')).status).toBe(status);
    await gateway.close();
    gateway = await startHarness({
      upstreamPort: upstream.port,
      deps: {
        credential: () => {
          throw refusal;
        },
      },
    });
    closeLater(gateway.close);
    const answer = await gateway.call('GET', '/x');
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe(code);
    expect(upstream.requests).toHaveLength(0);
  });

  it('that list ids show them', async () => {
    await start(okAnswer('ok'), {
      deps: {
        resolve: () => {
          throw new HttpError('connection_ambiguous', { extra: { connectionIds: ['a', 'b'] } });
        },
      },
    });
    const answer = await gateway.call('GET', '/x');
    expect(answer.status).toBe(409);
    expect(JSON.parse(answer.body).connectionIds).toEqual(['a', 'b']);
  });

  it('that are no refusals are 500 without their text', async () => {
    await start(okAnswer('ok'), {
      deps: {
        verifyUserToken: async () => {
          throw new Error('secret detail');
        },
      },
    });
    const answer = await gateway.call('GET', '/x');
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain('secret detail');
  });

  it('that come with a promise when cold serve the call as well', async () => {
    await start(okAnswer('ok'), {
      deps: { credential: async () => ({ version: 7, values: { accessToken: 'cold' } }) },
    });
    await gateway.call('GET', '/x');
    expect(upstream.requests[0]?.head).toContain('Bearer cold');
  });

  it('for a credential that HTTP cannot carry are integration_misconfigured', async () => {
    await start(okAnswer('ok'), {
      credential: { version: 1, values: { accessToken: 'a\r\nX-Injected: 1' } },
    });
    const answer = await gateway.call('GET', '/x');
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('integration_misconfigured');
    expect(upstream.requests).toHaveLength(0);
  });
});

describe('an address that is not the proxy’s', () => {
  it('is left to the next handler, untouched', async () => {
    await start(okAnswer('ok'));
    const answer = await new Promise<http.IncomingMessage>((resolve) => {
      http.get({ port: gateway.port, path: '/v1/providers', host: '127.0.0.1', agent: false }, resolve);
    });
    answer.resume();
    expect(answer.statusCode).toBe(404);
    expect(upstream.requests).toHaveLength(0);
  });
});
