import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { z } from 'zod';
import { endpoint } from '../../src/http/endpoint.ts';
import { closeServer, listen } from '../support/listen.ts';
import { until } from '../support/until.ts';
import { untilClosed } from '../support/until-closed.ts';
import { authenticate, createTestApp } from './support.ts';

const bodies: unknown[] = [];
const rename = endpoint({
  operationId: 'rename',
  method: 'patch',
  path: '/widget',
  summary: 'Rename',
  tag: 'Catalog',
  principals: ['operator'],
  leastRole: 'anyone',
  body: z.strictObject({ name: z.string().optional() }),
  bodyBytesMax: 1000,
  success: { status: 204, description: 'Renamed' },
  async handler({ body }) {
    bodies.push(body);
    return {};
  },
});

type End = (socket: Socket) => void;

/** Sends a request, ends its connection so while it is authenticated, and answers what came back. */
async function ask(body: Buffer, fields: string, end: End): Promise<string> {
  const authenticated = Promise.withResolvers<void>();
  let asked = 0;
  const { app, lines } = createTestApp([rename], {
    async authenticate(request) {
      asked += 1;
      await authenticated.promise;
      return authenticate(request);
    },
  });
  const server = createServer(app);
  Object.assign(server, { httpAllowHalfOpen: true });
  let isEnded = false;
  server.on('connection', (socket) => {
    const note = () => {
      isEnded = true;
    };
    socket.once('end', note).once('close', note);
  });
  const socket = connect({ port: await listen(server), host: '127.0.0.1', allowHalfOpen: true });
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  const head = `PATCH /v1/widget HTTP/1.1\r\nHost: g\r\nAuthorization: Bearer operator\r\nConnection: close\r\nContent-Type: application/json\r\n${fields}`;
  socket.write(Buffer.concat([Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n`), body]));
  await until(() => asked === 1);
  end(socket);
  await until(() => isEnded);
  authenticated.resolve();
  await untilClosed(socket);
  await until(() => lines.some((line) => 'status' in line));
  await closeServer(server);
  return text.split('\r\n', 1)[0] ?? '';
}

const halfClose: End = (socket) => void socket.end();
const leave: End = (socket) => void socket.resetAndDestroy();
const NAME = Buffer.from('{"name":"nut"}');

describe('a body that is read after its caller was authenticated', () => {
  beforeEach(() => {
    bodies.length = 0;
  });

  it.each([
    ['plain', NAME, ''],
    ['coded', gzipSync(NAME), 'Content-Encoding: gzip\r\n'],
  ])('is there for a caller that has ended its side meanwhile: %s', async (_what, body, fields) => {
    expect(await ask(body, fields, halfClose)).toBe('HTTP/1.1 204 No Content');
    expect(bodies).toEqual([{ name: 'nut' }]);
  });

  it('is refused as for other callers where that caller sends too much', async () => {
    expect(await ask(Buffer.alloc(1001, ' '), '', halfClose)).toBe('HTTP/1.1 413 Payload Too Large');
    expect(bodies).toEqual([]);
  });

  it('is not taken for an empty one where its caller has left meanwhile', async () => {
    await ask(NAME, '', leave);
    expect(bodies).toEqual([]);
  });
});
