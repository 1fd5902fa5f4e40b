import { HttpError } from '../http/errors.ts';
import { createFairQueue } from '../lib/fair-queue.ts';

const RUNNING_PER_CALLER_MAX = 2;
const RUNNING_MAX = 50;
/** Connections of the pool that exports use at a time. */
const READING_MAX = 2;

export type ExportPlaces = ReturnType<typeof createExportPlaces>;

/** Bounds what exports cost a process: so many at a time, which take turns at reading, caller by caller. */
export function createExportPlaces() {
  const running = new Map<string, number>();
  let total = 0;
  const reading = createFairQueue({
    running: READING_MAX,
    waitingPerKeyMax: RUNNING_PER_CALLER_MAX,
    waitingMax: RUNNING_MAX,
  });

  /** Takes a place, and answers what gives it back. Throws `rate_limited`. */
  function begin(caller: string): () => void {
    const own = running.get(caller) ?? 0;
    if (own >= RUNNING_PER_CALLER_MAX || total >= RUNNING_MAX) {
      throw new HttpError('rate_limited', {
        detail: `As many exports are running as there may be: ${RUNNING_PER_CALLER_MAX} of one caller.`,
        headers: { 'Retry-After': '10' },
      });
    }
    running.set(caller, own + 1);
    total += 1;
    return () => {
      const left = (running.get(caller) ?? 1) - 1;
      if (left > 0) running.set(caller, left);
      else running.delete(caller);
      total -= 1;
    };
  }

  return { begin, read: reading.run };
}
