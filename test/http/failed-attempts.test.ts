import { maskToNetwork } from '../../src/http/client-address.ts';
import { createFailedAttempts } from '../../src/http/failed-attempts.ts';
import { createMemoryLedger } from '../../src/platform/limits/ledger.ts';
import { createSharedLimits } from '../../src/platform/limits/shared-limits.ts';

describe('failed attempts of a network', () => {
  function attempts(perMinute: number) {
    const clock = { nowMs: 1_000 };
    return { clock, failed: createFailedAttempts({ perMinute, now: () => clock.nowMs }) };
  }

  it('are refused with their own code until the limit, then with waits that double up to 15 minutes', async () => {
    const { failed } = attempts(2);
    expect([await failed.count('a'), await failed.count('a')]).toEqual([undefined, undefined]);
    const waits: number[] = [];
    while (waits.length < 14) waits.push(Number((await failed.count('a'))?.headers['Retry-After']));
    expect(waits.slice(0, 6)).toEqual([30, 30, 30, 30, 30, 32]);
    expect(waits.slice(-4)).toEqual([900, 900, 900, 900].map((_, index) => Math.min(900, 2 ** (10 + index))));
    expect(waits.toSorted((one, other) => one - other)).toEqual(waits);
  });

  it('make it a suspect until it has waited, and others none', async () => {
    const { clock, failed } = attempts(1);
    await failed.count('a');
    await failed.count('a');
    expect([failed.isOverLimit('a'), failed.isOverLimit('b')]).toEqual([true, false]);
    clock.nowMs += 60_000;
    expect(failed.isOverLimit('a')).toBe(false);
  });

  it('are forgotten when it has been quiet for long', async () => {
    const { clock, failed } = attempts(1);
    for (let count = 0; count < 12; count += 1) await failed.count('a');
    clock.nowMs += 30 * 60_000 + 1;
    expect(await failed.count('a')).toBeUndefined();
    expect((await failed.count('a'))?.headers['Retry-After']).toBe('60');
  });

  it('are those at all processes together', async () => {
    const ledger = createMemoryLedger();
    const processes = [1, 2, 3].map(() => {
      const sharedLimits = createSharedLimits({ ledger, peers: () => 3 });
      return createFailedAttempts({ perMinute: 6, sharedLimits });
    });
    let own = 0;
    for (let round = 0; round < 5; round += 1)
      for (const failed of processes) if ((await failed.count('a')) === undefined) own += 1;
    // What is set aside for a process that sees no further failure is refused by the others.
    expect(own).toBeGreaterThan(3);
    expect(own).toBeLessThanOrEqual(6);
  });
});

describe('the network of an address', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff::1', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['unknown', 'unknown'],
    ['x'.repeat(500), 'x'.repeat(64)],
  ])('of %s is %s', (address, network) => {
    expect(maskToNetwork(address)).toBe(network);
  });
});
