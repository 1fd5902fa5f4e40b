import { createServer } from 'node:http';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { ResolveName } from '../../src/platform/address-guard.ts';
import { createOutbound, OutboundError, type OutboundRequest } from '../../src/platform/outbound.ts';
import { startEvilServer } from '../support/authorization-server.ts';
import { closeServer, listen } from '../support/listen.ts';

const local = createOutbound({ allowPrivateNetworks: true });
const guarded = createOutbound({ allowPrivateNetworks: false });

const server = await startEvilServer();
afterAll(server.close);

async function failureOf(request: OutboundRequest, outbound = local): Promise<OutboundError> {
  const outcome = await outbound.request(request).catch((error: unknown) => error);
  if (!(outcome instanceof OutboundError))
    throw new Error(`expected a refusal, got ${JSON.stringify(outcome)}`);
  return outcome;
}

describe('a call that is answered', () => {
  it('sends method, headers and body, and brings back status, headers and the whole body', async () => {
    server.answer({ status: 418, headers: { 'X-Kind': 'teapot' }, body: 'short and stout' });
    const answer = await local.request({
      url: `${server.origin}/brew?cups=2`,
      method: 'POST',
      headers: { 'Content-Type': 'text/plain' },
      body: 'water äöü',
    });
    expect(answer.status).toBe(418);
    expect(answer.headers['x-kind']).toBe('teapot');
    expect(answer.body.toString()).toBe('short and stout');
    const seen = server.seen.at(-1);
    expect(seen).toMatchObject({ method: 'POST', url: '/brew?cups=2', body: 'water äöü' });
    expect(seen?.headers).toMatchObject({ 'content-length': '12', 'accept-encoding': 'identity' });
  });

  it('brings back a redirect without following it', async () => {
    const before = server.seen.length;
    server.answer({ status: 307, headers: { Location: `${server.origin}/elsewhere` } });
    const answer = await local.request({ url: `${server.origin}/here`, method: 'POST', body: 'secret' });
    expect(answer.status).toBe(307);
    expect(server.seen.slice(before).map(({ url }) => url)).toEqual(['/here']);
  });
});

