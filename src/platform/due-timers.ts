/** How far ahead a process remembers when jobs are due; later ones are found by looking. */
const REMEMBER_MS = 300_000;
/** Jobs that are due within the same quarter of a second share a timer. */
const TIMER_STEP_MS = 250;

export type DueTimers = ReturnType<typeof createDueTimers>;

/** Calls `look` when jobs become due that this process knows of; their times are of the clock of `now`. */
export function createDueTimers(look: () => void, now: () => number) {
  const timers = new Map<number, NodeJS.Timeout>();
  return {
    remember(at: Date): void {
      const inMs = at.getTime() - now();
      if (inMs <= 0) look();
      if (inMs <= 0 || inMs > REMEMBER_MS) return;
      const step = Math.ceil(at.getTime() / TIMER_STEP_MS);
      if (timers.has(step)) return;
      const timer = setTimeout(
        () => {
          timers.delete(step);
          look();
        },
        step * TIMER_STEP_MS - now(),
      );
      timers.set(step, timer.unref());
    },
    stop(): void {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}
