import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Answer, takeAnswer } from './answers.ts';

/** An answer that has not come by then never will: many times what the slowest takes on a busy machine. */
const SILENCE_MS = 30_000;

export class NoAnswer extends Error {}

export type Told = {
  /** Final answers in order. */
  readonly answers: readonly Answer[];
  /** What could not be read as an answer. */
  readonly fault: string | undefined;
};

/**
 * Writes packets as they are, ends this side, and reads until the other one has ended. `methods`: of the requests as a strict
 * reader finds them; answers beyond are read as those to a GET.
 */
export async function tell(
  port: number,
  packets: readonly Buffer[],
  methods: readonly string[],
): Promise<Told> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const received: Buffer[] = [];
  socket.on('data', (chunk) => received.push(chunk));
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  await Promise.race([once(socket, 'connect').catch(() => {}), closed]);
  for (const packet of packets) {
    if (!socket.writable) break;
    await new Promise<void>((resolve) => socket.write(packet, () => setImmediate(resolve)));
  }
  if (socket.writable) socket.end();
  await within(closed, socket);
  return readAll(Buffer.concat(received), methods);
}

function readAll(bytes: Buffer, methods: readonly string[]): Told {
  const answers: Answer[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const reading = takeAnswer(rest, methods[answers.length] ?? 'GET', true);
    // A caller that has ended its side may be cut off.
    if (reading.kind === 'incomplete') return { answers, fault: undefined };
    if (reading.kind === 'malformed') return { answers, fault: reading.why };
    if (reading.answer.status >= 200) answers.push(reading.answer);
    rest = reading.rest;
  }
  return { answers, fault: undefined };
}

async function within(closed: Promise<void>, socket: Socket): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      socket.destroy();
      reject(new NoAnswer(`no answer within ${SILENCE_MS / 1000} s`));
    }, SILENCE_MS);
  });
  try {
    await Promise.race([closed, late]);
  } finally {
    clearTimeout(timer);
  }
}

export type RawClient = {
  /** Sends one whole request on the connection, which is opened again where it was closed, and reads its answer. */
  ask(request: Buffer, method: string): Promise<Answer>;
  /** Whether the last answer has left the connection open. */
  readonly isOpen: () => boolean;
  readonly close: () => void;
};

/** A client with one connection that it keeps as long as the gateway does. */
export function createRawClient(port: number): RawClient {
  let socket: Socket | undefined;

  async function open(): Promise<Socket> {
    if (socket?.writable && socket.readable) return socket;
    const opened = connect({ port, host: '127.0.0.1', noDelay: true });
    opened.on('error', () => {});
    await once(opened, 'connect');
    socket = opened;
    return opened;
  }

  async function ask(request: Buffer, method: string): Promise<Answer> {
    const current = await open();
    return new Promise<Answer>((resolve, reject) => {
      let bytes: Buffer = Buffer.alloc(0);
      const timer = setTimeout(
        () => end(new NoAnswer(`no answer within ${SILENCE_MS / 1000} s`)),
        SILENCE_MS,
      );
      const end = (outcome: Answer | Error) => {
        clearTimeout(timer);
        current.off('data', onData).off('close', onClose);
        if (!(outcome instanceof Error)) return resolve(outcome);
        current.destroy();
        reject(outcome);
      };
      const read = (isEnded: boolean): void => {
        const reading = takeAnswer(bytes, method, isEnded);
        if (reading.kind === 'malformed') return end(new NoAnswer(reading.why));
        if (reading.kind === 'incomplete')
          return isEnded ? end(new NoAnswer('the connection was closed without a whole answer')) : undefined;
        bytes = reading.rest;
        if (reading.answer.status < 200) return read(isEnded);
        if (bytes.length > 0) return end(new NoAnswer('bytes behind the answer'));
        if (reading.endsConnection) current.destroy();
        end(reading.answer);
      };
      const onData = (chunk: Buffer) => {
        bytes = Buffer.concat([bytes, chunk]);
        read(false);
      };
      const onClose = () => read(true);
      current.on('data', onData).on('close', onClose);
      current.write(request);
    });
  }

  return {
    ask,
    isOpen: () => socket?.writable === true && socket.readable,
    close: () => socket?.destroy(),
  };
}
