/** A clock for useSyncExternalStore: every part of a page that subscribes is called once a tick. */
export type Clock = {
  readonly subscribe: (listener: () => void) => () => void;
  /** The time of the last tick, in milliseconds. */
  readonly read: () => number;
};

/**
 * While there are no subscribers nothing ticks, so that a read may be the first for long: it then takes the time again,
 * and keeps it for a tick like any other. React renders again for as long as two reads differ, which they would do every
 * millisecond.
 */
export function createClock(tickMs: number, now: () => number = Date.now): Clock {
  let nowMs = now();
  const listeners = new Set<() => void>();
  let timer: ReturnType<typeof setInterval> | undefined;

  function tick(): void {
    nowMs = now();
    for (const listener of listeners) listener();
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      timer ??= setInterval(tick, tickMs);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
    read() {
      if (now() - nowMs > tickMs) nowMs = now();
      return nowMs;
    },
  };
}
