import { once } from 'node:events';
import http from 'node:http';
import { connect, type Socket } from 'node:net';
import express from 'express';
import { createBodyDeadline } from '../../src/http/body-deadline.ts';
import { createErrorHandler, HttpError } from '../../src/http/errors.ts';
import { requireMessage } from '../../src/http/message-rules.ts';
import { closeServer, listen } from '../support/listen.ts';
import { until } from '../support/until.ts';
import { untilClosed } from '../support/until-closed.ts';
import { exchange, fieldValue, readAnswer } from '../support/upstream.ts';
import { authenticate, createTestApp } from './support.ts';
import { endpoints, ID } from './widgets.ts';

const publicUrl = 'http://gateway.test';
let server: http.Server;
let port: number;

beforeAll(async () => {
  const app = express();
  app.use(createBodyDeadline({ publicUrl, timeoutMs: 150 }));
  app.use(requireMessage);
  app.post('/json', express.json(), (request, response) => void response.json(request.body));
  app.post('/unread', (_request, response) => void response.json({ done: true }));
  app.use(createErrorHandler({ publicUrl, log: { error() {} } }));
  server = http.createServer({ requireHostHeader: false }, app);
  port = await listen(server);
});
afterAll(() => closeServer(server));

/** Sends the head, then a byte of the body every few milliseconds, until the connection ends. */
async function drip(path: string): Promise<string> {
  const socket: Socket = connect(port, '127.0.0.1');
  const received: Buffer[] = [];
  socket.on('data', (chunk) => received.push(chunk));
  socket.on('error', () => {});
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: g\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n`,
  );
  const timer = setInterval(() => socket.write(' '), 10);
  await untilClosed(socket);
  clearInterval(timer);
  return Buffer.concat(received).toString();
}

describe('a request body that does not end', () => {
  it('is answered 408 after a fixed time, which its bytes do not renew', async () => {
    const answer = readAnswer([Buffer.from(await drip('/json'))]);
    expect(answer.status).toBe(408);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('request_timeout');
    expect(fieldValue(answer.fieldLines, 'connection')).toBe('close');
  });

  it('ends the connection where it has been answered before', async () => {
    const text = await drip('/unread');
    expect(text).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });
});

it('a request body that is here in time is no concern, nor what its answer takes', async () => {
  const body = '{"a":1}';
  const head = `POST /json HTTP/1.1\r\nHost: g\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
  expect((await exchange(port, head + body)).body).toBe(body);
});

it.each([
  ['two hosts', 'HTTP/1.1', 'Host: a\r\nHost: b', 400, 'invalid_request'],
  ['no host', 'HTTP/1.1', 'X-A: b', 400, 'invalid_request'],
  ['a host that is none', 'HTTP/1.1', 'Host: user@a', 400, 'invalid_request'],
  ['chunks in HTTP/1.0', 'HTTP/1.0', 'Host: a\r\nTransfer-Encoding: chunked', 400, 'invalid_request'],
  [
    'a coding around its chunks',
    'HTTP/1.1',
    'Host: a\r\nTransfer-Encoding: gzip, chunked',
    400,
    'invalid_request',
  ],
  ['another HTTP', 'HTTP/2.0', 'Host: a', 505, 'http_version_not_supported'],
])('a message with %s is refused, and its connection ends', async (_what, version, fields, status, code) => {
  const answer = await exchange(port, `POST /json ${version}\r\n${fields}\r\n\r\n0\r\n\r\n`);
  expect(answer.status).toBe(status);
  expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe(code);
  expect(fieldValue(answer.fieldLines, 'connection')).toBe('close');
});

describe('a request of the API whose body comes after its head', () => {
  let own: http.Server;
  let ownPort: number;
  let asked = 0;
  let isRevoked = false;

  beforeAll(async () => {
    const { app } = createTestApp(endpoints, {
      async authenticate(request) {
        asked += 1;
        if (isRevoked) throw new HttpError('token_revoked');
        return authenticate(request);
      },
    });
    own = http.createServer(app);
    ownPort = await listen(own);
  });
  afterAll(() => closeServer(own));

  it.each([
    [200, false],
    [401, true],
  ])('is answered %d where its credential was revoked meanwhile: %p', async (status, isRevokedMeanwhile) => {
    asked = 0;
    const headers = { authorization: 'Bearer operator', 'content-type': 'application/json' };
    const call = http.request({ port: ownPort, method: 'PATCH', path: `/v1/widgets/${ID}`, headers });
    const answered = once(call, 'response');
    call.write('{"name":');
    await until(() => asked === 1);
    isRevoked = isRevokedMeanwhile;
    call.end('"nut"}');
    const [answer] = await answered;
    answer.resume();
    expect(answer.statusCode).toBe(status);
  });
});
