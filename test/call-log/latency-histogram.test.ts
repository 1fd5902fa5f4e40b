import fc from 'fast-check';
import {
  addHistogram,
  BUCKETS,
  encodeHistogram,
  findBucket,
  PERCENTILE_ERROR,
  percentiles,
} from '../../src/call-log/latency-histogram.ts';

const latency = fc.double({ min: 0.011, max: 40_000_000, noNaN: true });

function histogramOf(latencies: readonly number[]): Float64Array {
  const histogram = new Float64Array(BUCKETS);
  for (const ms of latencies) histogram[findBucket(ms)] = (histogram[findBucket(ms)] ?? 0) + 1;
  return histogram;
}

function exact(latencies: readonly number[], share: number): number {
  const sorted = latencies.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
}

describe('a histogram of latencies', () => {
  it('tells percentiles within its stated error', () => {
    fc.assert(
      fc.property(fc.array(latency, { minLength: 1, maxLength: 300 }), (latencies) => {
        const shares = [0.5, 0.95, 0.99];
        percentiles(histogramOf(latencies), shares).forEach((actual, index) => {
          const wanted = exact(latencies, shares[index] ?? 0);
          expect(Math.abs((actual ?? 0) / wanted - 1)).toBeLessThan(PERCENTILE_ERROR + 0.05 / wanted / 100);
        });
      }),
    );
  });

  it('adds up with others as if all latencies had been counted in one', () => {
    const lists = fc.array(fc.array(latency, { maxLength: 50 }), { maxLength: 5 });
    fc.assert(
      fc.property(lists, (parts) => {
        const sum = new Float64Array(BUCKETS);
        for (const part of parts) addHistogram(sum, encodeHistogram(histogramOf(part)));
        expect(sum).toEqual(histogramOf(parts.flat()));
      }),
    );
  });

  it('keeps counts beyond 32 bits', () => {
    const sum = new Float64Array(BUCKETS);
    const counts = new Float64Array(BUCKETS);
    counts[0] = 2 ** 40 + 1;
    counts[BUCKETS - 1] = Number.MAX_SAFE_INTEGER;
    addHistogram(sum, encodeHistogram(counts));
    expect(sum).toEqual(counts);
  });

  it.each([0, -1, Number.NaN, 1e-9])('counts %p ms in its first bucket', (ms) => {
    expect(findBucket(ms)).toBe(0);
  });

  it('counts what takes longer than all its buckets in the last one, and tells nothing of nothing', () => {
    expect(findBucket(Number.POSITIVE_INFINITY)).toBe(BUCKETS - 1);
    expect(percentiles(new Float64Array(BUCKETS), [0.5])).toEqual([null]);
  });

  it('survives bytes that are no histogram', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        addHistogram(new Float64Array(BUCKETS), bytes);
      }),
    );
  });
});
