import { once } from 'node:events';
import { createServer as createTcpServer, type Socket } from 'node:net';
import type { LostResponseReason } from '../../src/platform/late-responses.ts';
import { createOutbound, OutboundError, type OutboundRequest } from '../../src/platform/outbound.ts';
import { startEvilServer } from '../support/authorization-server.ts';
import { listen } from '../support/listen.ts';

/** Long enough for a connection on a busy machine, without which nothing can have been processed. */
const TIMEOUT_MS = 300;
const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlate';

const server = await startEvilServer();
afterAll(server.close);

type Outcome = { answer: string } | { lost: LostResponseReason };

/** A request that times out, with what is heard of it afterwards. */
function requestLate(outbound: ReturnType<typeof createOutbound>, request: Partial<OutboundRequest> = {}) {
  const heard: string[] = [];
  const { promise: outcome, resolve } = Promise.withResolvers<Outcome>();
  const answered = outbound.request({
    url: server.origin,
    method: 'POST',
    body: 'grant_type=refresh_token',
    timeoutMs: TIMEOUT_MS,
    lateAnswer: {
      withinMs: 60_000,
      onAnswer: ({ body }) => {
        heard.push('answer');
        resolve({ answer: body.toString() });
      },
      onLost: (lost) => {
        heard.push('lost');
        resolve({ lost });
      },
    },
    ...request,
  });
  const rejected = answered.then(
    () => undefined,
    (error: unknown) => {
      heard.push('rejected');
      return error instanceof OutboundError ? error : undefined;
    },
  );
  return { rejected, outcome, heard };
}

/** Has the server take the next request and answer nothing; gives the connection. */
function holdNext(): Promise<Socket> {
  return new Promise((resolve) => {
    server.answer((_request, socket) => {
      resolve(socket);
      return undefined;
    });
  });
}

function createLocal(lateAnswersMax?: number) {
  return createOutbound({
    allowPrivateNetworks: true,
    ...(lateAnswersMax !== undefined && { lateAnswersMax }),
  });
}

it('brings an answer that arrives after the time-out, once, after the caller was told', async () => {
  const outbound = createLocal();
  const held = holdNext();
  const { rejected, outcome, heard } = requestLate(outbound);
  expect(await rejected).toMatchObject({ kind: 'timeout', mayHaveBeenProcessed: true });
  const socket = await held;
  socket.write(ANSWER);
  expect(await outcome).toEqual({ answer: 'late' });
  await outbound.stop();
  expect(heard).toEqual(['rejected', 'answer']);
});

it('closes the connection once the late answer is here', async () => {
  const held = holdNext();
  const { rejected, outcome } = requestLate(createLocal());
  const socket = await held;
  const closed = once(socket, 'close');
  await rejected;
  socket.write(ANSWER);
  await Promise.all([outcome, closed]);
});

it('says that the answer is lost when it does not come within the second limit, and closes', async () => {
  const held = holdNext();
  const heard: LostResponseReason[] = [];
  const { promise: lost, resolve } = Promise.withResolvers<void>();
  const lateAnswer = {
    withinMs: 20,
    onAnswer: () => undefined,
    onLost: (reason: LostResponseReason) => {
      heard.push(reason);
      resolve();
    },
  };
  const { rejected } = requestLate(createLocal(), { lateAnswer });
  const closed = once(await held, 'close');
  await Promise.all([rejected, lost, closed]);
  expect(heard).toEqual(['timeout']);
});

it.each<[LostResponseReason, string, (socket: Socket) => void]>([
  ['network', 'the connection ends', (socket) => socket.destroy()],
  ['network', 'the answer is cut off', (socket) => socket.end(ANSWER.slice(0, -2))],
  ['network', 'the answer is no HTTP', (socket) => socket.end('SSH-2.0\r\n\r\n')],
  ['too_large', 'it is too large', (socket) => socket.write(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(101)}`)],
])('says that the answer is lost (%s) when %s', async (reason, _name, end) => {
  const outbound = createLocal();
  const held = holdNext();
  const { rejected, outcome, heard } = requestLate(outbound, { responseBytesMax: 100 });
  await rejected;
  end(await held);
  expect(await outcome).toEqual({ lost: reason });
  await outbound.stop();
  expect(heard).toEqual(['rejected', 'lost']);
});

it('is silent about a request that is answered in time', async () => {
  const outbound = createLocal();
  server.answer({ status: 200, body: 'in time' });
  const { rejected, heard } = requestLate(outbound, { timeoutMs: 60_000 });
  expect(await rejected).toBeUndefined();
  await outbound.stop();
  expect(heard).toEqual([]);
});

it('ends a request of which not a byte was written, and is silent about it', async () => {
  const sockets: Socket[] = [];
  const silent = createTcpServer((socket) => sockets.push(socket.on('error', () => undefined)));
  const port = await listen(silent);
  const outbound = createLocal();
  const { rejected, heard } = requestLate(outbound, { url: `https://127.0.0.1:${port}/` });
  expect(await rejected).toMatchObject({ kind: 'timeout', mayHaveBeenProcessed: false });
  await Promise.all(sockets.map((socket) => socket.destroyed || once(socket.resume(), 'close')));
  await outbound.stop();
  expect(heard).toEqual(['rejected']);
  silent.close();
});

it('keeps no more exchanges open than it may: the next one is lost at once', async () => {
  const outbound = createLocal(1);
  const first = holdNext();
  const kept = requestLate(outbound);
  const keptSocket = await first;
  await kept.rejected;
  const second = holdNext();
  const refused = requestLate(outbound);
  const closed = once(await second, 'close');
  expect(await refused.outcome).toEqual({ lost: 'too_many' });
  expect(refused.heard).toEqual(['rejected', 'lost']);
  await closed;
  keptSocket.write(ANSWER);
  expect(await kept.outcome).toEqual({ answer: 'late' });
});

it('gives up what is open when it stops, and waits for what is done about it', async () => {
  const outbound = createLocal();
  const held = holdNext();
  const steps: string[] = [];
  const lateAnswer = {
    withinMs: 60_000,
    onAnswer: () => undefined,
    onLost: async (reason: LostResponseReason) => {
      await new Promise(setImmediate);
      steps.push(reason);
    },
  };
  const { rejected } = requestLate(outbound, { lateAnswer });
  const closed = once(await held, 'close');
  await rejected;
  await outbound.stop();
  steps.push('stop');
  expect(steps).toEqual(['stopped', 'stop']);
  await closed;
});
