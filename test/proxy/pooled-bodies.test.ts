import { once } from 'node:events';
import { type Harness, type HarnessOptions, PREFIX } from '../support/proxy-harness.ts';
import { closeStage, openCaller, startStage } from '../support/proxy-stage.ts';
import { fieldValue, okAnswer, type RawAnswer, type RawUpstream } from '../support/upstream.ts';

let upstream: RawUpstream;
let gateway: Harness;

async function start(answer: RawAnswer, options: Partial<HarnessOptions> = {}): Promise<void> {
  ({ upstream, gateway } = await startStage(answer, options));
}

afterEach(closeStage);

const post = (body: string) => gateway.call('POST', '/x', [`Content-Length: ${body.length}`], body);

/** undici spells `host` its own way, Node's client as the caller did. */
const clients = (): string[] =>
  upstream.requests.map(({ fieldLines }) =>
    fieldLines[0]?.startsWith('host:') ? 'undici' : 'Node’s client',
  );
const bodies = (): string[] => upstream.requests.map(({ body }) => body.toString('latin1'));

describe('a request', () => {
  it.each(['POST', 'PUT', 'PATCH'])(
    'with %s and a short body goes by undici, on one connection',
    async (method) => {
      await start(okAnswer('ok'));
      for (const body of ['one', 'x'.repeat(8 * 1024), '\xff\x00\r\n']) {
        expect((await gateway.call(method, '/x', [`Content-Length: ${body.length}`], body)).body).toBe('ok');
        await gateway.finished(bodies().length);
        expect(bodies().at(-1)).toBe(body);
        expect(upstream.requests.at(-1)?.requestLine).toBe(`${method} /x HTTP/1.1`);
      }
      expect(clients()).toEqual(['undici', 'undici', 'undici']);
      expect(upstream.connectionCount()).toBe(1);
      expect(gateway.calls.map(({ requestBytes }) => requestBytes)).toEqual([3, 8 * 1024, 4]);
    },
  );

  it.each(['POST', 'DELETE'])('with %s and no body goes by undici', async (method) => {
    await start(okAnswer('ok'));
    expect((await gateway.call(method, '/x')).body).toBe('ok');
    expect(clients()).toEqual(['undici']);
    const length = fieldValue(upstream.requests[0]?.fieldLines ?? [], 'content-length');
    expect(length).toBe(method === 'POST' ? '0' : undefined);
  });

  it.each([
    ['POST', 'whose body is longer', 'x'.repeat(8 * 1024 + 1), []],
    ['DELETE', 'with a body', 'one', []],
    ['POST', 'that waits for 100 Continue', 'one', ['Expect: 100-continue']],
  ])('with %s %s goes by Node’s client', async (method, _what, body, fields) => {
    await start(okAnswer('ok'));
    await gateway.call(method, '/x', [`Content-Length: ${body.length}`, ...fields], body);
    expect([clients(), bodies()]).toEqual([['Node’s client'], [body]]);
  });

  it('whose body comes after its head arrives whole', async () => {
    const begun = Promise.withResolvers<void>();
    await start(okAnswer('ok'), { deps: { noteUse: () => begun.resolve() } });
    const { socket } = await openCaller(gateway, [`POST ${PREFIX}/x HTTP/1.1`, 'Content-Length: 6'], 'one');
    await begun.promise;
    const answered = once(socket, 'data');
    socket.write('two');
    await answered;
    expect([clients(), bodies()]).toEqual([['Node’s client'], ['onetwo']]);
  });

  it('that is sent again with a new credential has its body both times', async () => {
    const refused = 'HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n';
    await start((socket, _request, index) => socket.write(index === 0 ? refused : okAnswer('ok')), {
      deps: { refreshAfter401: async () => ({ version: 2, values: { accessToken: 'fresh' } }) },
    });
    expect((await post('one')).body).toBe('ok');
    expect([clients(), bodies()]).toEqual([
      ['undici', 'undici'],
      ['one', 'one'],
    ]);
  });
});

describe('a short body', () => {
  const CONTINUE = 'HTTP/1.1 100 Continue\r\nX-A: b\r\n\r\n';

  it.each([
    ['once', CONTINUE],
    ['twice', CONTINUE + CONTINUE],
    ['after an early hint', `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${CONTINUE}`],
    ['before an early hint', `${CONTINUE}HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n`],
  ])('has its answer from a provider that says 100 Continue unasked, %s', async (_how, bytes) => {
    await start(bytes + okAnswer('final'));
    for (const count of [1, 2]) {
      const answer = await post('one');
      expect([answer.status, answer.body]).toEqual([200, 'final']);
      await gateway.finished(count);
    }
    expect(bodies()).toEqual(['one', 'one']);
    expect(clients()).toEqual(['undici', 'undici']);
  });

  it.each([
    ['100 Continue alone', CONTINUE, 'upstream_unreachable'],
    ['half of it', CONTINUE.slice(0, 14), 'upstream_unreachable'],
    [
      '101',
      'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
      'upstream_invalid_response',
    ],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'upstream_invalid_response'],
    ['both framings', okAnswer('x', ['Transfer-Encoding: chunked']), 'upstream_invalid_response'],
    ['nothing', '', 'upstream_unreachable'],
  ])('is sent once to a provider that says %s and ends', async (_what, bytes, code) => {
    await start((socket) => socket.end(bytes));
    const answer = await post('one');
    expect([answer.status, fieldValue(answer.fieldLines, 'gateway-error')]).toEqual([502, code]);
    expect(bodies()).toEqual(['one']);
  });

  it('is sent once where a connection that was used before breaks', async () => {
    await start((socket, _request, index) => (index === 0 ? socket.write(okAnswer('ok')) : socket.destroy()));
    expect((await post('one')).status).toBe(200);
    await gateway.finished(1);
    const answer = await post('two');
    expect([answer.status, fieldValue(answer.fieldLines, 'gateway-error')]).toEqual([
      502,
      'upstream_unreachable',
    ]);
    expect(bodies()).toEqual(['one', 'two']);
  });
});
