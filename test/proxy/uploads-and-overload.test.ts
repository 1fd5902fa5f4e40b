import { once } from 'node:events';
import http from 'node:http';
import { createServer, type Socket } from 'node:net';
import { closeServer, listen } from '../support/listen.ts';
import {
  type Harness,
  type HarnessOptions,
  PREFIX,
  startHarness,
  USER_TOKEN,
} from '../support/proxy-harness.ts';
import { closeLater, closeStage, openCaller, startStage } from '../support/proxy-stage.ts';
import {
  closed,
  fieldValue,
  okAnswer,
  type RawAnswer,
  type RawUpstream,
  readAnswer,
} from '../support/upstream.ts';

let upstream: RawUpstream;
let gateway: Harness;

async function start(answer: RawAnswer, options: Partial<HarnessOptions> = {}): Promise<void> {
  ({ upstream, gateway } = await startStage(answer, options));
}

afterEach(closeStage);

const caller = (head: readonly string[], body?: string) => openCaller(gateway, head, body);

describe('a large upload', () => {
  it('that exceeds the limit in chunks is 413, and the provider’s request ends', async () => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket.on('error', () => {}));
      socket.resume();
    });
    gateway = await startHarness({
      upstreamPort: await listen(server),
      limits: { requestBodyBytesMax: 1000 },
    });
    closeLater(
      () => gateway.close(),
      () => closed(server, sockets),
    );
    const chunk = `3e8\r\n${'x'.repeat(1000)}\r\n`;
    const answer = await gateway.call(
      'POST',
      '/x',
      ['Transfer-Encoding: chunked'],
      `${chunk}${chunk}0\r\n\r\n`,
    );
    expect(answer.status).toBe(413);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('body_too_large');
    for (const socket of sockets) if (!socket.destroyed) await once(socket, 'close');
  });

  it('gets the provider’s early answer, whole', async () => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket.on('error', () => {}));
      socket.once('data', () =>
        socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 5\r\nConnection: close\r\n\r\nearly'),
      );
    });
    gateway = await startHarness({
      upstreamPort: await listen(server),
      limits: { requestBodyBytesMax: 10_000_000 },
    });
    closeLater(
      () => gateway.close(),
      () => closed(server, sockets),
    );
    const body = 'x'.repeat(5_000_000);
    const answer = await gateway.call('POST', '/x', [`Content-Length: ${body.length}`], body);
    expect(answer.status).toBe(401);
    expect(answer.body).toBe('early');
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBeUndefined();
  });
});

describe('an answer before the end of the upload', () => {
  const SIZE = 64 * 1024;
  const CHUNKS = 40;

  /** Sends on until it has the whole answer, as most clients do. */
  function upload(port: number, fields: Record<string, string>): Promise<string> {
    return new Promise((resolve) => {
      const headers = { authorization: `Bearer ${USER_TOKEN}`, ...fields };
      const request = http.request({ port, host: '127.0.0.1', path: `${PREFIX}/x`, method: 'POST', headers });
      const end = (text: string) => {
        request.destroy();
        resolve(text);
      };
      let sent = 0;
      const send = () => {
        while (sent < CHUNKS) {
          sent += 1;
          if (!request.write(Buffer.alloc(SIZE))) return;
        }
        request.end();
      };
      request.on('drain', send);
      request.on('error', ({ message }) => end(message));
      request.on('response', async (answer) => {
        let text = '';
        try {
          for await (const chunk of answer) text += String(chunk);
        } catch (error) {
          text = String(error);
        }
        end(`${answer.statusCode} ${text}`);
      });
      send();
    });
  }

  it.each([
    ['a length', 'keeps', { 'content-length': String(SIZE * CHUNKS) }],
    ['a length', 'closes', { 'content-length': String(SIZE * CHUNKS), connection: 'close' }],
    ['chunks', 'keeps', { 'transfer-encoding': 'chunked' }],
    ['chunks', 'closes', { 'transfer-encoding': 'chunked', connection: 'close' }],
  ])('of %s arrives, each time, at a caller that %s its connection', async (_framing, _caller, fields) => {
    // As Express answers: at once, without reading, on a connection that stays.
    const provider = http.createServer((_request, response) => {
      response.statusCode = 413;
      response.end('early');
    });
    gateway = await startHarness({
      upstreamPort: await listen(provider),
      limits: { requestBodyBytesMax: 10_000_000 },
    });
    closeLater(
      () => gateway.close(),
      () => closeServer(provider),
    );
    const answers = new Set<string>();
    for (let count = 0; count < 6; count += 1) answers.add(await upload(gateway.port, fields));
    expect([...answers]).toEqual(['413 early']);
  });

  it('is followed by the end of a connection that the caller asked to close, once its body is read', async () => {
    await start((socket) => void socket.write(okAnswer('never')));
    const { socket, received } = await caller(
      [`POST ${PREFIX}/x HTTP/1.1`, 'Connection: close', 'Content-Length: 10', 'Gateway-Retry: 9'],
      'hello',
    );
    while (!Buffer.concat(received).includes('requestId')) await once(socket, 'data');
    // Another call takes longer than an end that is on its way.
    await gateway.call('GET', '/y');
    expect(socket.readableEnded).toBe(false);
    socket.write('world');
    await once(socket, 'end');
    expect(readAnswer(received).status).toBe(400);
  });
});

