/** Lets waits for a change of a connection end when the change is announced. */
export function createWakeUps() {
  const waiting = new Map<string, Set<() => void>>();

  return {
    /** Resolves at the next `wakeUp` of this connection, and after `limitMs` at the latest. */
    wait(connectionId: string, limitMs: number): Promise<void> {
      return new Promise((resolve) => {
        const waiters = waiting.get(connectionId) ?? new Set();
        waiting.set(connectionId, waiters);
        const end = () => {
          clearTimeout(timer);
          waiters.delete(end);
          if (waiters.size === 0) waiting.delete(connectionId);
          resolve();
        };
        const timer = setTimeout(end, limitMs);
        waiters.add(end);
      });
    },
    wakeUp(connectionId: string): void {
      for (const end of waiting.get(connectionId) ?? []) end();
    },
  };
}
