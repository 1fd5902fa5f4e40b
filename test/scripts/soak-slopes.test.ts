import { createRandom, estimateSlope, judgeSeries, type Point } from '../../bench/soak/slopes.ts';

/** An hour with a sample each 15 s; neighbours depend on each other, as those of memory do. */
function makeSeries(seed: number, valueAt: (minute: number, noise: number) => number): Point[] {
  const random = createRandom(seed);
  let noise = 0;
  return Array.from({ length: 240 }, (_none, index) => {
    noise = 0.7 * noise + (random() - 0.5);
    return { minute: index / 4, value: valueAt(index / 4, noise) };
  });
}

const SEEDS = Array.from({ length: 6 }, (_none, index) => index + 1);

describe('the slope of a series', () => {
  it('is that of most of its samples, whatever a third of them are', () => {
    const points = makeSeries(1, (minute) => 2 * minute).map((point, index) =>
      index % 4 === 0 ? { ...point, value: 10_000 } : point,
    );
    expect(estimateSlope(points)).toBeCloseTo(2, 0);
  });

  it('is no growth where the samples only waver', () => {
    const verdicts = SEEDS.map((seed) =>
      judgeSeries(
        makeSeries(seed, (_minute, noise) => 300 + noise),
        0.5,
      ),
    );
    expect(verdicts.filter(({ isGrowing }) => isGrowing)).toEqual([]);
  });

  it('is growth where a leak adds up to more than the grain, also beneath the noise', () => {
    const verdicts = SEEDS.map((seed) =>
      judgeSeries(
        makeSeries(seed, (minute, noise) => 300 + 0.1 * minute + noise),
        2,
      ),
    );
    expect(verdicts.filter(({ isGrowing }) => !isGrowing)).toEqual([]);
  });

  it('is no growth where it is certain and adds up to less than the grain, and never where it falls', () => {
    expect(
      judgeSeries(
        makeSeries(1, (minute) => minute / 100),
        2,
      ).isGrowing,
    ).toBe(false);
    expect(
      judgeSeries(
        makeSeries(1, (minute) => -minute),
        2,
      ).isGrowing,
    ).toBe(false);
  });

  it('is nothing where there are no samples or all are the same', () => {
    expect(judgeSeries([], 1)).toMatchObject({ slope: 0, isGrowing: false });
    expect(
      judgeSeries(
        makeSeries(1, () => 7),
        1,
      ),
    ).toMatchObject({ slope: 0, low: 0, high: 0 });
  });
});
