import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { createDeadlines } from '../../src/proxy/deadlines.ts';
import type { TimeoutKind } from '../../src/proxy/failures.ts';
import { callLimits, defaultLimits } from '../../src/proxy/timeouts.ts';
import { CLIENTS, PREFIX } from '../support/proxy-harness.ts';
import { closeLater, closeStage, openCaller, startStage } from '../support/proxy-stage.ts';
import { untilClosed } from '../support/until-closed.ts';
import { fieldValue, okAnswer, readAnswer } from '../support/upstream.ts';

afterEach(closeStage);

describe('the limits of a call', () => {
  const usual = defaultLimits({ connectTimeoutMs: 5_000, firstByteTimeoutMs: 60_000, idleTimeoutMs: 30_000 });

  it.each([
    [undefined, undefined, 60_000, 30_000],
    [{ firstByteSeconds: 600 }, undefined, 600_000, 30_000],
    [{ firstByteSeconds: 600, idleSeconds: 10 }, undefined, 600_000, 10_000],
    [{ firstByteSeconds: 600 }, 700, 700_000, 700_000],
    [undefined, 2, 2_000, 2_000],
  ])(
    'with those of the provider %j and %j of the caller are %d and %d ms',
    (provider, asked, firstByte, idle) => {
      expect(callLimits(usual, provider, asked)).toEqual({
        connectTimeoutMs: 5_000,
        // Waiting for a place in a full pool gains nothing by a provider that takes its time.
        queueTimeoutMs: 60_000,
        firstByteTimeoutMs: firstByte,
        idleTimeoutMs: idle,
      });
    },
  );
});

