/** Upper bounds of the buckets of durations. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Durations of one series. Plain numbers: prom-client hashes the labels at every observation. */
export type Durations = {
  count: number;
  seconds: number;
  /** Those in each bucket of SECONDS alone, and beyond the last. */
  readonly buckets: number[];
};

export function newDurations(): Durations {
  return { count: 0, seconds: 0, buckets: new Array<number>(SECONDS.length + 1).fill(0) };
}

export function noteDuration(durations: Durations, seconds: number): void {
  let bucket = 0;
  while (bucket < SECONDS.length && seconds > (SECONDS[bucket] ?? 0)) bucket += 1;
  durations.buckets[bucket] = (durations.buckets[bucket] ?? 0) + 1;
  durations.count += 1;
  durations.seconds += seconds;
}

type Series = { readonly labels: Readonly<Record<string, string>>; readonly durations: Durations };

/** The series of one metric, as `registry.getMetricsAsJSON()` gives a histogram. */
export function describeHistogram(name: string, help: string, series: readonly Series[]) {
  const values = series.flatMap((one) => listValues(name, one));
  return { name, help, type: 'histogram', aggregator: 'sum', values };
}

function listValues(name: string, { labels, durations: { count, seconds, buckets } }: Series) {
  let below = 0;
  const counted = SECONDS.map((le, index) => {
    below += buckets[index] ?? 0;
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: below };
  });
  return [
    ...counted,
    { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
    { metricName: `${name}_sum`, labels: { ...labels }, value: seconds },
    { metricName: `${name}_count`, labels: { ...labels }, value: count },
  ];
}
