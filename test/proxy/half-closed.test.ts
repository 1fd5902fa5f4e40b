import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Harness, PREFIX, startHarness, USER_TOKEN } from '../support/proxy-harness.ts';
import { closeLater, closeStage } from '../support/proxy-stage.ts';
import { untilClosed } from '../support/until-closed.ts';
import { type RawUpstream, startRawUpstream } from '../support/upstream.ts';

afterEach(closeStage);

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n';
const CALL = `GET ${PREFIX}/x HTTP/1.1\r\nHost: g\r\nAuthorization: Bearer ${USER_TOKEN}\r\n\r\n`;

/** A caller in the middle of an answer of 20 bytes, of which `first` has arrived, and the provider's connection. */
async function startAnswer(halfClosedSilenceMs?: number, call = CALL) {
  const provider: Socket[] = [];
  const upstream: RawUpstream = await startRawUpstream((socket) => {
    provider.push(socket);
    socket.write(`${HEAD}first`);
  });
  const gateway: Harness = await startHarness({ upstreamPort: upstream.port, halfClosedSilenceMs });
  closeLater(gateway.close, upstream.close);
  const caller = connect({ port: gateway.port, host: '127.0.0.1', allowHalfOpen: true });
  caller.on('error', () => {});
  let text = '';
  caller.on('data', (chunk) => {
    text += String(chunk);
  });
  caller.write(call);
  while (!text.endsWith('first')) await once(caller, 'data');
  const [origin] = provider;
  if (origin === undefined) throw new Error('no call has arrived');
  return { caller, origin, text: () => text };
}

describe('a caller that ends its side while its answer is coming', () => {
  it('gets all of the answer', async () => {
    const { caller, origin, text } = await startAnswer();
    caller.end();
    await once(caller, 'finish');
    for (const part of ['-two-', 'three', '-four']) {
      origin.write(part);
      while (!text().endsWith(part)) await once(caller, 'data');
    }
    await untilClosed(caller);
    expect(text().endsWith('first-two-three-four')).toBe(true);
  });

  it('ends the provider’s work with the next piece where it has gone', async () => {
    const { caller, origin } = await startAnswer();
    caller.destroy();
    const ended = once(origin, 'close');
    origin.on('error', () => {});
    // The answer has fifteen bytes to come; the first tells the caller's system, a later one hears of it.
    const writing = setInterval(() => origin.write('.'), 20);
    await ended;
    clearInterval(writing);
  });

  it('ends it as well where the answer pauses', async () => {
    const { caller, origin } = await startAnswer(20);
    caller.end();
    await once(origin, 'close');
    await untilClosed(caller);
  });

  it('has it broken off, not ended, where the end of the connection is that of the answer', async () => {
    const { caller } = await startAnswer(20, CALL.replace('HTTP/1.1', 'HTTP/1.0'));
    caller.end();
    await expect(once(caller, 'close')).rejects.toMatchObject({ code: 'ECONNRESET' });
  });
});
