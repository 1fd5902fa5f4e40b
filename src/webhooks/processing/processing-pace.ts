/** Providers give a webhook seconds, and the store a commit within some milliseconds unless it has too much to do. */
const SLOW_MS = 25;
/** What was slow longer ago says nothing of now. */
const REMEMBERED_MS = 1_000;
/** Rests this many times as long as it worked, so that a third of the time is left to processing whatever comes in. */
const REST_FACTOR = 2;
const REST_MS_MAX = 1_000;
/** Items of one transaction while receipts wait for the store. */
const FEW_ITEMS = 250;

export type ProcessingPace = ReturnType<typeof createProcessingPace>;

/**
 * Lets processing, which can wait, give way to receipts, whose providers wait for their 2xx and give up.
 */
export function createProcessingPace(nowMs: () => number = () => performance.now()) {
  let slowAtMs = Number.NEGATIVE_INFINITY;
  const isSlow = () => nowMs() - slowAtMs < REMEMBERED_MS;

  return {
    /** Waits until a receipt is stored, and notes how long that took. */
    async watch<Result>(storing: Promise<Result>): Promise<Result> {
      const beganAtMs = nowMs();
      try {
        return await storing;
      } finally {
        const endedAtMs = nowMs();
        if (endedAtMs - beganAtMs > SLOW_MS) slowAtMs = endedAtMs;
      }
    },
    /** How long processing should rest that has worked for so long; 0 where receipts are stored at once. */
    restMs: (workedMs: number): number => (isSlow() ? Math.min(workedMs * REST_FACTOR, REST_MS_MAX) : 0),
    /** How many of `most` items a transaction should take. */
    limitItems: (most: number): number => (isSlow() ? Math.min(most, FEW_ITEMS) : most),
  };
}
