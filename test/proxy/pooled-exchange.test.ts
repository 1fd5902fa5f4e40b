import { once } from 'node:events';
import type { Socket } from 'node:net';
import { createAgents } from '../../src/platform/agents.ts';
import { type Harness, type HarnessOptions, PREFIX, USER_TOKEN } from '../support/proxy-harness.ts';
import { closeLater, closeStage, openCaller, startStage } from '../support/proxy-stage.ts';
import { fieldValue, okAnswer, type RawAnswer, type RawUpstream } from '../support/upstream.ts';

let upstream: RawUpstream;
let gateway: Harness;

async function start(answer: RawAnswer, options: Partial<HarnessOptions> = {}): Promise<void> {
  ({ upstream, gateway } = await startStage(answer, options));
}

/** With a single connection for each origin. */
async function startNarrow(answer: RawAnswer, options: Partial<HarnessOptions> = {}): Promise<void> {
  const agents = createAgents({ allowPrivateNetworks: true, maxSockets: 1 });
  await start(answer, { ...options, deps: { agents, ...options.deps } });
  closeLater(() => agents.destroy());
}

afterEach(closeStage);

const caller = async (path: string) => (await openCaller(gateway, [`GET ${PREFIX}${path} HTTP/1.1`])).socket;

const paths = (): (string | undefined)[] =>
  upstream.requests.map(({ requestLine }) => requestLine.split(' ')[1]);

describe('a GET without a body', () => {
  it('that asks for an empty body to be noticed is sent with its length', async () => {
    await start(okAnswer('ok'));
    await gateway.call('GET', '/x', ['Content-Length: 0']);
    expect(upstream.requests[0]?.fieldLines).toContain('Content-Length: 0');
  });

  it('shares no connection that the provider wants to close', async () => {
    await start(okAnswer('ok', ['Connection: close']));
    for (const count of [1, 2]) {
      expect((await gateway.call('GET', '/x')).body).toBe('ok');
      await gateway.finished(count);
    }
    expect(upstream.connectionCount()).toBe(2);
  });

  it('does not use a connection again that the provider ends within a second', async () => {
    await start(okAnswer('ok', ['Keep-Alive: timeout=1']));
    for (const count of [1, 2]) {
      expect((await gateway.call('GET', '/x')).body).toBe('ok');
      await gateway.finished(count);
    }
    expect(upstream.connectionCount()).toBe(2);
  });
});

describe('a GET that waits for a connection', () => {
  it('is sent when one is free', async () => {
    const held: Socket[] = [];
    await startNarrow((socket, { requestLine }) => {
      if (requestLine.includes('first')) held.push(socket);
      else socket.write(okAnswer('second'));
    });
    await caller('/first');
    await upstream.arrived(1);
    const second = gateway.call('GET', '/second');
    held[0]?.write(okAnswer('first'));
    expect((await second).body).toBe('second');
    expect(upstream.connectionCount()).toBe(1);
  });

  it('is never sent once its caller has left, and costs no connection', async () => {
    const held: Socket[] = [];
    const waiting = Promise.withResolvers<void>();
    const answer: RawAnswer = (socket, { requestLine }) => {
      if (requestLine.includes('first')) held.push(socket);
      else socket.write(okAnswer('ok'));
    };
    const noteUse = (): void => {
      if (upstream.requests.length > 0) waiting.resolve();
    };
    await startNarrow(answer, { deps: { noteUse } });
    await caller('/first');
    await upstream.arrived(1);
    const leaving = await caller('/left');
    await waiting.promise;
    leaving.destroy();
    await gateway.finished(1);
    held[0]?.write(okAnswer('first'));
    await gateway.finished(2);
    expect((await gateway.call('GET', '/third')).body).toBe('ok');
    expect(paths()).toEqual(['/first', '/third']);
    expect(upstream.connectionCount()).toBe(1);
  });

  it('for too long is 503 overloaded', async () => {
    await startNarrow((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nbegun'), {
      limits: { firstByteTimeoutMs: 1_000 },
    });
    const first = await caller('/first');
    await once(first, 'data');
    const answer = await gateway.call('GET', '/second');
    expect(answer.status).toBe(503);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('overloaded');
    expect(paths()).toEqual(['/first']);
  });
});

describe('an answer that waits for a decision', () => {
  it('is whole although the provider has ended the connection meanwhile', async () => {
    const body = 'b'.repeat(100_000);
    const ended = Promise.withResolvers<void>();
    const refreshAfter401 = (): Promise<null> => ended.promise.then(() => null);
    await start(
      (socket) => socket.end(`HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n${body}`, ended.resolve),
      { deps: { refreshAfter401 } },
    );
    const answer = await fetch(gateway.url, { headers: { authorization: `Bearer ${USER_TOKEN}` } });
    expect(answer.status).toBe(401);
    expect(await answer.text()).toBe(body);
  });
});
