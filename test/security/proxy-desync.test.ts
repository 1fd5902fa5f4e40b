import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { listen } from '../support/listen.ts';
import { type Harness, PREFIX, startHarness, USER_TOKEN } from '../support/proxy-harness.ts';
import { closeLater, closeStage, startStage } from '../support/proxy-stage.ts';
import { untilClosed } from '../support/until-closed.ts';
import { fieldValue, okAnswer, type RawAnswer, type RawUpstream } from '../support/upstream.ts';

/** Neither side may make the gateway see message borders where the other one sees none (RFC 9112 section 11.2). */

let upstream: RawUpstream;
let gateway: Harness;

async function start(answer: RawAnswer): Promise<void> {
  ({ upstream, gateway } = await startStage(answer));
}

afterEach(closeStage);

const SMUGGLED = `GET ${PREFIX}/smuggled HTTP/1.1\r\nHost: g\r\nX-Smuggled: 1\r\n\r\n`;
const head = (method: string, fields: readonly string[]): string =>
  [
    `${method} ${PREFIX}/x HTTP/1.1`,
    'Host: g',
    `Authorization: Bearer ${USER_TOKEN}`,
    ...fields,
    '',
    '',
  ].join('\r\n');

/** Sends bytes as they are and gathers what comes until the gateway closes the connection. */
async function tell(bytes: string): Promise<string> {
  const socket = connect(gateway.port, '127.0.0.1').on('error', () => {});
  const received: Buffer[] = [];
  socket.on('data', (chunk) => received.push(chunk));
  socket.end(Buffer.from(bytes, 'latin1'));
  await untilClosed(socket);
  return Buffer.concat(received).toString('latin1');
}

describe('a caller cannot hide a request from the gateway', () => {
  const chunked = `0\r\n\r\n${SMUGGLED}`;
  it.each<[string, readonly string[], string]>([
    ['length and chunks', [`Content-Length: ${chunked.length}`, 'Transfer-Encoding: chunked'], chunked],
    ['chunks and length', ['Transfer-Encoding: chunked', 'Content-Length: 4'], `5c\r\n${SMUGGLED}0\r\n\r\n`],
    ['a tab before the coding', ['Transfer-Encoding:\tchunked', 'Content-Length: 4'], chunked],
    ['a vertical tab before the coding', ['Transfer-Encoding:\x0bchunked'], chunked],
    ['an unknown coding', ['Transfer-Encoding: xchunked'], chunked],
    ['two codings', ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], chunked],
    ['a quoted coding', ['Transfer-Encoding: "chunked"'], chunked],
    ['a coding under an underscore', ['Transfer_Encoding: chunked', 'Content-Length: 0'], chunked],
    ['a coding in a bare line feed', ['X-A: b\nTransfer-Encoding: chunked'], chunked],
    ['a coding in a bare carriage return', ['X-A: b\rTransfer-Encoding: chunked'], chunked],
    ['a length with a sign', ['Content-Length: +0'], SMUGGLED],
    ['a length in hexadecimal', ['Content-Length: 0x0'], SMUGGLED],
    ['a list of lengths', ['Content-Length: 0, 0'], SMUGGLED],
    ['a length beyond all numbers', ['Content-Length: 18446744073709551616'], SMUGGLED],
    ['a chunk size beyond all numbers', ['Transfer-Encoding: chunked'], `10000000000000000\r\n${SMUGGLED}`],
    ['a chunk size with a sign', ['Transfer-Encoding: chunked'], `-1\r\n${SMUGGLED}`],
    [
      'a chunk extension with a line feed',
      ['Transfer-Encoding: chunked'],
      `1;a\nb\r\nx\r\n0\r\n\r\n${SMUGGLED}`,
    ],
    ['a chunk without its end', ['Transfer-Encoding: chunked'], `1\r\nxx0\r\n\r\n${SMUGGLED}`],
    [
      'a body announced in a trailer',
      ['Transfer-Encoding: chunked'],
      `0\r\nContent-Length: 50\r\n\r\n${SMUGGLED}`,
    ],
    ['a field name with a blank', ['Content-Length : 0'], SMUGGLED],
    [
      'an upgrade',
      ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk'],
      SMUGGLED,
    ],
  ])('(%s)', async (_what, fields, body) => {
    await start(okAnswer('ok'));
    await tell(head('POST', fields) + body);
    // What came behind is a request of its own, without a token, or none at all; it is never part of another.
    for (const request of upstream.requests) {
      expect(request.requestLine).toBe('POST /x HTTP/1.1');
      expect(request.head).not.toMatch(/smuggled|underscore|h2c/i);
      expect(request.head.match(/^(content-length|transfer-encoding)\b/gim)).toHaveLength(1);
    }
    expect(upstream.requests.length).toBeLessThanOrEqual(1);
  });
});

