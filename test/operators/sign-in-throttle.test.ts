import { setImmediate as turn } from 'node:timers/promises';
import { createPasswordWork } from '../../src/operators/accounts/password-work.ts';
import { createSignInThrottle, type SignInAttempt } from '../../src/operators/sessions/sign-in-throttle.ts';
import { createMemoryLedger, type LimitLedger } from '../../src/platform/limits/ledger.ts';
import { createSharedLimits } from '../../src/platform/limits/shared-limits.ts';
import { until } from '../support/until.ts';

const MINUTE_MS = 60_000;
const ADA: SignInAttempt = { email: 'ada@example.test', network: '192.0.2.1', isKnownDevice: false };

function start({ ledger, processes = 1 }: { ledger?: LimitLedger; processes?: number } = {}) {
  const clock = { nowMs: 0 };
  /** Ends the pauses of the slow lane, one at a time. */
  const pauses: (() => void)[] = [];
  const pausesMs: number[] = [];
  const now = () => clock.nowMs;
  const throttle = createSignInThrottle({
    sharedLimits: createSharedLimits({ ...(ledger && { ledger }), peers: () => processes, now }),
    pause: (ms) => {
      pausesMs.push(ms);
      return new Promise((resolve) => pauses.push(resolve));
    },
  });
  const fail = async (attempt: SignInAttempt, times: number) => {
    for (let count = 0; count < times; count += 1) await throttle.countFailure(attempt);
  };
  return { clock, pauses, pausesMs, throttle, fail };
}

const from = (index: number): SignInAttempt => ({ ...ADA, network: `198.51.100.${index}` });

describe('guessing a password', () => {
  it('is refused to a network after ten failures at one account, in any case of its address, for a while', async () => {
    const { clock, throttle, fail } = start();
    await fail(ADA, 10);
    await expect(throttle.admit({ ...ADA, email: 'ADA@example.test' })).rejects.toMatchObject({
      code: 'rate_limited',
      headers: { 'Retry-After': '90' },
    });
    await throttle.admit({ ...ADA, email: 'grace@example.test' });
    await throttle.admit({ ...ADA, network: '192.0.2.2' });
    clock.nowMs += 2 * MINUTE_MS;
    await throttle.admit(ADA);
  });

  it('is refused to a network after fifty failures at any accounts', async () => {
    const { throttle, fail } = start();
    for (let index = 0; index < 50; index += 1) await fail({ ...ADA, email: `${index}@example.test` }, 1);
    await expect(throttle.admit({ ...ADA, email: 'another@example.test' })).rejects.toMatchObject({
      code: 'rate_limited',
    });
  });

  it('from many networks makes unknown browsers wait, one after the other, and locks nobody out', async () => {
    const { pauses, throttle, fail } = start();
    for (let index = 0; index < 6; index += 1) await fail(from(index), 5);
    const admitted: number[] = [];
    const waiting = [10, 11, 12].map(async (index) => {
      await throttle.admit(from(index));
      admitted.push(index);
    });
    await turn();
    expect([admitted, pauses.length]).toEqual([[], 1]);
    for (const expected of [[10], [10, 11], [10, 11, 12]]) {
      pauses.shift()?.();
      await turn();
      expect(admitted).toEqual(expected);
    }
    await Promise.all(waiting);
    // A browser that has signed in before does not even wait.
    await throttle.admit({ ...from(13), isKnownDevice: true });
  });

  it('is slowed down by the failures at all processes together', async () => {
    const ledger = createMemoryLedger(() => 0);
    const [one, two] = [start({ ledger, processes: 2 }), start({ ledger, processes: 2 })];
    await one.fail(ADA, 5);
    await two.fail(ADA, 5);
    for (const { throttle } of [one, two])
      await expect(throttle.admit(ADA)).rejects.toMatchObject({ code: 'rate_limited' });
    for (let index = 0; index < 4; index += 1) await two.fail(from(index), 5);
    const admitted = two.throttle.admit(from(10));
    await until(() => two.pauses.length === 1);
    // One attempt a second over all of them.
    expect(two.pausesMs).toEqual([2_000]);
    two.pauses[0]?.();
    await admitted;
  });

  it('leaves a known browser ten failures of its own', async () => {
    const { throttle, fail } = start();
    const known = { ...ADA, isKnownDevice: true };
    await fail(known, 10);
    await expect(throttle.admit(known)).rejects.toMatchObject({ code: 'rate_limited' });
    await throttle.admit(ADA);
  });
});

describe('hashing', () => {
  it('takes turns between networks, and refuses what waits beyond a few of one', async () => {
    const work = createPasswordWork();
    const order: string[] = [];
    const hash = (network: string) => work.hash(network, 'a password').then(() => order.push(network));
    const flood = Array.from({ length: 10 }, () => hash('flood'));
    const other = hash('other');
    const outcomes = await Promise.allSettled([...flood, other]);
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(4);
    expect(refused).toMatchObject(Array(4).fill({ reason: { code: 'overloaded' } }));
    expect(order.indexOf('other')).toBeLessThan(5);
  });

  it('costs the same without an account, and is never right there', async () => {
    const work = createPasswordWork();
    expect(await work.verify('n', 'a password', undefined)).toBe(false);
    expect(await work.verify('n', 'a password', null)).toBe(false);
  });
});
