import { Duplex, PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { HttpError } from '../../src/http/errors.ts';
import { refuseBrokenRequest, writeProblem } from '../../src/proxy/broken-requests.ts';
import { NewestResponses } from '../../src/proxy/newest-responses.ts';

const refusal = new HttpError('headers_too_large', { detail: 'Too much.' });

describe('an answer written without a response object', () => {
  it.each([
    [false, 'application/problem+json'],
    [true, 'application/json'],
  ])('ends the connection (to an address of the proxy: %p) with %s', async (isCall, type) => {
    const socket = new PassThrough();
    writeProblem(socket, refusal, 'https://gateway.example', isCall);
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 431 \S/);
    const fields = new Headers(
      head
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(': ', 2) as [string, string]),
    );
    expect(fields.get('connection')).toBe('close');
    expect(fields.get('content-type')).toContain(type);
    expect(fields.get('content-length')).toBe(String(Buffer.byteLength(body)));
    expect(JSON.parse(body)).toMatchObject({ status: 431, code: 'headers_too_large', detail: 'Too much.' });
  });

  it('does no harm where the other side is gone', async () => {
    const gone = new Duplex({
      read() {},
      write: (_chunk, _encoding, done) => done(new Error('EPIPE')),
    });
    writeProblem(gone, refusal, 'https://gateway.example', false);
    await new Promise((resolve) => gone.once('close', resolve));
    expect(gone.destroyed).toBe(true);
  });
});

describe('a connection whose request cannot be read', () => {
  const nothingOpen = new NewestResponses();

  async function answerTo(error: Error) {
    const socket = new PassThrough();
    refuseBrokenRequest(error, socket, nothingOpen, 'https://gateway.example');
    const [, body = ''] = (await text(socket)).split('\r\n\r\n');
    return JSON.parse(body) as { code: string; detail?: string };
  }
  const failed = (code: string, packet = '') =>
    Object.assign(new Error(), { code, rawPacket: Buffer.from(packet) });

  it.each([
    ['HPE_HEADER_OVERFLOW', '', 'headers_too_large', /16 KiB/],
    ['HPE_HEADER_OVERFLOW', `GET /${'x'.repeat(8_200)}`, 'uri_too_long', undefined],
    ['HPE_INVALID_URL', '', 'invalid_path', /characters that no URI has/],
    ['HPE_INVALID_CONSTANT', 'GET /a b HTTP/1.1\r\n', 'invalid_path', /characters that no URI has/],
    ['HPE_INVALID_VERSION', 'GET / HTTP/1.1\nHost: g\n\n', 'invalid_request', /CRLF/],
    ['HPE_HEADER_OVERFLOW', '', 'headers_too_large', /1,000 header fields/],
    ['HPE_INVALID_VERSION', '', 'http_version_not_supported', undefined],
    ['HPE_INVALID_EOF_STATE', '', 'invalid_request', /closed before the request was complete/],
    ['ERR_HTTP_REQUEST_TIMEOUT', '', 'request_timeout', /header fields did not arrive in time/],
    ['HPE_INVALID_METHOD', '', 'invalid_request', /not well-formed/],
  ])('for %s hears what is wrong: %#', async (code, packet, expected, detail) => {
    const problem = await answerTo(failed(code, packet));
    expect(problem.code).toBe(expected);
    if (detail !== undefined) expect(problem.detail).toMatch(detail);
  });

  it.each(['ECONNRESET', 'EPIPE'])('is given up after %s', (code) => {
    const socket = new PassThrough();
    refuseBrokenRequest(failed(code), socket, nothingOpen, 'https://gateway.example');
    expect(socket.destroyed).toBe(true);
  });

  it('is given up where it can take no answer, and answered once where it fails twice', async () => {
    const ended = new PassThrough();
    ended.end();
    refuseBrokenRequest(failed('HPE_INVALID_METHOD'), ended, nothingOpen, 'https://gateway.example');
    expect(ended.destroyed).toBe(true);
    const socket = new PassThrough();
    for (const _ of [1, 2])
      refuseBrokenRequest(failed('HPE_INVALID_METHOD'), socket, nothingOpen, 'https://gateway.example');
    expect((await text(socket)).match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });
});
