import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Answer, takeAnswer } from './answers.ts';

/** An answer that has not come by then never will: many times what the slowest takes on a busy machine. */
const SILENCE_MS = 30_000;

export class NoAnswer extends Error {}

export type Heard = {
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
): Promise<Heard> {
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

function readAll(bytes: Buffer, methods: readonly string[]): Heard {
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
      reject(lateAnswer());
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
    const answered = readOne(current, method);
    current.write(request);
    return answered;
  }

  return {
    ask,
    isOpen: () => socket?.writable === true && socket.readable,
    close: () => socket?.destroy(),
  };
}

/** The next answer on the connection, which is ended with it where the answer says so, or where there is none. */
function readOne(socket: Socket, method: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let bytes: Buffer = Buffer.alloc(0);
    const settle = (outcome: FinalAnswer | NoAnswer): void => {
      clearTimeout(timer);
      socket.off('data', onData).off('close', onClose);
      if (outcome instanceof NoAnswer || outcome.endsConnection) socket.destroy();
      if (outcome instanceof NoAnswer) reject(outcome);
      else resolve(outcome.answer);
    };
    const timer = setTimeout(() => settle(lateAnswer()), SILENCE_MS);
    const onData = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk]);
      const outcome = takeFinal(bytes, method, false);
      if (outcome !== undefined) settle(outcome);
    };
    const onClose = (): void =>
      settle(
        takeFinal(bytes, method, true) ?? new NoAnswer('the connection was closed without a whole answer'),
      );
    socket.on('data', onData).on('close', onClose);
  });
}

type FinalAnswer = { readonly answer: Answer; readonly endsConnection: boolean };

const lateAnswer = () => new NoAnswer(`no answer within ${SILENCE_MS / 1000} s`);

/** The answer behind the interim ones; undefined where more has to come. */
function takeFinal(bytes: Buffer, method: string, isEnded: boolean): FinalAnswer | NoAnswer | undefined {
  const reading = takeAnswer(bytes, method, isEnded);
  if (reading.kind === 'malformed') return new NoAnswer(reading.why);
  if (reading.kind === 'incomplete') return undefined;
  if (reading.answer.status < 200) return takeFinal(reading.rest, method, isEnded);
  return reading.rest.length > 0 ? new NoAnswer('bytes behind the answer') : reading;
}
