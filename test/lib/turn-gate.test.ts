import { setImmediate as nextTurn } from 'node:timers/promises';
import { createTurnGate } from '../../src/lib/turn-gate.ts';

/** Enters with each key in the same turn, and notes the keys in the order in which their work begins, `|` between turns. */
async function enterAll(keys: readonly string[]): Promise<string> {
  const gate = createTurnGate();
  const begun: string[] = [];
  const works = keys.map(async (key) => {
    await gate.enter(key);
    begun.push(key);
  });
  const all = Promise.all(works).then(() => true);
  while (!(await Promise.race([all, nextTurn(false)]))) begun.push('|');
  return begun.join('');
}

describe('a gate that opens once a turn', () => {
  it('lets the first in at once', () => {
    expect(createTurnGate().enter('a')).toBeUndefined();
  });

  it('lets one begin in each turn of the event loop', async () => {
    expect(await enterAll(['a', 'a', 'a', 'a'])).toMatch(/^a\|*a\|+a\|+a$/);
  });

  it('lets keys take turns: one of another key waits for one of those before it, and not for all', async () => {
    const order = await enterAll(['a', 'a', 'a', 'a', 'b', 'c']);
    expect(order.replaceAll('|', '')).toBe('aabcaa');
  });

  it('lets a hundredth of those begin that wait, so that nobody waits for as many turns as there are others', async () => {
    const order = await enterAll(Array.from({ length: 1_000 }, () => 'a'));
    const turns = order.split('|').map((begun) => begun.length);
    expect(Math.max(...turns)).toBeLessThanOrEqual(11);
    expect(turns.filter((begun) => begun > 0).length).toBeLessThan(400);
  });

  it('lets the next in at once when all have begun and a turn has passed', async () => {
    const gate = createTurnGate();
    await Promise.all([gate.enter('a'), gate.enter('a')]);
    await nextTurn();
    await nextTurn();
    expect(gate.enter('a')).toBeUndefined();
  });
});