describe('an answer of a provider that keeps streams open', () => {
  const STREAM = 'text/event-stream';

  it.each([
    ['goes on after a silence', STREAM, STREAM, true],
    ['is cut where the caller asked for no events', 'application/json', STREAM, false],
    ['is cut where it is no events', STREAM, 'application/json', false],
  ])('%s', async (_, accept, contentType, isWhole) => {
    const answer = (socket: Socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Type: ${contentType}\r\nConnection: close\r\n\r\none `);
      setTimeout(() => socket.end('two'), 600);
    };
    const { gateway } = await startStage(answer, {
      limits: { idleTimeoutMs: 100 },
      connection: { hasOpenStreams: true },
    });
    const { body } = await gateway.call('GET', '/x', [`Accept: ${accept}`]).catch(() => ({ body: 'cut' }));
    expect(body.includes('two')).toBe(isWhole);
  });
});

describe.each(CLIENTS)('over %s, an answer that begins after the usual time', (_client, fields) => {
  const late = (socket: Socket) => void setTimeout(() => socket.write(okAnswer('thought about')), 400);
  const limits = { firstByteTimeoutMs: 100 };

  it('comes from a provider that the catalog allows it to', async () => {
    const connection = { timeouts: { firstByteSeconds: 30 } };
    const { gateway } = await startStage(late, { limits, connection });
    expect((await gateway.call('GET', '/x', fields)).body).toBe('thought about');
  });

  it('comes for a caller who asked for that', async () => {
    const { upstream, gateway } = await startStage(late, { limits });
    const answer = await gateway.call('GET', '/x', [...fields, 'Gateway-Timeout: 30']);
    expect(answer.body).toBe('thought about');
    expect(upstream.requests[0]?.head).not.toMatch(/gateway-timeout/i);
    expect((await gateway.call('GET', '/x', fields)).status).toBe(504);
  });

  it('does not come for a caller who asked for less', async () => {
    const { gateway } = await startStage(() => {}, { connection: { timeouts: { firstByteSeconds: 30 } } });
    const answer = await gateway.call('GET', '/x', [...fields, 'Gateway-Timeout: 1']);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('upstream_timeout');
  });
});

describe.each(CLIENTS)('over %s, an answer', (_client, fields) => {
  it('that drips for longer than the idle limit is not cut', async () => {
    const { gateway } = await startStage(
      async (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n');
        for (let count = 0; count < 20; count += 1) {
          await wait(50);
          socket.write('.');
        }
      },
      { limits: { idleTimeoutMs: 500 } },
    );
    expect((await gateway.call('GET', '/x', fields)).body).toBe('.'.repeat(20));
    await gateway.finished(1);
    expect(gateway.calls[0]?.error).toBeUndefined();
  });
});

describe.each(CLIENTS)('over %s, the head of an answer', (_client, fields) => {
  it.each(['Content-Length: 1000000', 'Transfer-Encoding: chunked'])(
    'does not wait for a body that takes its time: %s',
    async (length) => {
      const { gateway } = await startStage(`HTTP/1.1 200 OK\r\n${length}\r\n\r\n`);
      const { socket, received } = await openCaller(gateway, [`GET ${PREFIX}/x HTTP/1.1`, ...fields]);
      closeLater(() => socket.destroy());
      await once(socket, 'data', { signal: AbortSignal.timeout(5_000) });
      expect(Buffer.concat(received).toString()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    },
  );
});

describe('a caller', () => {
  it('that keeps sending after its answer is cut after a while', async () => {
    const { gateway } = await startStage(okAnswer('never'), { limits: { drainTimeoutMs: 200 } });
    const { socket, received } = await openCaller(gateway, [
      `POST ${PREFIX}/x HTTP/1.1`,
      'Content-Length: 100000',
      'Gateway-Retry: 9',
    ]);
    const timer = setInterval(() => socket.write('x'), 10);
    await untilClosed(socket);
    clearInterval(timer);
    expect(readAnswer(received).status).toBe(400);
  });
});

describe('the watch over calls', () => {
  it('lets none inherit the time that the last call in its slot had waited', async () => {
    const deadlines = createDeadlines({ connectTimeoutMs: 400, firstByteTimeoutMs: 400, idleTimeoutMs: 400 });
    closeLater(() => deadlines.stop());
    const timedOut: string[] = [];
    let looks = 0;
    const watch = (name: string, kind: TimeoutKind | undefined): { slot: number; timeout: Promise<void> } => {
      let report: () => void = () => {};
      const timeout = new Promise<void>((resolve) => (report = resolve));
      const slot = deadlines.watch({
        waiting() {
          looks += 1;
          return kind && { kind, limitMs: 400 };
        },
        progress: () => 0,
        onTimeout() {
          timedOut.push(name);
          report();
        },
      });
      return { slot, timeout };
    };
    const idle = watch('idle', undefined);
    const waiting = watch('waiting', 'first_byte');
    // Half of its time and more.
    while (looks < 2 * 6) await wait(10);
    deadlines.unwatch(idle.slot);
    deadlines.unwatch(waiting.slot);
    const next = watch('in the slot of the waiting one', 'first_byte');
    const other = watch('in the slot of the idle one', 'first_byte');
    expect([next.slot, other.slot]).toEqual([waiting.slot, idle.slot]);
    await Promise.all([next.timeout, other.timeout]);
    // Begun together they end in one sweep, which goes by slot; time inherited would put the first one in front.
    expect(timedOut).toEqual(['in the slot of the idle one', 'in the slot of the waiting one']);
    expect(deadlines.size).toBe(2);
  });

  it('says that a caller is quiet after a second without a byte, not before', async () => {
    const deadlines = createDeadlines({ connectTimeoutMs: 400, firstByteTimeoutMs: 400, idleTimeoutMs: 400 });
    closeLater(() => deadlines.stop());
    const beganMs = performance.now();
    const quietMs = await new Promise<number>((resolve) => {
      const socket = { destroyed: false, bytesRead: 0, destroy: () => resolve(0) };
      deadlines.endAfterDrain(
        socket as Socket,
        () => false,
        () => resolve(performance.now() - beganMs),
      );
    });
    expect(quietMs).toBeGreaterThan(990);
  });
});
