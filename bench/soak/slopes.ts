/** Values of one thing that was measured again and again, with the times in minutes. */
export type Series = { readonly name: string; readonly unit: string; readonly grain: number };

export type Point = { readonly minute: number; readonly value: number };

export type Verdict = {
  /** A minute; the median of the slopes of all pairs (Theil and Sen). */
  readonly slope: number;
  /** Of 99 % of the slopes that resampled series have. */
  readonly low: number;
  readonly high: number;
  /** By the slope over the whole time. */
  readonly growth: number;
  readonly isGrowing: boolean;
};

const POINTS_MAX = 60;
const RESAMPLES = 400;
const TAIL = 0.005;

/**
 * Whether a series grows: its slope is above zero in all but half a percent of the resampled series, and has added up to more than
 * `grain`, the least that is called growth. Neighbouring values depend on each other, so that blocks of them are resampled.
 */
export function judgeSeries(points: readonly Point[], grain: number, random = createRandom(1)): Verdict {
  const binned = binPoints(points);
  const slope = estimateSlope(binned);
  const minutes = (binned.at(-1)?.minute ?? 0) - (binned[0]?.minute ?? 0);
  const slopes = resampleSlopes(binned, slope, random);
  const low = slopes[Math.floor(slopes.length * TAIL)] ?? 0;
  const high = slopes[Math.ceil(slopes.length * (1 - TAIL)) - 1] ?? 0;
  const growth = slope * minutes;
  return { slope, low, high, growth, isGrowing: low > 0 && growth > grain };
}

/** Medians of neighbours where there are many: the work grows with the square of the points. */
function binPoints(points: readonly Point[]): Point[] {
  const size = Math.ceil(points.length / POINTS_MAX);
  if (size <= 1) return [...points];
  const bins: Point[] = [];
  for (let start = 0; start + size <= points.length; start += size) {
    const bin = points.slice(start, start + size);
    bins.push({
      minute: findMedian(bin.map(({ minute }) => minute)),
      value: findMedian(bin.map(({ value }) => value)),
    });
  }
  return bins;
}

/** The median of the slopes of all pairs: a third of the values may be anything. */
export function estimateSlope(points: readonly Point[]): number {
  const slopes = points.flatMap((from, index) =>
    points.slice(index + 1).map((to) => (to.value - from.value) / (to.minute - from.minute)),
  );
  return slopes.length === 0 ? 0 : findMedian(slopes);
}

function resampleSlopes(points: readonly Point[], slope: number, random: () => number): number[] {
  const first = points[0]?.minute ?? 0;
  const middle = findMedian(points.map(({ minute, value }) => value - slope * (minute - first)));
  const trend = points.map(({ minute }) => middle + slope * (minute - first));
  const rests = points.map(({ value }, index) => value - (trend[index] ?? 0));
  const block = Math.max(3, Math.round(points.length / 10));
  const slopes = Array.from({ length: RESAMPLES }, () => {
    const drawn: number[] = [];
    while (drawn.length < points.length) {
      const start = Math.floor(random() * (rests.length - block + 1));
      drawn.push(...rests.slice(start, start + block));
    }
    return estimateSlope(
      points.map(({ minute }, index) => ({ minute, value: (trend[index] ?? 0) + (drawn[index] ?? 0) })),
    );
  });
  return slopes.sort((one, other) => one - other);
}

function findMedian(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[half - 1] ?? 0)) / 2;
}

/** Numbers that are the same in each run (mulberry32): a verdict can be repeated from its samples. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