describe('too much at once', () => {
  it('is 503 with the time to wait, and passes when a call has finished', async () => {
    const held: Socket[] = [];
    await start(
      (socket, _request, index) => {
        if (index === 0) held.push(socket);
        else socket.write(okAnswer('ok'));
      },
      { limits: { concurrency: { total: 1 } } },
    );
    const { socket } = await caller([`GET ${PREFIX}/x HTTP/1.1`]);
    await upstream.arrived(1);
    const refused = await gateway.call('GET', '/y');
    expect(refused.status).toBe(503);
    expect(fieldValue(refused.fieldLines, 'gateway-error')).toBe('overloaded');
    expect(fieldValue(refused.fieldLines, 'retry-after')).toBe('1');
    expect(refused.body).toContain('as many calls in flight as it may have');
    held[0]?.write(okAnswer('first'));
    await gateway.finished(2);
    socket.destroy();
    expect((await gateway.call('GET', '/z')).body).toBe('ok');
  });

  it.each([
    ['provider', { perOrigin: 1 }, 'This provider has 1 calls'],
    ['connection', { perConnection: 1 }, 'This connection has'],
    ['user', { perUser: 1 }, 'This user has'],
    ['project', { perProject: 1 }, 'This project has'],
  ])(
    'for one %s is 429 that says so, without a request to the provider, and passes later',
    async (_whose, concurrency, words) => {
      const held: Socket[] = [];
      await start(
        (socket, _request, index) => {
          if (index === 0) held.push(socket);
          else socket.write(okAnswer('ok'));
        },
        { limits: { concurrency } },
      );
      const { socket } = await caller([`GET ${PREFIX}/x HTTP/1.1`]);
      await upstream.arrived(1);
      const refused = await gateway.call('GET', '/y');
      expect(refused.status).toBe(429);
      expect(fieldValue(refused.fieldLines, 'gateway-error')).toBe('rate_limited');
      expect(fieldValue(refused.fieldLines, 'retry-after')).toBe('1');
      expect(JSON.parse(refused.body).detail).toContain(words);
      expect(upstream.requests).toHaveLength(1);
      held[0]?.write(okAnswer('first'));
      await gateway.finished(2);
      socket.destroy();
      expect((await gateway.call('GET', '/z')).body).toBe('ok');
    },
  );

  it('leaves room for the others: one user’s hanging calls refuse no other user’s, nor do those of a dead call', async () => {
    const other = `${USER_TOKEN}-2`;
    await start(
      (socket, { fieldLines }) => {
        if (fieldValue(fieldLines, 'x-hang') === undefined) socket.write(okAnswer('ok'));
      },
      {
        limits: { concurrency: { total: 6, perUser: 3, perProject: 5 } },
        deps: {
          verifyUserToken: (projectId, token) => ({
            projectId,
            subject: token === other ? 'other' : 'user-1',
          }),
        },
      },
    );
    const hanging = await Promise.all([1, 2, 3].map(() => caller([`GET ${PREFIX}/x HTTP/1.1`, 'X-Hang: 1'])));
    await upstream.arrived(3);
    expect((await gateway.call('GET', '/own')).status).toBe(429);
    expect((await gateway.call('GET', '/x', [`Authorization: Bearer ${other}`])).body).toBe('ok');
    for (const { socket } of hanging) socket.destroy();
    await gateway.finished(5);
    expect((await gateway.call('GET', '/own')).body).toBe('ok');
  });

  it('of tokens whose verification hangs is 429 for their project, and no other', async () => {
    const waiting: (() => void)[] = [];
    await start(okAnswer('ok'), {
      limits: { concurrency: { total: 6, perProject: 1 } },
      deps: {
        verifyUserToken(projectId, token) {
          if (token !== 'slow') return { projectId, subject: 'user-1' };
          return new Promise((resolve) => waiting.push(() => resolve({ projectId, subject: 'user-2' })));
        },
      },
    });
    const slow = gateway.call('GET', '/x', ['Authorization: Bearer slow']);
    while (waiting.length === 0) await new Promise(setImmediate);
    const refused = await gateway.call('GET', '/x', ['Authorization: Bearer slow']);
    expect(refused.status).toBe(429);
    expect(JSON.parse(refused.body).detail).toContain('being verified');
    // A token that is known already does not wait in that queue.
    expect((await gateway.call('GET', '/x')).body).toBe('ok');
    for (const resolve of waiting) resolve();
    expect((await slow).body).toBe('ok');
  });

  it('from one user is 429 with the rate and the time to wait', async () => {
    await start(okAnswer('ok'), {
      limits: { perUserRate: { limit: 2, windowSeconds: 60 } },
    });
    expect((await gateway.call('GET', '/1')).status).toBe(200);
    expect((await gateway.call('GET', '/2')).status).toBe(200);
    const refused = await gateway.call('GET', '/3');
    expect(refused.status).toBe(429);
    expect(fieldValue(refused.fieldLines, 'retry-after')).toBe('30');
    expect(fieldValue(refused.fieldLines, 'ratelimit-policy')).toBe('"user";q=2;w=60');
    expect(upstream.requests).toHaveLength(2);
  });
});
