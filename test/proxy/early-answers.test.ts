import http from 'node:http';
import https from 'node:https';
import { createServer, type Socket } from 'node:net';
import { createAgents } from '../../src/platform/agents.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '../support/certificate.ts';
import { closeServer, listen } from '../support/listen.ts';
import { type Harness, PREFIX, startHarness, USER_TOKEN } from '../support/proxy-harness.ts';
import { closeLater, closeStage } from '../support/proxy-stage.ts';
import { closed } from '../support/upstream.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
/** Uploads of each kind, some of them at a time: whether the answer or the reset is noticed first is up to chance. */
const TOGETHER = 4;
const ROUNDS = 4;
/** Beyond what any buffer on the way holds the same happens, whatever the size. */
const LARGE_ROUNDS = 1;

afterEach(closeStage);

async function start(upstreamPort: number, tls = false): Promise<Harness> {
  const agents = createAgents({ allowPrivateNetworks: true, maxSockets: 64, ca: TEST_CERTIFICATE });
  const gateway = await startHarness({
    upstreamPort,
    limits: { requestBodyBytesMax: 100 * MIB },
    ...(tls && { apiBase: { protocol: 'https:', hostname: 'localhost' } }),
    deps: { agents },
  });
  closeLater(gateway.close, () => agents.destroy());
  return gateway;
}

/** Sends on until it has the whole answer, as most clients do. */
function upload({ port }: Harness, bytes: number, fields: Record<string, string>): Promise<string> {
  const headers = { authorization: `Bearer ${USER_TOKEN}`, ...fields };
  const request = http.request({ port, host: '127.0.0.1', path: `${PREFIX}/x`, method: 'POST', headers });
  const piece = Buffer.alloc(64 * KIB);
  let left = bytes;
  const send = (): void => {
    while (left > 0) {
      const part = piece.subarray(0, Math.min(left, piece.length));
      left -= part.length;
      if (!request.write(part)) return;
    }
    request.end();
  };
  request.on('drain', send);
  return new Promise((resolve) => {
    const end = (text: string): void => {
      request.destroy();
      resolve(text);
    };
    request.on('error', ({ message }) => end(message));
    request.on('response', async (answer) => {
      let text = '';
      try {
        for await (const chunk of answer) text += String(chunk);
      } catch (error) {
        text += ` then ${error instanceof Error ? error.message : error}`;
      }
      end(`${answer.statusCode} ${answer.headers['gateway-error'] ?? text}`);
    });
    send();
  });
}

/** What became of many uploads, each outcome once. */
async function uploadMany(gateway: Harness, bytes: number, framing: 'length' | 'chunks'): Promise<string[]> {
  const fields: Record<string, string> = framing === 'length' ? { 'content-length': String(bytes) } : {};
  const outcomes = new Set<string>();
  const rounds = bytes > MIB ? LARGE_ROUNDS : ROUNDS;
  for (let round = 0; round < rounds; round += 1) {
    const texts = Array.from({ length: TOGETHER }, () => upload(gateway, bytes, fields));
    for (const text of await Promise.all(texts)) outcomes.add(text);
  }
  return [...outcomes];
}

const SIZES = [
  [64 * KIB, 'length'],
  [64 * KIB, 'chunks'],
  [MIB, 'length'],
  [MIB, 'chunks'],
  [8 * MIB, 'length'],
  [8 * MIB, 'chunks'],
  [50 * MIB, 'length'],
  [50 * MIB, 'chunks'],
] as const;

const refuse: http.RequestListener = (_request, response) => {
  response.writeHead(413, { connection: 'close', 'content-type': 'text/plain' });
  response.end('too large');
};

describe('an answer of a provider that reads nothing of the upload and closes', () => {
  it.each(SIZES)('reaches the caller: %d bytes by %s', async (bytes, framing) => {
    const server = http.createServer(refuse);
    const gateway = await start(await listen(server));
    closeLater(() => closeServer(server));
    expect(await uploadMany(gateway, bytes, framing)).toEqual(['413 too large']);
  });

  it.each(SIZES.slice(2, 4))('over TLS reaches the caller: %d bytes by %s', async (bytes, framing) => {
    const server = https.createServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }, refuse);
    const gateway = await start(await listen(server), true);
    closeLater(() => closeServer(server));
    expect(await uploadMany(gateway, bytes, framing)).toEqual(['413 too large']);
  });
});

/** A provider that reads some bytes, writes `answer`, and resets the connection. */
async function startResetting(answer: string): Promise<Harness> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.once('data', () => {
      socket.pause();
      if (answer === '') socket.resetAndDestroy();
      else socket.write(answer, () => socket.resetAndDestroy());
    });
  });
  const gateway = await start(await listen(server));
  closeLater(() => closed(server, sockets));
  return gateway;
}

describe('a provider that resets the connection during the upload', () => {
  it.each(SIZES.slice(2, 6))('has its whole answer passed on: %d bytes by %s', async (bytes, framing) => {
    const gateway = await startResetting(
      'HTTP/1.1 401 Unauthorized\r\nConnection: close\r\nContent-Length: 5\r\n\r\nearly',
    );
    expect(await uploadMany(gateway, bytes, framing)).toEqual(['401 early']);
  });

  it.each(SIZES.slice(2, 4))('has a cut answer cut: %d bytes by %s', async (bytes, framing) => {
    const gateway = await startResetting('HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nearly');
    const outcomes = await uploadMany(gateway, bytes, framing);
    expect(outcomes.filter((text) => !/^200 early then|hang up|ECONNRESET|^200 {2}then/.test(text))).toEqual(
      [],
    );
  });

  it.each(SIZES.slice(2, 4))('and has not answered is 502: %d bytes by %s', async (bytes, framing) => {
    const gateway = await startResetting('');
    expect(await uploadMany(gateway, bytes, framing)).toEqual(['502 upstream_unreachable']);
  });
});
