const WINDOW_MS = 1_000;
/** Kinds are constant sentences and codes; this bounds the memory should a caller's text ever get here. */
const KINDS_MAX = 500;

type LineBudget = {
  /** Whether another line of the kind may be written in this second. */
  take(kind: string): boolean;
  /** Logs now what was left out, for the end of the process. */
  settle(): void;
};

/**
 * Bounds how many log lines of a kind are written in a second, so that callers cannot fill the log, or hide what
 * matters in it. `sum` is called at the end of the second with how many lines of a kind were too many.
 */
export function createLineBudget(options: {
  readonly perSecond: number;
  sum(kind: string, count: number): void;
}): LineBudget {
  const counts = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;

  function settle(): void {
    clearTimeout(timer);
    timer = undefined;
    const ended = [...counts];
    counts.clear();
    for (const [kind, count] of ended) {
      if (count > options.perSecond) options.sum(kind, count - options.perSecond);
    }
  }

  return {
    take(kind) {
      const known = counts.has(kind) || counts.size < KINDS_MAX ? kind : 'other';
      const count = (counts.get(known) ?? 0) + 1;
      counts.set(known, count);
      timer ??= setTimeout(settle, WINDOW_MS).unref();
      return count <= options.perSecond;
    },
    settle,
  };
}