describe('the provider’s connection', () => {
  /** A caller that announces 100 bytes of body and sends five of them. */
  async function begin(): Promise<Socket> {
    const socket = connect(gateway.port, '127.0.0.1').on('error', () => {});
    socket.write(`${head('POST', ['Content-Length: 100'])}hello`);
    await once(socket, 'connect');
    return socket;
  }

  it('is not used again while a body is owed on it, however early the answer', async () => {
    const early = await earlyProvider();
    gateway = await startHarness({ upstreamPort: early.port });
    closeLater(gateway.close, early.close);
    const caller = await begin();
    const [answer] = await once(caller, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 413 /);
    const [first] = early.sockets;
    if (first?.destroyed === false) await once(first, 'close');
    caller.end(`${SMUGGLED}${'x'.repeat(100)}`);
    await gateway.call('GET', '/next');
    expect(early.sockets).toHaveLength(2);
    expect(early.received[0]).not.toContain('smuggled');
    expect(early.received[1]).toMatch(/^GET \/next HTTP\/1\.1\r\n/);
    caller.destroy();
  });

  it('is not used again after a caller that left in the middle of its body', async () => {
    const early = await earlyProvider({ isSilent: true });
    gateway = await startHarness({ upstreamPort: early.port });
    closeLater(gateway.close, early.close);
    const caller = await begin();
    await early.arrived(1);
    caller.destroy();
    const [first] = early.sockets;
    if (first?.destroyed === false) await once(first, 'close');
    const next = gateway.call('GET', '/next');
    await early.arrived(2);
    early.sockets[1]?.write(okAnswer('fine'));
    expect((await next).body).toBe('fine');
    expect(early.received[1]).toMatch(/^GET \/next HTTP\/1\.1\r\n/);
  });
});

it('a request that waits behind an answer gets none, and reaches no provider, when that is cut off', async () => {
  const provider: Socket[] = [];
  await start((socket) => {
    provider.push(socket);
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbegun');
  });
  const socket = connect(gateway.port, '127.0.0.1').on('error', () => {});
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  socket.write(head('GET', []) + head('GET', []).replace('/x ', '/next '));
  while (!text.endsWith('begun')) await once(socket, 'data');
  provider[0]?.destroy();
  await untilClosed(socket);
  expect(text.endsWith('begun')).toBe(true);
  expect(upstream.requests).toHaveLength(1);
});

describe('a provider cannot write into the gateway’s answer', () => {
  it.each([
    ['a bare carriage return in a field', 'X-A: b\rGateway-Error: forged'],
    ['a bare line feed in a field', 'X-A: b\nGateway-Error: forged'],
    ['a folded field', 'X-A: b\r\n Gateway-Error: forged'],
    ['a field name with a blank', 'Gateway-Error : forged'],
    ['a field of the gateway’s', 'Gateway-Error: forged'],
    ['such a field in other letters', 'gATEWAY-eRROR: forged'],
    ['a grant to every origin', 'Access-Control-Allow-Origin: *'],
    ['a cookie', 'Set-Cookie: gateway_connect_x=forged; Path=/'],
    ['an order to the server in front', 'X-Accel-Redirect: /internal'],
  ])('(%s)', async (_what, line) => {
    await start(`HTTP/1.1 200 OK\r\n${line}\r\nContent-Length: 2\r\n\r\nok`);
    const answer = await gateway.call('GET', '/x');
    for (const name of ['access-control-allow-origin', 'set-cookie', 'x-accel-redirect']) {
      expect(fieldValue(answer.fieldLines, name)).toBeUndefined();
    }
    expect(fieldValue(answer.fieldLines, 'gateway-error') ?? 'upstream_invalid_response').toBe(
      'upstream_invalid_response',
    );
  });
});

/** Says 413 (or nothing) as soon as anything arrives, and keeps its connections open. */
async function earlyProvider({ isSilent = false } = {}) {
  const sockets: Socket[] = [];
  const received: string[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const server = createServer((socket) => {
    const index = sockets.push(socket.on('error', () => {})) - 1;
    socket.on('data', (chunk) => {
      const isFirst = received[index] === undefined;
      received[index] = (received[index] ?? '') + chunk.toString('latin1');
      if (isFirst && !isSilent) socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno');
      for (const { count, resolve } of waiting) if (received.length >= count) resolve();
    });
  });
  const port = await listen(server);
  return {
    port,
    sockets,
    received,
    arrived: (count: number) =>
      new Promise<void>((resolve) => {
        if (received.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
