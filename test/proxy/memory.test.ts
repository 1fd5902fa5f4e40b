import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';

/** Twice what memory may grow by. */
const STREAM_BYTES = 128 * 1024 * 1024;
const GROWTH_BYTES_MAX = 64 * 1024 * 1024;

let gateway: ChildProcess;
let provider: http.Server;
let url: string;
let headers: Record<string, string>;

/** The same megabyte over and over; `hash` takes note of it. */
async function* stream(hash: { update(chunk: Buffer): unknown }): AsyncGenerator<Buffer> {
  const megabyte = Buffer.alloc(1024 * 1024);
  for (let index = 0; index < megabyte.length; index += 1)
    megabyte[index] = (index * 31 + (index >> 8)) & 0xff;
  for (let sent = 0; sent < STREAM_BYTES; sent += megabyte.length) {
    hash.update(megabyte);
    yield megabyte;
  }
}

async function residentBytes(): Promise<number> {
  const status = await readFile(`/proc/${gateway.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024;
}

/** Highest resident memory of the gateway while something runs, over what it was before. */
async function growthDuring(work: Promise<unknown>): Promise<number> {
  const before = await residentBytes();
  let highest = before;
  let isDone = false;
  work.finally(() => (isDone = true)).catch(() => {});
  while (!isDone) {
    highest = Math.max(highest, await residentBytes());
    await wait(20);
  }
  await work;
  return highest - before;
}

beforeAll(async () => {
  provider = http.createServer(async (request, response) => {
    if (request.method === 'GET') {
      response.setHeader('Content-Length', STREAM_BYTES);
      // A caller that leaves is no fault here.
      await pipeline(Readable.from(stream({ update() {} })), response).catch(() => {});
      return;
    }
    const hash = createHash('sha256');
    for await (const chunk of request) hash.update(chunk);
    response.end(hash.digest('hex'));
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const { port } = provider.address() as AddressInfo;
  const script = new URL('../support/proxy-process.ts', import.meta.url).pathname;
  gateway = spawn(
    process.execPath,
    [script, '--upstream', `http://127.0.0.1:${port}`, '--body-max', '1000000000'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const lines = createInterface({ input: gateway.stdout ?? Readable.from([]) });
  const [line] = (await once(lines, 'line')) as [string];
  ({ url, headers } = JSON.parse(line) as { url: string; headers: Record<string, string> });
  // Node collects read buffers when some tens of megabytes have gathered, so the first stream takes that much once;
  // what must not grow is everything after it.
  const first = await fetch(`${url}/warm`, { headers });
  await first.arrayBuffer();
});

afterAll(async () => {
  gateway.kill('SIGTERM');
  provider.closeAllConnections();
  await new Promise((resolve) => provider.close(resolve));
});

describe('128 MiB through the gateway', () => {
  it('to the caller arrive unchanged in flat memory', async () => {
    const expected = createHash('sha256');
    for await (const _chunk of stream(expected)) {
      // Only the digest is wanted.
    }
    const received = createHash('sha256');
    const growth = await growthDuring(
      (async () => {
        const answer = await fetch(`${url}/big`, { headers });
        if (answer.body) for await (const chunk of answer.body) received.update(chunk);
      })(),
    );
    expect(received.digest('hex')).toBe(expected.digest('hex'));
    expect(growth).toBeLessThan(GROWTH_BYTES_MAX);
  });

  it('to the provider arrive unchanged in flat memory', async () => {
    const sent = createHash('sha256');
    let text = '';
    const growth = await growthDuring(
      new Promise<void>((resolve, reject) => {
        const request = http.request(`${url}/big`, {
          method: 'PUT',
          headers: { ...headers, 'Content-Length': STREAM_BYTES },
        });
        request.on('response', (answer) => {
          answer.on('data', (chunk) => {
            text += String(chunk);
          });
          answer.on('end', resolve);
        });
        pipeline(Readable.from(stream(sent)), request).catch(reject);
      }),
    );
    expect(text).toBe(sent.digest('hex'));
    expect(growth).toBeLessThan(GROWTH_BYTES_MAX);
  });

  it('to a caller that stops reading wait at the provider', async () => {
    const { hostname, port, pathname } = new URL(url);
    let socket: import('node:net').Socket | undefined;
    const growth = await growthDuring(
      (async () => {
        const request = http.get({ hostname, port, path: `${pathname}/big`, headers, agent: false });
        const [answer] = (await once(request, 'response')) as [http.IncomingMessage];
        socket = answer.socket;
        answer.pause();
        // Until nothing moves any more, all buffers on the way are full.
        for (let last = -1; socket.bytesRead !== last; ) {
          last = socket.bytesRead;
          await wait(200);
        }
        expect(socket.bytesRead).toBeLessThan(STREAM_BYTES / 4);
      })(),
    );
    socket?.destroy();
    expect(growth).toBeLessThan(GROWTH_BYTES_MAX);
  });
});
