/**
 * Latencies counted in buckets whose bounds grow by the eighth root of two, from 10 microseconds to 12 hours. Histograms
 * of the same minutes, of several processes or of several minutes add up, so that any sum has percentiles.
 */
export const BUCKETS = 256;
const PER_OCTAVE = 8;
const FIRST_BOUND_MS = 0.01;

/** A percentile that is read from a histogram is off by at most half a bucket: 4.5 per cent of its value. */
export const PERCENTILE_ERROR = 2 ** (1 / (2 * PER_OCTAVE)) - 1;

/** Counts by bucket. */
export type Histogram = Uint32Array | Float64Array;

/** The bucket that counts this latency. */
export function findBucket(ms: number): number {
  const bucket = Math.floor(Math.log2(ms / FIRST_BOUND_MS) * PER_OCTAVE);
  if (!(bucket > 0)) return 0;
  return bucket < BUCKETS ? bucket : BUCKETS - 1;
}

/** The latency in ms that stands for those of a bucket: the geometric mean of its bounds. */
function latencyOf(bucket: number): number {
  return FIRST_BOUND_MS * 2 ** ((bucket + 0.5) / PER_OCTAVE);
}

/**
 * The latencies in ms that these shares of the counted ones do not exceed, of which each is larger than the one before;
 * null where nothing is counted.
 */
export function percentiles(histogram: Histogram, shares: readonly number[]): (number | null)[] {
  let total = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket += 1) total += histogram[bucket] ?? 0;
  if (total === 0) return shares.map(() => null);
  let counted = 0;
  let bucket = -1;
  return shares.map((share) => {
    const wanted = Math.ceil(total * share);
    while (counted < wanted && bucket < BUCKETS) {
      bucket += 1;
      counted += histogram[bucket] ?? 0;
    }
    return Math.round(latencyOf(bucket) * 1000) / 1000;
  });
}

/** The buckets that are not empty, each as the distance from the one before and its count, in LEB128. */
export function encodeHistogram(histogram: Histogram): Buffer {
  const bytes: number[] = [];
  let previous = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
    const count = histogram[bucket] ?? 0;
    if (count === 0) continue;
    bytes.push(bucket - previous);
    pushVarint(bytes, count);
    previous = bucket;
  }
  return Buffer.from(bytes);
}

/** Adds an encoded histogram to another one. What does not fit into the buckets is left out. */
export function addHistogram(sum: Float64Array, encoded: Uint8Array): void {
  let bucket = 0;
  let position = 0;
  while (position < encoded.length) {
    bucket += encoded[position] ?? 0;
    position += 1;
    let count = 0;
    let factor = 1;
    let byte = 0x80;
    while (byte >= 0x80 && position < encoded.length) {
      byte = encoded[position] ?? 0;
      position += 1;
      count += (byte & 0x7f) * factor;
      factor *= 128;
    }
    if (bucket < BUCKETS) sum[bucket] = (sum[bucket] ?? 0) + count;
  }
}

/** A distance is below 256 and takes one byte; a count may need more than 32 bits, hence no shifts. */
function pushVarint(bytes: number[], value: number): void {
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) | 0x80);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
}
