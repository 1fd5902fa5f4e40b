import type { WaitRules } from '../../src/catalog/facts/read-retry-after.ts';
import { HttpError } from '../../src/http/errors.ts';
import type { Credential, ProxyDependencies } from '../../src/proxy/contract.ts';
import { CLIENTS, type Harness, type HarnessOptions } from '../support/proxy-harness.ts';
import { closeStage, startStage } from '../support/proxy-stage.ts';
import { fieldValue, okAnswer, type RawAnswer, type RawUpstream } from '../support/upstream.ts';

const UNAUTHORIZED = 'HTTP/1.1 401 Unauthorized\r\nContent-Length: 7\r\n\r\nexpired';
const FRESH: Credential = { version: 2, values: { accessToken: 'provider-token-2' } };

let upstream: RawUpstream;
let gateway: Harness;
let refreshes: Credential[];

async function start(
  answer: RawAnswer,
  refreshAfter401: ProxyDependencies['refreshAfter401'] = async () => FRESH,
  options: Partial<HarnessOptions> = {},
): Promise<void> {
  refreshes = [];
  const stage = await startStage(answer, {
    ...options,
    deps: {
      random: () => 0,
      refreshAfter401(connection, used) {
        refreshes.push(used);
        return refreshAfter401(connection, used);
      },
      ...options.deps,
    },
  });
  ({ upstream, gateway } = stage);
}

afterEach(closeStage);

const authorizations = (): (string | undefined)[] =>
  upstream.requests.map(({ fieldLines }) => fieldValue(fieldLines, 'authorization'));

