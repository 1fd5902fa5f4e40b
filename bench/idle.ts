import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { cpuSeconds, residentMiB } from './load.ts';
import { type Running, startPlainUpstream, streamAt, variants } from './variants.ts';

/**
 * `npm run bench:idle`: what the gateway's process, its store not counted, takes of memory with nothing to do, with
 * connections that have made one call each and stay, and with event streams of a provider that stay open. Needs as many open
 * files (`ulimit -n`) as connections.
 */
const { values: options } = parseArgs({
  options: {
    connections: { type: 'string', default: '10000' },
    streams: { type: 'string', default: '1000' },
    /** Before the first look, so that what a start leaves is gone. */
    settle: { type: 'string', default: '30' },
  },
});
const SETTLE_MS = 5_000;
const AT_A_TIME = 50;

const upstream = await startPlainUpstream();
const rows: Record<string, unknown>[] = [];
const [gateway] = variants.filter(({ name }) => name === 'gateway');
const startedAtMs = performance.now();
const server = await gateway?.start(upstream.url);
try {
  if (server !== undefined) await measure(server);
  console.table(rows);
} finally {
  await server?.stop();
  await upstream.stop();
}

async function measure(server: Running): Promise<void> {
  const startMs = Math.round(performance.now() - startedAtMs);
  rows.push({ state: 'set up', 'wall ms': startMs, 'CPU ms': (await cpuSeconds(server.pid)) * 1000 });
  await delay(Number(options.settle) * 1000);
  await note('idle', server);
  const calls = await openAll(server.url, server.headers, Number(options.connections));
  await note(`${calls.length} connections, one call each`, server);
  for (const socket of calls) socket.destroy();
  await note('these closed', server);
  const streams = await openAll(streamAt(server.url), server.headers, Number(options.streams));
  await note(`${streams.length} event streams`, server);
  for (const socket of streams) socket.destroy();
}

async function note(state: string, { pid }: Running): Promise<void> {
  await delay(SETTLE_MS);
  rows.push({ state, 'resident MiB': await residentMiB(pid) });
}

async function openAll(url: string, headers: Running['headers'], count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const next = Math.min(AT_A_TIME, count - sockets.length);
    sockets.push(...(await Promise.all(Array.from({ length: next }, () => open(new URL(url), headers)))));
  }
  return sockets;
}

/** Sends one call and resolves with its answer's first bytes. */
function open(url: URL, headers: Running['headers']): Promise<Socket> {
  const fields = Object.entries({ Host: url.host, Accept: '*/*', ...headers });
  const head = [
    `GET ${url.pathname}${url.search} HTTP/1.1`,
    ...fields.map(([name, value]) => `${name}: ${value}`),
  ];
  return new Promise((resolve, reject) => {
    const socket = connect({ host: url.hostname, port: Number(url.port) });
    socket.once('error', reject);
    socket.once('data', (piece) => {
      socket.off('error', reject).on('error', () => socket.destroy());
      if (piece.toString('latin1').startsWith('HTTP/1.1 200')) resolve(socket);
      else reject(new Error(piece.toString('latin1').slice(0, 200)));
    });
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
  });
}
