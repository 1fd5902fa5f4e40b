import { gzipSync } from 'node:zlib';
import { readCallRefusal } from '../../src/credentials/calling/call-refusal.ts';
import type { Credential } from '../../src/proxy/contract.ts';
import { CLIENTS, type Harness } from '../support/proxy-harness.ts';
import { closeStage, startStage } from '../support/proxy-stage.ts';
import { until } from '../support/until.ts';
import { okAnswer, type RawAnswer, type RawUpstream } from '../support/upstream.ts';

const FRESH: Credential = { version: 2, values: { accessToken: 'provider-token-2' } };
const RULE = { callRefused: { status: [200, 400], path: 'error', values: ['ExpiredToken'] } };
const EXPIRED = JSON.stringify({ error: 'ExpiredToken', message: 'Token has expired' });

let upstream: RawUpstream;
let gateway: Harness;
let refused: Credential[];

async function start(answer: RawAnswer, isRenewed: boolean): Promise<void> {
  refused = [];
  const stage = await startStage(answer, {
    connection: { callRefused: readCallRefusal(RULE, isRenewed) },
    deps: {
      async refreshAfter401(_connection, used) {
        refused.push(used);
        return isRenewed ? FRESH : null;
      },
    },
  });
  ({ upstream, gateway } = stage);
}

afterEach(closeStage);

type Body = {
  readonly status?: string;
  readonly type?: string;
  readonly more?: string;
  readonly chunked?: boolean;
};

function answerOf(
  body: string | Buffer,
  { status = '400 Bad Request', type, more = '', chunked }: Body = {},
): Buffer {
  const bytes = Buffer.from(body);
  const framing = chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${bytes.length}`;
  const head = `HTTP/1.1 ${status}\r\nContent-Type: ${type ?? 'application/json'}\r\n${more}${framing}\r\n\r\n`;
  const sent = chunked
    ? [Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n0\r\n\r\n')]
    : [bytes];
  return Buffer.concat([Buffer.from(head), ...sent]);
}

const first =
  (answer: Buffer): RawAnswer =>
  (socket, _request, index) =>
    socket.write(index === 0 ? answer : okAnswer('fine'));

describe.each(CLIENTS)(
  'an answer that refuses the credential in the provider’s own way (%s)',
  (_client, fields) => {
    it.each<[string, Buffer]>([
      ['with an announced length', answerOf(EXPIRED)],
      ['in chunks', answerOf(EXPIRED, { chunked: true })],
      ['with a good status', answerOf(EXPIRED, { status: '200 OK' })],
      ['compressed', answerOf(gzipSync(EXPIRED), { more: 'Content-Encoding: gzip\r\n' })],
      ['of another JSON type', answerOf(EXPIRED, { type: 'application/problem+json; charset=utf-8' })],
    ])('has it renewed and the call sent once more: %s', async (_how, answer) => {
      await start(first(answer), true);
      expect((await gateway.call('GET', '/x', fields)).body).toBe('fine');
      expect([upstream.requests.length, refused]).toEqual([2, [expect.objectContaining({ version: 1 })]]);
    });

    it('is passed on where the second one refuses as well', async () => {
      await start((socket) => socket.write(answerOf(EXPIRED)), true);
      const answer = await gateway.call('GET', '/x', fields);
      expect([answer.body, upstream.requests.length, refused.length]).toEqual([EXPIRED, 2, 1]);
    });

    it.each<[string, Buffer, string]>([
      ['another reason', answerOf('{"error":"RateLimited"}'), '{"error":"RateLimited"}'],
      ['another status', answerOf(EXPIRED, { status: '403 Forbidden' }), EXPIRED],
      ['no JSON', answerOf('{"error":', {}), '{"error":'],
      ['plain text', answerOf(EXPIRED, { type: 'text/plain' }), EXPIRED],
      ['an empty body', answerOf(''), ''],
      ['a long body', answerOf(EXPIRED.padEnd(5_000)), EXPIRED.padEnd(5_000)],
      [
        'a long body in chunks',
        answerOf(EXPIRED.padEnd(200_000), { chunked: true, status: '200 OK' }),
        EXPIRED.padEnd(200_000),
      ],
    ])('is not one with %s, which passes as it is', async (_what, answer, body) => {
      await start(first(answer), true);
      const got = await gateway.call('GET', '/x', fields);
      const sent = got.body.replaceAll(/[0-9a-f]*\r\n/g, '');
      expect(sent.length).toBe(body.length);
      expect([sent === body, refused]).toEqual([true, []]);
    });

    it('is told and passes unchanged where the credential cannot be renewed', async () => {
      await start((socket) => socket.write(answerOf(EXPIRED)), false);
      const answer = await gateway.call('GET', '/x', fields);
      expect([answer.body, upstream.requests.length]).toEqual([EXPIRED, 1]);
      await until(() => refused.length === 1);
    });

    it('that begins and then waits reaches a caller whose credential cannot be renewed at once', async () => {
      let finish = () => undefined as unknown;
      await start((socket) => {
        socket.write(
          'HTTP/1.1 400 Bad\r\nContent-Type: application/json\r\nContent-Length: 24\r\n\r\n{"error":',
        );
        finish = () => socket.write('"ExpiredToken"}');
      }, false);
      const answer = gateway.call('GET', '/x', fields);
      await gateway.server;
      await until(() => upstream.requests.length === 1);
      finish();
      expect((await answer).body).toBe('{"error":"ExpiredToken"}');
    });
  },
);

it('a small body of the caller is sent again, and a large one is not, though the credential is renewed', async () => {
  await start(first(answerOf(EXPIRED)), true);
  await gateway.call('POST', '/x', ['Content-Length: 5'], 'hello');
  expect(upstream.requests.map(({ body }) => body.toString())).toEqual(['hello', 'hello']);
  await closeStage();
  await start(first(answerOf(EXPIRED)), true);
  const large = 'b'.repeat(200 * 1024);
  const answer = await gateway.call('POST', '/x', [`Content-Length: ${large.length}`], large);
  expect([answer.body, upstream.requests.length, refused.length]).toEqual([EXPIRED, 1, 1]);
});

it('a body that comes in drops is held for a second at most', async () => {
  await start((socket) => {
    socket.write(
      'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n',
    );
    setTimeout(() => socket.write('1\r\n}\r\n0\r\n\r\n'), 1_500);
  }, true);
  const answer = await gateway.call('GET', '/x');
  expect([answer.body.includes('{'), refused]).toEqual([true, []]);
});
