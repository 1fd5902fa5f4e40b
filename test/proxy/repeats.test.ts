import { HttpError } from '../../src/http/errors.ts';
import { isPromise } from '../../src/proxy/chain.ts';
import { DiscardingSink } from '../../src/proxy/exchange.ts';
import type { RequestBody } from '../../src/proxy/request-body.ts';
import { Repeats } from '../../src/proxy/retries.ts';

const clock = { now: () => Date.UTC(2026, 0, 1), random: () => 0.5 };
const body = (isReplayable: boolean) => ({ isReplayable, mayBecomeReplayable: isReplayable }) as RequestBody;
const answer = (status: number, fields: Record<string, string> = {}) => ({
  status,
  field: (name: string) => fields[name.toLowerCase()],
});

describe('a call that is sent again', () => {
  it('is refreshed once', () => {
    const repeats = new Repeats(clock, 0);
    expect([repeats.takeRefresh(), repeats.takeRefresh()]).toEqual([true, false]);
  });

  it('finds a connection closed three times at most', () => {
    const repeats = new Repeats(clock, 0);
    const taken = Array.from({ length: 5 }, () => repeats.takeStale());
    expect(taken).toEqual([true, true, true, false, false]);
  });

  it('is repeated as often as the caller asked, and no more', () => {
    const repeats = new Repeats(clock, 2);
    const next = () => repeats.delayAfterAnswer(answer(503), undefined, body(true));
    const delays = [next()];
    repeats.countRetry();
    delays.push(next());
    repeats.countRetry();
    expect([...delays.map((delay) => typeof delay), next()]).toEqual(['number', 'number', undefined]);
    expect(delays[1]).toBeGreaterThan(delays[0] ?? Infinity);
    const failure = new HttpError('upstream_timeout', {});
    expect(repeats.delayAfterFailure(failure, body(true))).toBeUndefined();
    expect(new Repeats(clock, 0).delayAfterAnswer(answer(503), undefined, body(true))).toBeUndefined();
  });

  it.each([
    ['a retryable status', answer(429), undefined, true, true],
    ['any other status', answer(500), undefined, true, false],
    ['a status by which its provider says later', answer(420), { statuses: [420] }, true, true],
    ['a body that cannot be sent twice', answer(503), undefined, false, false],
  ])('after %s', (_, head, retry, isReplayable, isRepeated) => {
    const rules = retry && { retry: { after: [], at: [], ...retry }, rateLimit: undefined };
    const delay = new Repeats(clock, 1).delayAfterAnswer(head, rules, body(isReplayable));
    expect(delay !== undefined).toBe(isRepeated);
  });

  it('waits as long as the provider asks', () => {
    const wait = new Repeats(clock, 1).delayAfterAnswer(
      answer(429, { 'retry-after': '3' }),
      undefined,
      body(true),
    );
    expect(wait).toBe(3_000);
  });

  it.each([
    ['upstream_timeout', true, true],
    ['upstream_timeout', false, false],
    ['upstream_unreachable', true, true],
    ['overloaded', true, false],
    ['internal_error', true, false],
  ] as const)(
    'after the gateway’s own %s, with a body that can be replayed: %p',
    (code, isReplayable, isRepeated) => {
      const delay = new Repeats(clock, 1).delayAfterFailure(new HttpError(code, {}), body(isReplayable));
      expect(delay !== undefined).toBe(isRepeated);
    },
  );
});

describe('a body that nobody wants', () => {
  it('is taken up to 64 KiB, so that its connection can be used again', () => {
    let given = 0;
    const sink = new DiscardingSink(60_000, () => {
      given += 1;
    });
    expect(sink.write(Buffer.alloc(64 * 1024))).toBe(true);
    expect(given).toBe(0);
    sink.write(Buffer.alloc(1));
    expect(given).toBe(1);
    sink.end();
  });

  it('is waited for no longer than it may take', async () => {
    await new Promise<void>((resolve) => new DiscardingSink(1, resolve));
  });
});

it.each([
  [Promise.resolve(), true],
  [Object.fromEntries([['then', () => undefined]]), true],
  [Object.fromEntries([['then', 1]]), false],
  [{}, false],
  [null, false],
  [undefined, false],
  ['then', false],
  [7, false],
])('%p is a promise: %p', (value, expected) => {
  expect(isPromise<unknown>(value)).toBe(expected);
});
