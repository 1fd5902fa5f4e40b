import { connect, createServer, type Socket } from 'node:net';
import { listen } from './listen.ts';
import { splitMessages } from './postgres-messages.ts';
import { readRelayTarget, urlThroughRelay } from './tcp-relay.ts';

/**
 * Where a statement stands: not sent yet; or executed for good, its transaction being over, and its answer held back. Of a COMMIT: the store has
 * it, and the other side does not know. A process that is killed later than that has got the answer for nothing, unless it has
 * done something elsewhere meanwhile.
 */
export const PHASES = ['before', 'executed'] as const;
export type Phase = (typeof PHASES)[number];

export type Verdict = 'go on' | 'break off' | 'hold' | 'cut';

export type StatementProxy = {
  /** The same database by way of this proxy. */
  readonly url: string;
  /** Ends every connection: what a process that dies does. */
  cut(): void;
  close(): Promise<void>;
};

/**
 * Asked at each phase of each statement. `break off` holds everything of all connections from then on; `hold` this one
 * statement or its answer; `cut` ends the one connection.
 */
export type Watch = (statement: string, phase: Phase) => Verdict;

const QUERY = 0x51;
const PARSE = 0x50;
const BIND = 0x42;
const SYNC = 0x53;
/** Parse, Bind, Describe, Execute: they do nothing, to the client's knowledge, before the Sync after them. */
const PARTS: ReadonlySet<number> = new Set([PARSE, BIND, 0x44, 0x45]);
const READY = 0x5a;
const IDLE = 0x49;
/** A COPY sends its data between a statement and its end; nothing of them is held. */
const COPY_IN = 0x47;
const COPY_OUT = 0x48;
const COPY_BOTH = 0x57;

/** A proxy in front of Postgres that knows its statements, for connections without TLS. */
export async function startStatementProxy(databaseUrl: string, watch: Watch): Promise<StatementProxy> {
  const target = readRelayTarget(databaseUrl);
  const sockets = new Set<Socket>();
  let isBroken = false;
  const ask: Watch = (statement, phase) => {
    const verdict = isBroken ? 'break off' : watch(statement, phase);
    isBroken ||= verdict === 'break off';
    return verdict;
  };
  const server = createServer((near) => {
    const far = connect(target);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one.on('error', () => other.destroy()));
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    carryStatements(near, far, (statement, phase) => {
      const verdict = ask(statement, phase);
      if (verdict === 'cut') near.destroy();
      return verdict;
    });
  });
  const port = await listen(server);
  const cut = () => {
    isBroken = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: urlThroughRelay(databaseUrl, port),
    cut,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cut();
      }),
  };
}

function carryStatements(near: Socket, far: Socket, ask: Watch): void {
  /** Statements whose answer has not come, oldest first. */
  const waiting: string[] = [];
  let lastText = '';
  let parts: Buffer[] = [];
  let text = '';
  /** What the session keeps, by name: it is sent once, and runs by its name. */
  const kept = new Map<string, string>();

  function takeFromClient(message: Buffer): void {
    parts.push(message);
    const type = message[0] ?? 0;
    if (type === QUERY) text = readText(message, 5);
    if (type === PARSE) {
      text = readText(message, message.indexOf(0, 5) + 1);
      kept.set(readText(message, 5), text);
    }
    if (type === BIND) text = kept.get(readText(message, message.indexOf(0, 5) + 1)) ?? text;
    // Parts of a statement leave together with its end.
    if (PARTS.has(type)) return;
    const isStatement = type === QUERY || type === SYNC;
    const batch = Buffer.concat(parts);
    parts = [];
    if (isStatement) {
      const statement = nameStatement(text, lastText);
      lastText = text;
      if (ask(statement, 'before') !== 'go on') return;
      waiting.push(statement);
    }
    far.write(batch);
  }

  let held: Buffer[] = [];
  function takeFromServer(message: Buffer): void {
    const [statement] = waiting;
    const type = message[0] ?? 0;
    if (statement === undefined) return void near.write(message);
    held.push(message);
    const isCopy = type === COPY_IN || type === COPY_OUT || type === COPY_BOTH;
    if (type !== READY && !isCopy) return;
    if (type === READY) {
      waiting.shift();
      // Within a transaction nothing is done that its end would not undo.
      if (message[5] === IDLE && ask(statement, 'executed') !== 'go on') return;
    }
    near.write(Buffer.concat(held));
    held = [];
  }

  splitMessages(near, takeFromClient, { hasStartup: true, onStartup: (bytes) => far.write(bytes) });
  splitMessages(far, takeFromServer);
}

const readText = (message: Buffer, from: number) => message.toString('utf8', from, message.indexOf(0, from));

/** The same statement has the same name in each run; one that says nothing by itself is named by the one before it. */
function nameStatement(text: string, lastText: string): string {
  const name = normalize(text);
  return /^(?:COMMIT|BEGIN|ROLLBACK|START TRANSACTION)\b/i.test(name)
    ? `${name} after ${normalize(lastText)}`
    : name;
}

function normalize(text: string): string {
  return text
    .replace(/'[^']*'/g, "'…'")
    .replace(/\$\d+|\b\d+\b/g, '?')
    .replace(/\?(?:, ?\?)+/g, '?')
    .replace(/(?:\(\?\), ?)+\(\?\)/g, '(?)')
    .replace(/\s+/g, ' ')
    .replace(/;$/, '')
    .trim();
}