describe('an answer of a server that bends the protocol', () => {
  const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

  // An answer that is thrown away may hold the only copy of a rotated refresh token.
  it.each([
    ['that says 100 Continue unasked', `HTTP/1.1 100 Continue\r\n\r\n${OK}`],
    ['that sends early hints', `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${OK}`],
    ['that puts blanks after a length', 'HTTP/1.1 200 OK\r\nContent-Length: 2  \r\n\r\nok'],
    ['that ends the body with the connection', 'HTTP/1.1 200 OK\r\n\r\nok'],
    [
      'that promises to keep the connection and does not',
      `${OK.replace('\r\n', '\r\nConnection: keep-alive\r\n')}`,
    ],
  ])('is taken from one %s', async (_name, raw) => {
    server.answer((_request, socket) => {
      socket.end(raw);
      return undefined;
    });
    const answer = await local.request({ url: server.origin, method: 'POST', body: 'a=b' });
    expect({ status: answer.status, body: answer.body.toString() }).toEqual({ status: 200, body: 'ok' });
  });

  it('is no answer when the connection is reset in the middle of a body without a length', async () => {
    server.answer((_request, socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n{"access_token":"ab', () => socket.resetAndDestroy());
      return undefined;
    });
    expect(await failureOf({ url: server.origin, method: 'POST', body: 'a=b' })).toMatchObject({
      kind: 'network',
      mayHaveBeenProcessed: true,
    });
  });
});

describe('an answer in a content coding, which was not asked for', () => {
  const text = JSON.stringify({ rows: Array.from({ length: 20_000 }, (_, id) => ({ id })) });
  const bytes = Buffer.byteLength(text);

  it.each([
    ['gzip', gzipSync],
    [' GZip ', gzipSync],
    ['x-gzip', gzipSync],
    ['gzip, gzip', gzipSync],
    ['identity, gzip;q=1,', gzipSync],
    ['gzip', (body: string) => Buffer.concat([gzipSync(body), Buffer.from('\n')])],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
    ['gzip, br', (body: string) => brotliCompressSync(gzipSync(body))],
    // A server in front that puts a page in the place of another's answer leaves its fields.
    ['gzip', (body: string) => Buffer.from(body)],
    ['utf-8', (body: string) => Buffer.from(body)],
    ['constructor', (body: string) => Buffer.from(body)],
  ])('comes as what it is: %j', async (coding, encode) => {
    server.answer({ headers: { 'Content-Encoding': coding }, body: encode(text) });
    const answer = await local.request({ url: server.origin, responseBytesMax: bytes });
    expect(answer.body.toString()).toBe(text);
    expect(answer).not.toHaveProperty('isCut');
  });

  it.each(['gzip', 'deflate', 'br', 'zstd'])('may have no content: %s', async (coding) => {
    for (const method of ['HEAD', 'GET']) {
      server.answer({ status: 204, headers: { 'Content-Encoding': coding } });
      const answer = await local.request({ url: server.origin, method });
      expect(answer).toMatchObject({ status: 204, body: Buffer.alloc(0) });
    }
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ])('is limited in what it becomes, however small it comes: %s', async (coding, encode) => {
    server.answer({ headers: { 'Content-Encoding': coding }, body: encode(Buffer.alloc(50_000_000)) });
    const asked = { url: server.origin, responseBytesMax: 100_000 };
    expect(await failureOf(asked)).toMatchObject({ kind: 'too_large', mayHaveBeenProcessed: true });
    const cut = await local.request({ ...asked, isCutWhereTooLarge: true });
    expect(cut).toMatchObject({ status: 200, isCut: true, body: Buffer.alloc(0) });
  });

  it.each(['deflate', 'br', 'zstd'])('that is not what it says (%s) has its status alone', async (coding) => {
    server.answer({ status: 401, headers: { 'Content-Encoding': coding }, body: 'no such thing' });
    const answer = await local.request({ url: server.origin });
    expect(answer).toMatchObject({ status: 401, isCut: true, body: Buffer.alloc(0) });
  });

  it('that is coded many times over has its status alone: each time costs as much as the whole', async () => {
    const codings = Array<string>(5).fill('gzip');
    const body = codings.reduce<Buffer>((rest) => gzipSync(rest), Buffer.from('ok'));
    server.answer({ status: 401, headers: { 'Content-Encoding': codings.join() }, body });
    const answer = await local.request({ url: server.origin });
    expect(answer).toMatchObject({ status: 401, isCut: true, body: Buffer.alloc(0) });
  });

  it('has come when its last byte has, whatever becomes of the connection', async () => {
    const coded = gzipSync(text);
    server.answer((_request, socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${coded.length}\r\n\r\n`);
      socket.write(coded, () => socket.resetAndDestroy());
      return undefined;
    });
    const answer = await local.request({ url: server.origin, responseBytesMax: bytes });
    expect(answer.body.toString()).toBe(text);
  });

  it('is what has come of it where it breaks off', async () => {
    const coded = gzipSync(text);
    server.answer((_request, socket) => {
      const length = `Content-Length: ${coded.length}`;
      socket.write(`HTTP/1.1 502 Bad Gateway\r\nContent-Encoding: gzip\r\n${length}\r\n\r\n`);
      socket.write(coded.subarray(0, coded.length - 100), () => socket.destroySoon());
      return undefined;
    });
    const asked = { url: server.origin, responseBytesMax: bytes, isCutTaken: true };
    const { isCut, body } = await local.request(asked);
    expect(isCut).toBe(true);
    expect(body.length).toBeGreaterThan(1_000);
    expect(text.startsWith(body.toString())).toBe(true);
    expect(await failureOf({ ...asked, isCutTaken: false })).toMatchObject({ kind: 'network' });
  });
});

describe('addresses', () => {
  it.each([
    ['loopback', 'https://127.0.0.1/'],
    ['loopback in another notation', 'https://0x7f.1/'],
    ['loopback as one number', 'https://2130706433/'],
    ['a private network', 'https://10.1.2.3/'],
    ['cloud metadata', 'https://169.254.169.254/latest/meta-data'],
    ['IPv6 loopback', 'https://[::1]/'],
    ['an IPv4 address inside IPv6', 'https://[::ffff:127.0.0.1]/'],
    ['a unique local address', 'https://[fd00::1]/'],
  ])('refuses %s', async (_name, url) => {
    expect(await failureOf({ url }, guarded)).toMatchObject({
      kind: 'refused_address',
      mayHaveBeenProcessed: false,
    });
  });

  it.each([
    ['http', 'http://example.com/'],
    ['another scheme', 'ftp://example.com/'],
    ['a file', 'file:///etc/passwd'],
    ['userinfo', 'https://user:pass@example.com/'],
    ['no address', 'example.com'],
  ])('refuses %s as an invalid URL', async (_name, url) => {
    expect(await failureOf({ url }, guarded)).toMatchObject({
      kind: 'invalid_url',
      mayHaveBeenProcessed: false,
    });
  });

  it('refuses userinfo and other schemes even where private networks are allowed', async () => {
    expect(await failureOf({ url: 'http://user:pass@127.0.0.1/' })).toMatchObject({ kind: 'invalid_url' });
    expect(await failureOf({ url: 'file:///etc/passwd' })).toMatchObject({ kind: 'invalid_url' });
  });

  it.each([
    ['only a private address', ['127.0.0.1']],
    ['a public and a private address', ['93.184.215.14', '127.0.0.1']],
    ['no address at all', []],
  ])('refuses a name with %s, having asked once and connected nowhere', async (_name, addresses) => {
    let asked = 0;
    let connected = 0;
    const target = createServer();
    target.on('connection', () => {
      connected += 1;
    });
    const port = await listen(target);
    const resolveName: ResolveName = (_hostname, callback) => {
      asked += 1;
      callback(
        null,
        addresses.map((address) => ({ address, family: 4 })),
      );
    };
    const outbound = createOutbound({ allowPrivateNetworks: false, resolveName });
    const failure = await failureOf({ url: `https://rebinding.example:${port}/` }, outbound);
    await closeServer(target);
    expect(failure).toMatchObject({ kind: 'refused_address', mayHaveBeenProcessed: false });
    expect({ asked, connected }).toEqual({ asked: 1, connected: 0 });
  });

  it('judges a name again on every call, so that one good answer opens nothing for the next', async () => {
    const answers = [['127.0.0.1'], ['10.0.0.1'], ['169.254.169.254']];
    const resolveName: ResolveName = (_hostname, callback) =>
      callback(
        null,
        (answers.shift() ?? []).map((address) => ({ address, family: 4 })),
      );
    const outbound = createOutbound({ allowPrivateNetworks: false, resolveName });
    for (let call = 0; call < 3; call += 1) {
      expect(await failureOf({ url: 'https://rebinding.example/' }, outbound)).toMatchObject({
        kind: 'refused_address',
      });
    }
    expect(answers).toEqual([]);
  });
});

describe('a call that brings no answer', () => {
  it('ends when the answer is too large, however it is sent', async () => {
    server.answer({ body: 'x'.repeat(1001) });
    const failure = await failureOf({ url: server.origin, responseBytesMax: 1000 });
    expect(failure).toMatchObject({ kind: 'too_large', mayHaveBeenProcessed: true });
    server.answer({ body: 'x'.repeat(1000) });
    expect((await local.request({ url: server.origin, responseBytesMax: 1000 })).body).toHaveLength(1000);
  });

  it('ends when nothing comes', async () => {
    server.answer(() => undefined);
    // Long enough for the connection to be made, without which nothing can have been processed.
    const failure = await failureOf({ url: server.origin, timeoutMs: 1_000 });
    expect(failure).toMatchObject({ kind: 'timeout', mayHaveBeenProcessed: true });
  });

  it('ends when the body trickles without end', async () => {
    let trickle: NodeJS.Timeout | undefined;
    server.answer((_request, socket) => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      trickle = setInterval(() => socket.write('1\r\nx\r\n'), 5);
      socket.on('close', () => clearInterval(trickle));
      return undefined;
    });
    const failure = await failureOf({ url: server.origin, timeoutMs: 80 });
    clearInterval(trickle);
    expect(failure.kind).toBe('timeout');
  });

  it.each([
    ['is cut off in the middle', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'],
    ['is no HTTP', 'SSH-2.0-OpenSSH_9.9\r\n\r\n'],
    [
      'switches protocols',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: evil\r\n\r\n',
    ],
    ['is nothing', ''],
  ])(
    'counts an answer that %s as a network failure after which the server may have acted',
    async (_name, raw) => {
      server.answer((_request, socket) => {
        socket.end(raw);
        return undefined;
      });
      expect(await failureOf({ url: server.origin })).toMatchObject({
        kind: 'network',
        mayHaveBeenProcessed: true,
      });
    },
  );

  it('knows that nothing was processed where the connection is refused', async () => {
    const gone = createServer();
    const port = await listen(gone);
    await closeServer(gone);
    const failure = await failureOf({ url: `http://127.0.0.1:${port}/` });
    expect(failure).toMatchObject({ kind: 'network', mayHaveBeenProcessed: false });
  });

  it('knows a server that does not speak TLS, and that nothing was processed', async () => {
    server.answer({ status: 200 });
    const failure = await failureOf({ url: `https://127.0.0.1:${server.port}/` });
    expect(failure).toMatchObject({ kind: 'tls', mayHaveBeenProcessed: false });
  });

  it('ends when the caller gives up, before or during the call', async () => {
    expect(await failureOf({ url: server.origin, signal: AbortSignal.abort() })).toMatchObject({
      kind: 'aborted',
    });
    const controller = new AbortController();
    server.answer(() => {
      controller.abort();
      return undefined;
    });
    expect(await failureOf({ url: server.origin, signal: controller.signal })).toMatchObject({
      kind: 'aborted',
    });
  });
});

it('never shows path, query or body in an error', async () => {
  server.answer((_request, socket) => {
    socket.end('leak-in-answer\r\n\r\n');
    return undefined;
  });
  const request = {
    url: `${server.origin}/leak-in-path?token=leak-in-query`,
    method: 'POST',
    body: 'leak-in-body',
  };
  const failure = await failureOf(request);
  expect(`${failure.message} ${failure.stack} ${JSON.stringify(failure)}`).not.toContain('leak');
  expect(failure.message).toContain(server.origin);
});
