import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createTokenEndpoint } from '../../src/oauth/token-endpoint.ts';
import { createOutbound } from '../../src/platform/outbound.ts';
import { acmeProviderAt } from '../support/acme-provider.ts';
import { listen } from '../support/listen.ts';

/** Answers every request, once it has come, as a test wants. */
let answer: (socket: Socket) => void = (socket) => socket.destroy();
const sockets = new Set<Socket>();
const server = createServer((socket) => {
  sockets.add(socket);
  socket.on('error', () => undefined);
  void once(socket, 'data').then(() => answer(socket));
});
const origin = `http://127.0.0.1:${await listen(server)}`;
const outbound = createOutbound({ allowPrivateNetworks: true });
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  server.close();
  await outbound.stop();
});

const refresh = () =>
  createTokenEndpoint({ outbound, timeoutMs: 1_000 }).refresh({
    provider: acmeProviderAt(origin),
    client: { clientId: 'client', clientSecrets: ['secret'] },
    variables: {},
    redirectUrl: 'https://gateway.example/oauth/callback',
    refreshToken: 'refresh-1',
  });

const head = (status: string, type: string, more = '') =>
  `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\n${more}\r\n`;
const LENGTH = 'Content-Length: 100000\r\n';
const CHUNKED = 'Transfer-Encoding: chunked\r\n';

/** Writes one chunk after another, for as long as they are read. */
function writeForEver(socket: Socket, first: string, piece: string): void {
  const chunk = `${piece.length.toString(16)}\r\n${piece}\r\n`;
  const go = () => {
    while (socket.writable && socket.write(chunk));
    if (socket.writable) socket.once('drain', go);
  };
  socket.write(first);
  go();
}

const page = 'x'.repeat(8_000);
const cases: [string, (socket: Socket) => void, object][] = [
  [
    'an HTML page of any length',
    (socket) => writeForEver(socket, `${head('200 OK', 'text/html', CHUNKED)}6\r\n<html>\r\n`, page),
    { kind: 'transient', delivery: 'answered' },
  ],
  [
    'JSON of any length',
    (socket) => writeForEver(socket, `${head('200 OK', 'application/json', CHUNKED)}6\r\n{"a":"\r\n`, page),
    { kind: 'lost', delivery: 'unanswered' },
  ],
  [
    'an error page of any length',
    (socket) => writeForEver(socket, head('503 Unavailable', 'text/html', CHUNKED), page),
    { kind: 'transient', errorCode: 'http_503', delivery: 'answered' },
  ],
  [
    'an HTML page that breaks off',
    (socket) => socket.end(`${head('200 OK', 'text/html', LENGTH)}<html>`),
    { kind: 'transient', delivery: 'answered' },
  ],
  [
    'JSON that breaks off',
    (socket) => socket.end(`${head('200 OK', 'application/json', LENGTH)}{"access_to`),
    { kind: 'lost', delivery: 'unanswered' },
  ],
  [
    'the head of a success alone',
    (socket) => socket.end(head('200 OK', 'application/json', LENGTH)),
    { kind: 'lost', delivery: 'unanswered' },
  ],
  [
    'a server error that breaks off',
    (socket) => socket.end(`${head('502 Bad Gateway', 'text/html', LENGTH)}<html>`),
    { kind: 'transient', errorCode: 'http_502', delivery: 'answered' },
  ],
  [
    'a server error without an end',
    (socket) => socket.write(`${head('503 Unavailable', 'text/html', LENGTH)}<html>`),
    { kind: 'transient', errorCode: 'http_503', delivery: 'answered' },
  ],
  [
    'a redirect without an end',
    (socket) => socket.write(head('302 Found', 'text/html', `Location: /down\r\n${LENGTH}`)),
    { kind: 'transient', errorCode: 'http_302', delivery: 'answered' },
  ],
  [
    'a success without an end',
    (socket) => socket.write(`${head('200 OK', 'application/json', LENGTH)}{"a":`),
    { kind: 'transient', errorCode: 'connection_timeout', delivery: 'unanswered' },
  ],
];

describe('an answer of a token endpoint that is not whole', () => {
  it.each(cases)('is judged by its status and by what has come: %s', async (_, write, expected) => {
    answer = write;
    expect(await refresh()).toMatchObject({ ok: false, ...expected });
  });
});
