import { connect, createServer, type Server, type Socket } from 'node:net';
import { listen } from './listen.ts';

/** A request as a raw server saw it: nothing parsed that could hide a difference. */
export type RawRequest = {
  /** Request line and header section, without the empty line that ends it. */
  readonly head: string;
  readonly requestLine: string;
  /** Field lines in order, as sent. */
  readonly fieldLines: readonly string[];
  /** Body bytes; chunked framing taken off. */
  readonly body: Buffer;
};

export type RawUpstream = {
  readonly port: number;
  readonly requests: readonly RawRequest[];
  /** Connections accepted so far. */
  readonly connectionCount: () => number;
  /** Resolves when so many requests have arrived. */
  arrived(count: number): Promise<void>;
  close(): Promise<void>;
};

/** What to write back; a string or bytes go out as they are, a function gets the socket to misbehave with. */
export type RawAnswer = string | Buffer | ((socket: Socket, request: RawRequest, index: number) => void);

/** A real TCP server on port 0 that reads HTTP/1.1 requests by hand and answers with given bytes. */
export async function startRawUpstream(answer: RawAnswer): Promise<RawUpstream> {
  const requests: RawRequest[] = [];
  const sockets = new Set<Socket>();
  const waiters: { count: number; resolve: () => void }[] = [];
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    let pending: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      pending = Buffer.concat([pending, chunk]);
      for (let taken = takeRequest(pending); taken; taken = takeRequest(pending)) {
        pending = taken.rest;
        const index = requests.push(taken.request) - 1;
        for (const waiter of waiters) if (requests.length >= waiter.count) waiter.resolve();
        if (typeof answer === 'function') answer(socket, taken.request, index);
        else socket.write(answer);
      }
    });
  });
  return {
    port: await listen(server),
    requests,
    connectionCount: () => connections,
    arrived: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve();
        else waiters.push({ count, resolve });
      }),
    close: () => closed(server, sockets),
  };
}

/** `HTTP/1.1 200` with a length and the given body, further field lines first. */
export function okAnswer(body: string, fieldLines: readonly string[] = []): string {
  const lines = ['HTTP/1.1 200 OK', ...fieldLines, `Content-Length: ${Buffer.byteLength(body)}`];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Ends every connection and the server. */
export function closed(server: Server, sockets: Iterable<Socket>): Promise<void> {
  for (const socket of sockets) socket.destroy();
  return new Promise((resolve) => server.close(() => resolve()));
}

/** A port of loopback without a listener. */
export async function unusedPort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await closed(server, []);
  return port;
}

type Taken = { readonly request: RawRequest; readonly rest: Buffer };

function takeRequest(bytes: Buffer): Taken | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const head = bytes.subarray(0, headEnd).toString('latin1');
  const [requestLine = '', ...fieldLines] = head.split('\r\n');
  const after = bytes.subarray(headEnd + 4);
  const body = /^transfer-encoding: chunked$/im.test(head)
    ? takeChunks(after)
    : takeLength(after, Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0));
  return body && { request: { head, requestLine, fieldLines, body: body.body }, rest: body.rest };
}

function takeLength(bytes: Buffer, length: number): { body: Buffer; rest: Buffer } | undefined {
  if (bytes.length < length) return undefined;
  return { body: bytes.subarray(0, length), rest: bytes.subarray(length) };
}

function takeChunks(bytes: Buffer): { body: Buffer; rest: Buffer } | undefined {
  const chunks: Buffer[] = [];
  let rest = bytes;
  for (;;) {
    const lineEnd = rest.indexOf('\r\n');
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(rest.subarray(0, lineEnd).toString('latin1'), 16);
    const chunkEnd = lineEnd + 2 + size;
    if (rest.length < chunkEnd + 2) return undefined;
    chunks.push(rest.subarray(lineEnd + 2, chunkEnd));
    rest = rest.subarray(chunkEnd + 2);
    if (size === 0) return { body: Buffer.concat(chunks), rest };
  }
}

export type RawAnswerText = {
  readonly status: number;
  readonly head: string;
  readonly fieldLines: readonly string[];
  readonly body: string;
  readonly text: string;
};

/** Sends bytes to a port and collects what comes back until the other side closes. */
export function exchange(port: number, bytes: string | Buffer): Promise<RawAnswerText> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', (error) => (chunks.length > 0 ? resolve(readAnswer(chunks)) : reject(error)));
    socket.on('close', () => resolve(readAnswer(chunks)));
  });
}

/** Takes the text of one answer apart. */
export function readAnswer(chunks: readonly Buffer[]): RawAnswerText {
  const text = Buffer.concat(chunks).toString('latin1');
  const headEnd = text.indexOf('\r\n\r\n');
  const head = headEnd < 0 ? text : text.slice(0, headEnd);
  const [statusLine = '', ...fieldLines] = head.split('\r\n');
  return {
    status: Number(statusLine.split(' ')[1] ?? 0),
    head,
    fieldLines,
    body: headEnd < 0 ? '' : text.slice(headEnd + 4),
    text,
  };
}

/** Value of the first field line with this name, in any case. */
export function fieldValue(fieldLines: readonly string[], name: string): string | undefined {
  const prefix = `${name.toLowerCase()}:`;
  const line = fieldLines.find((candidate) => candidate.toLowerCase().startsWith(prefix));
  return line?.slice(prefix.length).trim();
}
