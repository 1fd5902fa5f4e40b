/**
 * Runs `run` for a key, one run at a time; however often it is asked for meanwhile, one more run follows. `run` must not
 * reject.
 */
export function createCoalescedRuns(run: (key: string) => Promise<void>) {
  const active = new Map<string, { isAskedAgain: boolean; done: Promise<void> }>();

  async function runUntilDone(key: string, state: { isAskedAgain: boolean }): Promise<void> {
    do {
      state.isAskedAgain = false;
      await run(key);
    } while (state.isAskedAgain);
    active.delete(key);
  }

  return {
    /** Resolves when a run that began after this call has ended. */
    ask(key: string): Promise<void> {
      const current = active.get(key);
      if (current !== undefined) {
        current.isAskedAgain = true;
        return current.done;
      }
      const state = { isAskedAgain: false, done: Promise.resolve() };
      active.set(key, state);
      state.done = runUntilDone(key, state);
      return state.done;
    },
    /** When no run is under way. */
    async settled(): Promise<void> {
      await Promise.all([...active.values()].map(({ done }) => done));
    },
  };
}
