import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { type Fault, type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { listen } from '../support/listen.ts';
import { until } from '../support/until.ts';

const ANSWER = 'answer of the server';

let server: Server;
let proxy: FaultProxy;
const heard: string[] = [];
const sockets = new Set<Socket>();

beforeAll(async () => {
  server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.on('data', (chunk) => {
      heard.push(String(chunk));
      socket.write(ANSWER);
    });
  });
  proxy = await startFaultProxy({ host: '127.0.0.1', port: await listen(server) });
});
afterEach(() => proxy.inject(undefined));
afterAll(async () => {
  await proxy.close();
  for (const socket of sockets) socket.destroy();
  server.close();
});

type Heard = { text: string; end: 'open' | 'end' | 'ECONNRESET' };

/** Sends a word, and collects what comes until the connection ends or has brought `length` bytes. */
async function ask(word: string, length = Number.POSITIVE_INFINITY): Promise<Heard> {
  const socket = connect(proxy.port, '127.0.0.1');
  const result: Heard = { text: '', end: 'open' };
  const ended = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => {
      result.text += chunk.toString('latin1');
      if (result.text.length >= length) resolve();
    });
    socket.on('end', () => {
      result.end = 'end';
      resolve();
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      result.end = error.code === 'ECONNRESET' ? 'ECONNRESET' : 'open';
      resolve();
    });
  });
  await once(socket, 'connect');
  socket.write(word);
  await ended;
  socket.destroy();
  return result;
}

describe('the proxy for faults', () => {
  it.each<[string, Fault | undefined, Heard]>([
    ['without a fault carries everything', undefined, { text: ANSWER, end: 'open' }],
    ['with latency carries everything', { kind: 'latency', ms: 5 }, { text: ANSWER, end: 'open' }],
    ['on a narrow line, too', { kind: 'bandwidth', bytesPerSecond: 400 }, { text: ANSWER, end: 'open' }],
    ['byte by byte, too', { kind: 'dribble', everyMs: 1 }, { text: ANSWER, end: 'open' }],
    ['resets after so many bytes', { kind: 'reset', after: 6 }, { text: 'answer', end: 'ECONNRESET' }],
    ['ends after so many bytes', { kind: 'end', after: 6 }, { text: 'answer', end: 'end' }],
    ['ends without a byte', { kind: 'end', after: 0 }, { text: '', end: 'end' }],
    ['answers garbage', { kind: 'garbage', bytes: 'nonsense' }, { text: 'nonsense', end: 'end' }],
  ])('%s', async (_title, fault, expected) => {
    proxy.inject(fault);
    const { text, end } = await ask('word', expected.end === 'open' ? expected.text.length : undefined);
    expect(expected.end === 'ECONNRESET' ? end : { text, end }).toEqual(
      expected.end === 'ECONNRESET' ? 'ECONNRESET' : expected,
    );
  });

  it('turns bits over from a byte on', async () => {
    proxy.inject({ kind: 'corruption', after: 6 });
    const { text } = await ask('word', ANSWER.length);
    expect(text.slice(0, 6)).toBe('answer');
    expect(text.slice(6)).not.toBe(ANSWER.slice(6));
  });

  it('lets a silent server hear, and a black hole nothing; both end when the fault goes', async () => {
    for (const fault of [{ kind: 'silence', after: 0 }, { kind: 'black hole' }] as const) {
      proxy.inject(fault);
      heard.length = 0;
      const before = proxy.connections();
      const asked = ask('word');
      await until(() => proxy.connections() > before);
      if (fault.kind === 'silence') await until(() => heard.includes('word'));
      else {
        proxy.inject(fault);
        expect(heard).toEqual([]);
      }
      proxy.inject(undefined);
      // A word that had not been read yet is carried now.
      await Promise.race([asked, until(() => heard.includes('word'))]);
    }
  });

  it('refuses connections until it accepts them again', async () => {
    await proxy.refuse();
    await expect(ask('word')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await proxy.accept();
    expect(await ask('word', ANSWER.length)).toMatchObject({ text: ANSWER });
  });
});
