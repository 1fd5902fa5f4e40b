import { Duplex, PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { HttpError } from '../../src/http/errors.ts';
import { writeProblem } from '../../src/proxy/broken-requests.ts';

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
