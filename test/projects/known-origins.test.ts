import { setImmediate as turn } from 'node:timers/promises';
import { createKnownOrigins } from '../../src/projects/known-origins.ts';

const APP = 'https://app.example';

function originsOf(known: string[] = [APP]) {
  const world = {
    nowMs: 0,
    known: new Set(known),
    queries: [] as (readonly string[])[],
    gate: Promise.resolve(),
    isAway: false,
  };
  const origins = createKnownOrigins({
    now: () => world.nowMs,
    async findKnownOrigins(asked) {
      world.queries.push(asked);
      const found = asked.filter((origin) => world.known.has(origin));
      const { isAway } = world;
      await world.gate;
      if (isAway) throw new Error('Knex: Timeout acquiring a connection');
      return found;
    },
  });
  return { world, origins };
}

const strange = (index: number) => `https://made-up-${index}.example`;

describe('the origins that any project allows', () => {
  it('are asked once, and answered from memory afterwards, unknown ones included', async () => {
    const { world, origins } = originsOf();
    expect(await origins.isKnown(APP)).toBe(true);
    expect(await origins.isKnown(strange(1))).toBe(false);
    for (let count = 0; count < 100; count += 1) {
      expect([origins.isKnown(APP), origins.isKnown(strange(1))]).toEqual([true, false]);
    }
    expect(world.queries).toEqual([[APP], [strange(1)]]);
  });

  it('are asked one query at a time, however many come', async () => {
    const { world, origins } = originsOf();
    const held = Promise.withResolvers<void>();
    world.gate = held.promise;
    const answers = Array.from({ length: 900 }, (_, index) => origins.isKnown(strange(index)));
    const honest = origins.isKnown(APP);
    expect(world.queries).toHaveLength(1);
    held.resolve();
    expect(await honest).toBe(true);
    expect(await Promise.all(answers)).not.toContain(true);
    expect(world.queries.length).toBeLessThanOrEqual(6);
    expect(Math.max(...world.queries.map(({ length }) => length))).toBeLessThanOrEqual(200);
  });

  it('that wait are bounded in number; more are not allowed, and not remembered as unknown', async () => {
    const { world, origins } = originsOf();
    const held = Promise.withResolvers<void>();
    world.gate = held.promise;
    const answers = Array.from({ length: 1_500 }, (_, index) => origins.isKnown(strange(index)));
    expect(await origins.isKnown(APP)).toBe(false);
    held.resolve();
    await Promise.all(answers);
    expect(await origins.isKnown(APP)).toBe(true);
  });

  it('are not asked for where nothing could allow them', () => {
    const { world, origins } = originsOf();
    for (const origin of ['null', 'file://', 'chrome-extension://abc', '', `https://${'x'.repeat(2_000)}`]) {
      expect(origins.isKnown(origin)).toBe(false);
    }
    expect(world.queries).toEqual([]);
  });

  it('that were known go on while the pool is exhausted; others are not allowed', async () => {
    const { world, origins } = originsOf();
    await origins.isKnown(APP);
    world.isAway = true;
    world.nowMs += 3_600_000;
    expect(origins.isKnown(APP)).toBe(true);
    await turn();
    expect(origins.isKnown(APP)).toBe(true);
    origins.invalidate();
    expect(await origins.isKnown(APP)).toBe(true);
    expect(await origins.isKnown(strange(1))).toBe(false);
    world.isAway = false;
    world.known.add(strange(1));
    expect(await origins.isKnown(strange(1))).toBe(true);
  });

  it('that were known wait for a store that hangs no longer than a moment', async () => {
    const { world, origins } = originsOf();
    await origins.isKnown(APP);
    world.gate = new Promise(() => undefined);
    origins.invalidate();
    expect(await origins.isKnown(APP)).toBe(true);
  });

  it('are asked again after a change: taken away, added, and changed during the question', async () => {
    const { world, origins } = originsOf();
    await origins.isKnown(APP);
    await origins.isKnown(strange(1));
    world.known = new Set([strange(1)]);
    origins.invalidate();
    expect([await origins.isKnown(APP), await origins.isKnown(strange(1))]).toEqual([false, true]);
    const held = Promise.withResolvers<void>();
    world.gate = held.promise;
    world.nowMs += 30_000;
    const overtaken = origins.isKnown(APP);
    world.known.add(APP);
    origins.invalidate();
    const later = origins.isKnown(APP);
    held.resolve();
    expect([await overtaken, await later]).toEqual([false, true]);
  });

  it('are not remembered where a change came during the question', async () => {
    const { world, origins } = originsOf();
    const held = Promise.withResolvers<void>();
    world.gate = held.promise;
    const overtaken = [origins.isKnown(APP), origins.isKnown(strange(1))];
    world.known = new Set([strange(1)]);
    origins.invalidate();
    held.resolve();
    await Promise.all(overtaken);
    expect([await origins.isKnown(APP), await origins.isKnown(strange(1))]).toEqual([false, true]);
  });

  it('are asked again every second while change notices are lost', async () => {
    const { world, origins } = originsOf();
    origins.setHasNotices(false);
    await origins.isKnown(strange(1));
    world.nowMs += 1_000;
    await origins.isKnown(strange(1));
    expect(world.queries).toHaveLength(2);
  });

  it('made up by a flood push no known one out of memory', async () => {
    const { world, origins } = originsOf();
    await origins.isKnown(APP);
    for (let round = 0; round < 15; round += 1) {
      await Promise.all(
        Array.from({ length: 200 }, (_, index) => origins.isKnown(strange(round * 200 + index))),
      );
    }
    const queries = world.queries.length;
    expect(origins.isKnown(APP)).toBe(true);
    expect(world.queries).toHaveLength(queries);
  });
});
