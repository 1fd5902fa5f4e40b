/** How often the event loop is looked at, and what one look spans. */
const TICK_MS = 100;
/** So late on average, over the last half second or so, that the process has more work than it can do. */
const LATE_MS = 150;
const CALM_MS = 50;
const SMOOTHING = 0.3;
/** A process that is late admits less from tick to tick, and more again when it is not. */
const LESS = 0.85;
const MORE = 1.2;
/** A process that lags although it does so little waits for the machine, which no shedding helps. */
const ADMITTED_MIN = 50;
/** Of what may be admitted, this part goes to the calls that come first; the rest is kept for projects below their share. */
const FIRST_COME = 0.8;

export type Shedding = {
  /** Whether a call of the project is to be refused, before any work on it. */
  isShed(projectId: string): boolean;
  /** Whether one more token that is not known yet may be verified. */
  mayVerify(): boolean;
  /** A call of a verified user goes on. */
  noteAdmitted(projectId: string): void;
  stop(): void;
};

/**
 * Sheds calls while the event loop lags: the process admits so many in each tenth of a second as it has shown that it can
 * do, and shares them among the projects that call. Which project a call is of is known by its address before its token
 * is verified, but counted by verified calls alone: calls with bad tokens take no share of the project that they name.
 */
export function createShedding(
  deps: { now?: () => number; schedule?: (run: () => void, everyMs: number) => () => void } = {},
): Shedding {
  const { now = () => performance.now(), schedule = repeat } = deps;
  let admitted = new Map<string, number>();
  let total = 0;
  let verified = 0;
  /** Projects that called in the last tick. */
  let active = 1;
  let lateMs = 0;
  let budget = Number.POSITIVE_INFINITY;
  let lastMs = now();

  function tick(): void {
    const nowMs = now();
    const spanMs = nowMs - lastMs;
    lastMs = nowMs;
    lateMs = lateMs * (1 - SMOOTHING) + Math.max(0, spanMs - TICK_MS) * SMOOTHING;
    // A late tick spans more time than others: what it admitted is counted for one.
    const rate = (total * TICK_MS) / Math.max(TICK_MS, spanMs);
    if (lateMs > LATE_MS) budget = Math.max(ADMITTED_MIN, Math.min(budget, rate) * LESS);
    else if (lateMs < CALM_MS && budget !== Number.POSITIVE_INFINITY) {
      budget *= MORE;
      if (budget > 4 * Math.max(rate, ADMITTED_MIN)) budget = Number.POSITIVE_INFINITY;
    }
    active = Math.max(1, admitted.size);
    admitted = new Map();
    total = 0;
    verified = 0;
  }

  const stop = schedule(tick, TICK_MS);
  return {
    isShed(projectId) {
      if (total < budget * FIRST_COME) return false;
      return (admitted.get(projectId) ?? 0) >= Math.max(1, budget / active);
    },
    mayVerify() {
      verified += 1;
      return verified <= budget;
    },
    noteAdmitted(projectId) {
      total += 1;
      admitted.set(projectId, (admitted.get(projectId) ?? 0) + 1);
    },
    stop,
  };
}

function repeat(run: () => void, everyMs: number): () => void {
  const timer = setInterval(run, everyMs).unref();
  return () => clearInterval(timer);
}
