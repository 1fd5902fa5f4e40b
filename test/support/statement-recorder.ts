import { connect, createServer, type Socket } from 'node:net';
import { listen } from './listen.ts';
import { readRelayTarget, urlThroughRelay } from './tcp-relay.ts';

export type StatementRecorder = {
  /** The same database by way of the recorder. */
  readonly url: string;
  /** How often each statement was sent so far, in its parameterized form. */
  readonly statements: ReadonlyMap<string, number>;
  readonly close: () => Promise<void>;
};

const QUERY = 0x51;
const PARSE = 0x50;
const BIND = 0x42;
/** A message's type and length. */
const HEAD_BYTES = 5;

/** Carries connections to a Postgres, and notes the statements that clients send: what is asked, by knex or by hand. */
export async function startStatementRecorder(databaseUrl: string): Promise<StatementRecorder> {
  const target = readRelayTarget(databaseUrl);
  const statements = new Map<string, number>();
  const note = (text: string) => void statements.set(text, (statements.get(text) ?? 0) + 1);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(target);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
    near.on('data', createReader(note));
  });
  const port = await listen(server);
  return {
    url: urlThroughRelay(databaseUrl, port),
    statements,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Reads the frontend's half of the protocol: after the start message, a type, a length and a body each. */
function createReader(note: (statement: string) => void): (chunk: Buffer) => void {
  const readStatement = createStatementReader();
  let rest = Buffer.alloc(0);
  let isStarted = false;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    if (!isStarted) {
      if (rest.length < 4 || rest.length < rest.readUInt32BE(0)) return;
      rest = rest.subarray(rest.readUInt32BE(0));
      isStarted = true;
    }
    while (rest.length >= HEAD_BYTES && rest.length > rest.readUInt32BE(1)) {
      const end = 1 + rest.readUInt32BE(1);
      const statement = readStatement(rest.subarray(0, end));
      if (statement !== undefined) note(statement);
      rest = rest.subarray(end);
    }
  };
}

/** A statement that the session keeps is sent once and runs by its name each time; one without a name is parsed for each run. */
function createStatementReader(): (message: Buffer) => string | undefined {
  const kept = new Map<string, string>();
  return (message) => {
    const [first = '', second = ''] = message.toString('utf8', HEAD_BYTES).split('\0');
    if (message[0] === QUERY) return first;
    if (message[0] === PARSE) {
      if (first === '') return second;
      kept.set(first, second);
    }
    // The portal comes first, which has no name here.
    return message[0] === BIND ? kept.get(second) : undefined;
  };
}
