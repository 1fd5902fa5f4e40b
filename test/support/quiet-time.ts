import { readThreadUs } from './watch-turns.ts';

/** Of native code alone, which needs no warming up, and of memory as much as a request's: what a parser does all day. */
const SAMPLE = JSON.stringify(
  Array.from({ length: 2000 }, (_, i) => ({
    id: i,
    name: `name ${i}`,
    tags: ['a', 'b', i],
    of: { x: i / 3 },
  })),
);
/** What the job takes of a core that is ours alone, on a server of 2.5 GHz. */
const JOB_QUIET_MS = 7;
const TRIES = 3;

/**
 * The CPU time that work of `ms` would have taken on a quiet machine: beside eight busy loops, which empty the caches that
 * the cores share, the same work takes up to twice as much. A job that is always the same tells by how much.
 */
export function inQuietMs(ms: number): number {
  const jobMs = Math.min(...Array.from({ length: TRIES }, measureJob));
  return ms / Math.max(1, jobMs / JOB_QUIET_MS);
}

const measureJob = () => cpuMsOf(doJob);

/**
 * The least CPU time, in milliseconds of a quiet machine, that this thread uses for `work` in three tries: other work of the
 * thread, such as collecting garbage, is not meant. A try within `budgetMs` is the last.
 */
export function leastCpuMs(budgetMs: number, work: () => unknown): number {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < TRIES && leastMs > budgetMs; attempt += 1) {
    const ms = cpuMsOf(work);
    leastMs = Math.min(leastMs, ms < budgetMs ? ms : inQuietMs(ms));
  }
  return leastMs;
}

function cpuMsOf(work: () => unknown): number {
  const beforeUs = readThreadUs();
  work();
  return (readThreadUs() - beforeUs) / 1000;
}

/** Holds the thread for `JOB_QUIET_MS` or more. */
export function doJob(): void {
  for (let round = 0; round < 3; round += 1) JSON.stringify(JSON.parse(SAMPLE));
}
