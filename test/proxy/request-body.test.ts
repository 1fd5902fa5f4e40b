import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { CallerBody } from '../../src/proxy/request-body.ts';
import { REPLAY_BYTES_MAX } from '../../src/proxy/retry.ts';

/** The body of a caller that sends when the test does. */
function startBody(announcedBytes: number | undefined, bytesMax = 1024 * 1024) {
  const caller = new PassThrough();
  const seen = { continues: 0, isTooLarge: false };
  const response = {
    headersSent: false,
    writeContinue: () => {
      seen.continues += 1;
    },
  } as unknown as ServerResponse;
  const body = new CallerBody({
    request: caller as unknown as IncomingMessage,
    response,
    bytesMax,
    isContinueAwaited: true,
    announcedBytes,
    onTooLarge: () => {
      seen.isTooLarge = true;
    },
  });
  const states = () => [body.isUntouched, body.isComplete, body.isReplayable, body.mayBecomeReplayable];
  const completed = () => new Promise<void>((resolve) => body.whenComplete(resolve));
  return { caller, body, seen, states, completed };
}

describe('the body of a caller', () => {
  it('is untouched until an attempt wants it, and can be sent again once it is here', async () => {
    const { caller, body, seen, states, completed } = startBody(5);
    expect([states(), seen.continues]).toEqual([[true, false, false, true], 0]);
    const first = new PassThrough();
    expect(body.pipe(first)).toBe(first);
    expect([states(), seen.continues]).toEqual([[false, false, false, true], 1]);
    caller.end('hello');
    await completed();
    expect(states()).toEqual([false, true, true, true]);
    expect([await text(first), body.receivedBytes]).toEqual(['hello', 5]);
    expect(await text(body.pipe(new PassThrough()))).toBe('hello');
    expect(seen.continues).toBe(1);
  });

  it('of an unknown length may be sent again only once it is here', async () => {
    const { caller, body, states, completed } = startBody(undefined);
    expect(states()).toEqual([true, false, false, false]);
    body.pipe(new PassThrough()).resume();
    caller.end('hello');
    await completed();
    expect(states()).toEqual([false, true, true, true]);
  });

  it.each([
    [REPLAY_BYTES_MAX, true],
    [REPLAY_BYTES_MAX + 1, false],
  ])('of %i bytes can be sent again: %p', async (bytes, isReplayable) => {
    for (const announced of [bytes, undefined]) {
      const { caller, body, completed } = startBody(announced);
      const whole = text(body.pipe(new PassThrough()));
      caller.end('x'.repeat(bytes));
      await completed();
      expect([body.isReplayable, body.mayBecomeReplayable]).toEqual([isReplayable, isReplayable]);
      expect((await whole).length).toBe(bytes);
    }
  });

  it('is refused where it is larger than it may be', async () => {
    const { caller, body, seen } = startBody(undefined, 10);
    body.pipe(new PassThrough()).resume();
    caller.write('x'.repeat(10));
    await new Promise(setImmediate);
    expect(seen.isTooLarge).toBe(false);
    caller.write('x');
    await new Promise(setImmediate);
    expect([seen.isTooLarge, body.isReplayable]).toEqual([true, false]);
  });

  it('is gathered as a whole for a signature, and then sent to every attempt', async () => {
    const { caller, body } = startBody(undefined);
    const gathered = new Promise((resolve) => body.gather(10, resolve));
    caller.write('he');
    caller.end('llo');
    expect(String(await gathered)).toBe('hello');
    expect(await text(body.pipe(new PassThrough()))).toBe('hello');
    expect(await new Promise((resolve) => body.gather(10, (found) => resolve(String(found))))).toBe('hello');
  });

  it.each([11, undefined])('is not gathered beyond what was asked for (announced: %s)', async (announced) => {
    const { caller, body } = startBody(announced);
    const gathered = new Promise((resolve) => body.gather(10, resolve));
    caller.end('x'.repeat(11));
    expect(await gathered).toBeUndefined();
  });
});
