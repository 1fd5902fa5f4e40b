import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { listen } from '../support/listen.ts';
import { CLIENTS, PREFIX, startHarness } from '../support/proxy-harness.ts';
import { closeLater, closeStage, openCaller, startStage } from '../support/proxy-stage.ts';
import { closed } from '../support/upstream.ts';

afterEach(closeStage);

const PIECE = Buffer.alloc(256 * 1024);
const BYTES = 192 * PIECE.length;
/** More than fits into the buffers of two connections on loopback. */
const BUFFERED_BYTES_MAX = BYTES / 2;

/** Writes the whole body, and counts what the other side has taken of it. */
function pour(socket: Socket): { taken: number } {
  const poured = { taken: 0 };
  for (let sent = 0; sent < BYTES; sent += PIECE.length)
    socket.write(PIECE, () => {
      poured.taken += PIECE.length;
    });
  return poured;
}

/** Gives what has moved once nothing has for a quarter of a second: all buffers on the way are full then. */
async function untilStill(measure: () => number): Promise<number> {
  let last = -1;
  while (measure() !== last) {
    last = measure();
    await wait(250);
  }
  return last;
}

async function untilReceived(socket: Socket, bytes: number): Promise<void> {
  let received = 0;
  socket.on('data', (chunk) => {
    received += chunk.length;
  });
  while (received < bytes) await once(socket, 'data');
}

describe.each(CLIENTS)('over %s, a long answer', (_client, fields) => {
  const get = [`GET ${PREFIX}/x HTTP/1.1`, ...fields];

  it('is not read ahead while it is not decided what becomes of it', async () => {
    let poured = { taken: 0 };
    let decide: ((credential: null) => void) | undefined;
    const { gateway } = await startStage(
      (socket) => {
        socket.write(`HTTP/1.1 401 Unauthorized\r\nContent-Length: ${BYTES}\r\n\r\n`);
        poured = pour(socket);
      },
      { deps: { refreshAfter401: () => new Promise((resolve) => (decide = resolve)) } },
    );
    const { socket } = await openCaller(gateway, get);
    closeLater(() => socket.destroy());
    while (decide === undefined) await new Promise(setImmediate);
    expect(await untilStill(() => poured.taken)).toBeLessThan(BUFFERED_BYTES_MAX);
    decide(null);
    await untilReceived(socket, BYTES);
  });

  it('waits at the provider for a caller that does not read, and goes on with it', async () => {
    let poured = { taken: 0 };
    const { gateway } = await startStage((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${BYTES}\r\n\r\n`);
      poured = pour(socket);
    });
    const { socket } = await openCaller(gateway, get);
    closeLater(() => socket.destroy());
    await once(socket, 'data');
    socket.pause();
    expect(await untilStill(() => poured.taken)).toBeLessThan(BUFFERED_BYTES_MAX);
    socket.resume();
    await untilReceived(socket, BUFFERED_BYTES_MAX);
  });
});

describe('a long upload', () => {
  it('waits at the caller for a provider that does not read, and goes on with it', async () => {
    const silent = createServer({ pauseOnConnect: true });
    const accepted = once(silent, 'connection') as Promise<[Socket]>;
    const gateway = await startHarness({
      upstreamPort: await listen(silent),
      limits: { requestBodyBytesMax: 2 * BYTES },
    });
    const { socket } = await openCaller(gateway, [`PUT ${PREFIX}/x HTTP/1.1`, `Content-Length: ${BYTES}`]);
    const [provider] = await accepted;
    closeLater(
      () => socket.destroy(),
      gateway.close,
      () => closed(silent, [provider]),
    );
    const poured = pour(socket);
    expect(await untilStill(() => poured.taken)).toBeLessThan(BUFFERED_BYTES_MAX);
    provider.resume();
    await untilReceived(provider, BYTES);
  });
});
