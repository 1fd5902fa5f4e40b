import { createPlaces } from '../../src/lib/places.ts';

/** Takes places for the parties in turn until none of them may take another; how many each holds then. */
function fill(total: number, parties: readonly string[]) {
  const places = createPlaces(total);
  const held = new Map<string, number>();
  for (let hasTaken = true; hasTaken; ) {
    hasTaken = false;
    for (const party of parties) {
      if (places.free() === 0 || places.isFull(party)) continue;
      places.take(party);
      held.set(party, (held.get(party) ?? 0) + 1);
      hasTaken = true;
    }
  }
  return { held: parties.map((party) => held.get(party) ?? 0), free: places.free(), places };
}

describe('places that parties share', () => {
  it.each([
    [16, ['a'], [8], 8],
    [16, ['a', 'b'], [6, 5], 5],
    [4, ['a', 'b', 'c'], [1, 1, 1], 1],
    [1, ['a', 'b'], [1, 0], 0],
  ])('of %i, beside %j, are held as %j with %i left', (total, parties, held, free) => {
    expect(fill(total, parties)).toMatchObject({ held, free });
  });

  it('leave one for a party that comes, however late', () => {
    for (let total = 2; total <= 40; total += 1) {
      for (let count = 1; count < total; count += 1) {
        const parties = Array.from({ length: count }, (_, index) => `p${index}`);
        expect(fill(total, parties).free).toBeGreaterThan(0);
      }
    }
  });

  it('give the last one to each party in turn', () => {
    const places = createPlaces(2);
    places.take('a');
    const leave = places.take('b');
    leave();
    expect(places.excluded().sort()).toEqual(['a', 'b']);
    expect([places.beginRound(), places.beginRound()]).toEqual([true, false]);
    expect(places.excluded()).toEqual(['a']);
  });

  it('are given back once', () => {
    const places = createPlaces(4);
    const leave = places.take('a');
    places.take('a');
    leave();
    leave();
    expect([places.free(), places.isFull('a')]).toEqual([3, false]);
  });

  it('given at once to one party, or each to another, are no more than it may hold', () => {
    for (let total = 2; total <= 20; total += 1) {
      const together = createPlaces(total);
      while (!together.isFull('a')) {
        for (let left = together.atOnce(); left > 0; left -= 1) together.take('a');
      }
      expect(together.free()).toBeGreaterThanOrEqual(Math.floor(total / 2));
      const apart = createPlaces(total);
      for (let left = apart.roundMax(); left > 0; left -= 1) apart.take(`p${left}`);
      expect(apart.free()).toBe(0);
    }
  });
});
