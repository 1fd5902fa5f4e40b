import { connect, createServer, type Socket } from 'node:net';
import { listen } from './listen.ts';
import { splitMessages } from './postgres-messages.ts';
import { readRelayTarget, urlThroughRelay } from './tcp-relay.ts';

export type TransactionPooler = {
  /** The same database by way of the pooler. */
  readonly url: string;
  close(): Promise<void>;
};

/** What PgBouncer takes at the start of a connection; it refuses everything else unless it is set to ignore it. */
const KNOWN_PARAMETERS = new Set([
  'user',
  'database',
  'application_name',
  'client_encoding',
  'DateStyle',
  'TimeZone',
  'IntervalStyle',
  'standard_conforming_strings',
]);

const PROTOCOL_3 = 0x00030000;
const READY = 0x5a;
const IDLE = 0x49;
const TERMINATE = 0x58;
const QUERY = 0x51;
const SYNC = 0x53;
const ERROR = 0x45;

/**
 * A connection pooler in transaction mode, as PgBouncer with `pool_mode = transaction` is one: a client has a server
 * connection for as long as a transaction lasts, and the next one may run on another. For servers without a password.
 */
export async function startTransactionPooler(databaseUrl: string): Promise<TransactionPooler> {
  const target = readRelayTarget(databaseUrl);
  const { username, pathname } = new URL(databaseUrl);
  const idle: ServerConnection[] = [];
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket)));
    return socket;
  };
  const open = () =>
    new ServerConnection(track(connect(target)), decodeURIComponent(username), pathname.slice(1));
  const server = createServer((socket) => new Client(track(socket), idle, open));
  const port = await listen(server);
  return {
    url: urlThroughRelay(databaseUrl, port),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** One connection to the server, which clients use in turn. */
class ServerConnection {
  /** What the server said at its start, for every client to come. */
  readonly greeting: Promise<Buffer>;
  readonly #socket: Socket;
  #take: (message: Buffer) => void;

  constructor(socket: Socket, user: string, database: string) {
    const { promise, resolve } = Promise.withResolvers<Buffer>();
    const messages: Buffer[] = [];
    this.greeting = promise;
    this.#socket = socket;
    this.#take = (message) => {
      messages.push(message);
      if (message[0] === READY) resolve(Buffer.concat(messages));
    };
    splitMessages(socket, (message) => this.#take(message));
    const parameters = Buffer.from(`user\0${user}\0database\0${database}\0\0`);
    const head = Buffer.alloc(8);
    head.writeUInt32BE(head.length + parameters.length, 0);
    head.writeUInt32BE(PROTOCOL_3, 4);
    socket.write(Buffer.concat([head, parameters]));
  }

  /** Passes what the server says to a client; `onIdle` when it is outside a transaction again. */
  lend(client: Socket, onIdle: () => void): void {
    this.#take = (message) => {
      client.write(message);
      if (message[0] === READY && message[5] === IDLE) onIdle();
    };
  }

  write(message: Buffer): void {
    this.#socket.write(message);
  }
}

class Client {
  readonly #socket: Socket;
  readonly #pool: ServerConnection[];
  readonly #open: () => ServerConnection;
  #lent: ServerConnection | undefined;
  /** Messages to which the server answers with ReadyForQuery: a pipeline of several ends after the last answer. */
  #unanswered = 0;

  constructor(socket: Socket, pool: ServerConnection[], open: () => ServerConnection) {
    this.#socket = socket;
    this.#pool = pool;
    this.#open = open;
    socket.once('data', (startup) => this.#start(Buffer.from(startup)));
  }

  #start(startup: Buffer): void {
    const words = startup.toString('utf8', 8).split('\0');
    const refused = words.find(
      (word, index) => index % 2 === 0 && word !== '' && !KNOWN_PARAMETERS.has(word),
    );
    if (refused !== undefined) {
      this.#socket.end(errorMessage(`unsupported startup parameter: ${refused}`));
      return;
    }
    const connection = this.#pool.pop() ?? this.#open();
    void connection.greeting.then((greeting) => {
      this.#pool.push(connection);
      this.#socket.write(greeting);
      splitMessages(this.#socket, (message) => this.#send(message));
    });
  }

  #send(message: Buffer): void {
    if (message[0] === TERMINATE) {
      this.#socket.end();
      return;
    }
    const connection = this.#lent ?? this.#pool.pop() ?? this.#open();
    if (this.#lent === undefined) {
      this.#lent = connection;
      void connection.greeting.then(() => connection.lend(this.#socket, () => this.#release()));
    }
    if (message[0] === QUERY || message[0] === SYNC) this.#unanswered += 1;
    void connection.greeting.then(() => connection.write(message));
  }

  #release(): void {
    this.#unanswered -= 1;
    if (this.#unanswered > 0 || this.#lent === undefined) return;
    this.#pool.push(this.#lent);
    this.#lent = undefined;
  }
}

function errorMessage(text: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C08P01\0M${text}\0\0`);
  const head = Buffer.from([ERROR, 0, 0, 0, 0]);
  head.writeUInt32BE(4 + fields.length, 1);
  return Buffer.concat([head, fields]);
}
