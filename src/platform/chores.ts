/** A task that runs now and then in the background, in every process; it must be safe to run in several at once. */
export type Chore = { readonly name: string; run(signal: AbortSignal): Promise<unknown> };

/**
 * Runs each chore soon after the start and then again and again. A chore that fails is logged and tried again next time.
 * `stop` tells the running one and waits for it.
 */
export function createHousekeeping(deps: {
  chores: readonly Chore[];
  intervalMs: number;
  log: { warn(fields: object, message: string): void };
}) {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  async function runAll(): Promise<void> {
    for (const { name, run } of deps.chores) {
      if (stopping.signal.aborted) return;
      await run(stopping.signal).catch((error: unknown) =>
        deps.log.warn({ err: error, chore: name }, 'a background chore failed and will be tried again'),
      );
    }
  }

  function tick(): void {
    running = runAll().then(() => {
      if (!stopping.signal.aborted) timer = setTimeout(tick, deps.intervalMs).unref();
    });
  }

  return {
    start: tick,
    async stop(): Promise<void> {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