describe('a 401 of the provider', () => {
  const once401: RawAnswer = (socket, _request, index) =>
    socket.write(index === 0 ? UNAUTHORIZED : okAnswer('ok'));

  it('forces one refresh, and the request is sent again with the new credential', async () => {
    await start(once401);
    const answer = await gateway.call('GET', '/x?a=1');
    expect(answer.body).toBe('ok');
    expect(authorizations()).toEqual(['Bearer provider-token-1', 'Bearer provider-token-2']);
    expect(upstream.requests[1]?.requestLine).toBe('GET /x?a=1 HTTP/1.1');
    expect(refreshes).toMatchObject([{ version: 1 }]);
    await gateway.finished(1);
    expect(gateway.calls[0]).toMatchObject({ status: 200, attempts: 2 });
  });

  it('has a small body sent again byte for byte', async () => {
    await start(once401);
    const body = 'b'.repeat(64 * 1024);
    await gateway.call('POST', '/x', [`Content-Length: ${body.length}`], body);
    expect(upstream.requests.map((request) => request.body.toString())).toEqual([body, body]);
  });

  it('has a small chunked body sent again', async () => {
    await start(once401);
    const answer = await gateway.call(
      'POST',
      '/x',
      ['Transfer-Encoding: chunked'],
      '5\r\nhello\r\n0\r\n\r\n',
    );
    expect(answer.body).toBe('ok');
    expect(upstream.requests.map((request) => request.body.toString())).toEqual(['hello', 'hello']);
  });

  it.each([
    ['of an announced length', (body: string) => [`Content-Length: ${body.length}`], (body: string) => body],
    [
      'in chunks',
      () => ['Transfer-Encoding: chunked'],
      (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    ],
  ])(
    'to a body too large to keep, %s, passes, and the next call has a new credential',
    async (_how, fields, framed) => {
      let credential: Credential = { version: 1, values: { accessToken: 'provider-token-1' } };
      await start(
        once401,
        async () => {
          credential = FRESH;
          return FRESH;
        },
        { deps: { credential: () => credential } },
      );
      const body = 'b'.repeat(64 * 1024 + 1);
      const answer = await gateway.call('POST', '/x', fields(body), framed(body));
      expect(answer.status).toBe(401);
      expect(answer.body).toBe('expired');
      expect(fieldValue(answer.fieldLines, 'gateway-error')).toBeUndefined();
      expect(upstream.requests).toHaveLength(1);
      expect(refreshes).toHaveLength(1);
      await gateway.call('POST', '/y', fields(body), framed(body));
      expect(authorizations()).toEqual(['Bearer provider-token-1', 'Bearer provider-token-2']);
    },
  );

  it('to a body too large to keep is 424 where the refresh shows that the user has to authorize again', async () => {
    await start(once401, async () => {
      throw new HttpError('reauthorization_required');
    });
    const body = 'b'.repeat(64 * 1024 + 1);
    const answer = await gateway.call('POST', '/x', [`Content-Length: ${body.length}`], body);
    expect(answer.status).toBe(424);
  });

  it('passes when no refresh was possible', async () => {
    await start(UNAUTHORIZED, async () => null);
    const answer = await gateway.call('GET', '/x');
    expect(answer.body).toBe('expired');
    expect(upstream.requests).toHaveLength(1);
  });

  it('passes the second time', async () => {
    await start(UNAUTHORIZED);
    const answer = await gateway.call('GET', '/x');
    expect(answer.status).toBe(401);
    expect(answer.body).toBe('expired');
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBeUndefined();
    expect(refreshes).toHaveLength(1);
    expect(upstream.requests).toHaveLength(2);
  });

  it('is 424 when the refresh shows that the authorization is dead', async () => {
    await start(UNAUTHORIZED, async () => {
      throw new HttpError('reauthorization_required');
    });
    const answer = await gateway.call('GET', '/x');
    expect(answer.status).toBe(424);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('reauthorization_required');
  });

  it('is not disturbed by a first answer that never ends', async () => {
    await start((socket, _request, index) => {
      if (index === 0)
        socket.write(`HTTP/1.1 401 Unauthorized\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(70_000)}`);
      else socket.write(okAnswer('ok'));
    });
    expect((await gateway.call('GET', '/x')).body).toBe('ok');
  });

  it.each(CLIENTS)('over %s costs its connection when its body does not end', async (_client, fields) => {
    const left = Promise.withResolvers<void>();
    await start(
      (socket, _request, index) => {
        if (index > 0) {
          socket.write(okAnswer('ok'));
          return;
        }
        socket.on('close', () => left.resolve());
        socket.write('HTTP/1.1 401 Unauthorized\r\nContent-Length: 10\r\n\r\nbegun');
      },
      undefined,
      { limits: { idleTimeoutMs: 80 } },
    );
    expect((await gateway.call('GET', '/x', fields)).body).toBe('ok');
    await left.promise;
  });

  it('is not disturbed by a first answer that breaks off', async () => {
    await start((socket, _request, index) => {
      if (index > 0) socket.write(okAnswer('ok'));
      else socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 100\r\n\r\nshort');
    });
    expect((await gateway.call('GET', '/x')).body).toBe('ok');
    expect(upstream.requests).toHaveLength(2);
  });
});

describe('Gateway-Retry', () => {
  const fails = (times: number, fields = ''): RawAnswer => {
    return (socket, _request, index) => {
      if (index < times) socket.write(`HTTP/1.1 503 Busy\r\n${fields}Content-Length: 4\r\n\r\nbusy`);
      else socket.write(okAnswer('ok'));
    };
  };

  it('asks for so many retries', async () => {
    await start(fails(2));
    const answer = await gateway.call('POST', '/x', ['Gateway-Retry: 2', 'Content-Length: 2'], 'hi');
    expect(answer.body).toBe('ok');
    expect(upstream.requests.map(({ body }) => body.toString())).toEqual(['hi', 'hi', 'hi']);
    expect(upstream.requests[0]?.head).not.toMatch(/gateway-retry/i);
  });

  it('are made on the connection of the answer that nobody gets', async () => {
    await start(fails(2));
    for (const fields of [[], ['Content-Length: 0']])
      expect((await gateway.call('GET', '/x', ['Gateway-Retry: 2', ...fields])).body).toBe('ok');
    expect(upstream.connectionCount()).toBeLessThanOrEqual(2);
    expect(upstream.requests).toHaveLength(4);
  });

  it.each([
    ['is too long', 'b'.repeat(64 * 1024 + 1), 503, 1],
    ['is short', 'b'.repeat(1024), 200, 2],
  ])('sends a body again that comes in chunks, unless it %s', async (_which, body, status, requests) => {
    await start(fails(1));
    const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const answer = await gateway.call(
      'POST',
      '/x',
      ['Gateway-Retry: 1', 'Transfer-Encoding: chunked'],
      chunked,
    );
    expect([answer.status, upstream.requests.length]).toEqual([status, requests]);
    expect(upstream.requests.every((request) => request.body.toString() === body)).toBe(true);
  });

  it('passes the provider’s answer when they are used up', async () => {
    await start(fails(9));
    const answer = await gateway.call('GET', '/x', ['Gateway-Retry: 1']);
    expect(answer.status).toBe(503);
    expect(answer.body).toBe('busy');
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBeUndefined();
    expect(upstream.requests).toHaveLength(2);
  });

  it('left out means none', async () => {
    await start(fails(1));
    expect((await gateway.call('GET', '/x')).status).toBe(503);
    expect(upstream.requests).toHaveLength(1);
  });

  it('does not wait longer than is sensible for Retry-After', async () => {
    await start(fails(1, 'Retry-After: 3600\r\n'));
    const answer = await gateway.call('GET', '/x', ['Gateway-Retry: 3']);
    expect(answer.status).toBe(503);
    expect(fieldValue(answer.fieldLines, 'retry-after')).toBe('3600');
    expect(upstream.requests).toHaveLength(1);
  });

  it('waits as long as Retry-After says', async () => {
    await start(fails(1, 'Retry-After: 1\r\n'));
    expect((await gateway.call('GET', '/x', ['Gateway-Retry: 1'])).body).toBe('ok');
    await gateway.finished(1);
    expect(gateway.calls[0]?.durationMs).toBeGreaterThanOrEqual(990);
  });

  it('follows what the catalog says of a provider that refuses in its own way', async () => {
    const refusal = 'HTTP/1.1 403 Slow down\r\nX-Left: 0\r\nX-Wait: 0.1\r\nContent-Length: 4\r\n\r\nslow';
    const answer: RawAnswer = (socket, _request, index) =>
      socket.write(index === 0 ? refusal : okAnswer('ok'));
    const rateLimit: WaitRules['rateLimit'] = {
      remaining: 'X-Left',
      of: 'connection',
      statuses: [429],
      resetUnit: 'seconds',
    };
    const waitRules = { retry: { statuses: [403], after: ['X-Wait'], at: [] }, rateLimit };
    await start(answer, undefined, { connection: { waitRules } });
    expect((await gateway.call('GET', '/x', ['Gateway-Retry: 1'])).body).toBe('ok');
    await closeStage();
    await start(answer);
    expect((await gateway.call('GET', '/x', ['Gateway-Retry: 1'])).status).toBe(403);
  });

  it('covers a connection that breaks off before the answer', async () => {
    await start((socket, _request, index) => {
      if (index === 0) socket.destroy();
      else socket.write(okAnswer('ok'));
    });
    expect((await gateway.call('GET', '/x', ['Gateway-Retry: 1'])).body).toBe('ok');
  });

  it('goes together with a refresh', async () => {
    await start((socket, _request, index) => {
      socket.write(
        [UNAUTHORIZED, 'HTTP/1.1 429 Slow\r\nContent-Length: 0\r\n\r\n', okAnswer('ok')][index] ?? '',
      );
    });
    expect((await gateway.call('GET', '/x', ['Gateway-Retry: 1'])).body).toBe('ok');
    expect(authorizations()).toEqual([
      'Bearer provider-token-1',
      'Bearer provider-token-2',
      'Bearer provider-token-2',
    ]);
  });
});
