import type { Socket } from 'node:net';
import type { TimeoutKind } from './failures.ts';

/** A call in flight, as far as its timeouts are concerned. */
export type Watched = {
  /** Which wait this is, and how long it may last without a byte moving; undefined: nothing is awaited. */
  waiting(): { readonly kind: TimeoutKind; readonly limitMs: number } | undefined;
  /** Any number that changes when something happens, such as bytes moved. */
  progress(): number;
  onTimeout(kind: TimeoutKind): void;
};

export type DeadlineLimits = {
  readonly connectTimeoutMs: number;
  readonly firstByteTimeoutMs: number;
  readonly idleTimeoutMs: number;
};

export type Deadlines = {
  watch(call: Watched): void;
  forget(call: Watched): void;
  /** Ends a connection whose caller keeps sending a body that nobody wants, after a while. */
  endAfterDrain(socket: Socket, isDrained: () => boolean): void;
  readonly size: number;
  stop(): void;
};

/** How long a caller may go on sending after its answer: long enough to read the answer, no longer (RFC 9112 9.6). */
const DRAIN_MS_MAX = 5_000;

type Entry = { kind: TimeoutKind | undefined; progress: number; sinceMs: number };

/**
 * One interval for all timeouts of all calls: each sweep looks whether anything moved since the last one. Costs
 * nothing per chunk and two map operations per call; a timeout comes late by at most a sweep.
 */
export function createDeadlines(limits: DeadlineLimits): Deadlines {
  const calls = new Map<Watched, Entry>();
  const draining = new Map<Socket, { sinceMs: number; isDrained: () => boolean }>();
  const shortestMs = Math.min(limits.connectTimeoutMs, limits.firstByteTimeoutMs, limits.idleTimeoutMs);
  const timer = setInterval(sweep, Math.min(Math.max(shortestMs / 8, 10), 500));
  timer.unref();

  function sweep(): void {
    const nowMs = performance.now();
    for (const [call, entry] of calls) judge(call, entry, nowMs);
    for (const [socket, { sinceMs, isDrained }] of draining) {
      if (!socket.destroyed && !isDrained() && nowMs - sinceMs < DRAIN_MS_MAX) continue;
      draining.delete(socket);
      if (!isDrained()) socket.destroy();
    }
  }

  return {
    watch: (call) => void calls.set(call, { kind: undefined, progress: -1, sinceMs: 0 }),
    forget: (call) => void calls.delete(call),
    endAfterDrain: (socket, isDrained) =>
      void draining.set(socket, { sinceMs: performance.now(), isDrained }),
    get size() {
      return calls.size;
    },
    stop: () => clearInterval(timer),
  };
}

/** A wait begins anew when its kind changes or anything has moved. */
function judge(call: Watched, entry: Entry, nowMs: number): void {
  const wait = call.waiting();
  const progress = call.progress();
  if (wait === undefined || wait.kind !== entry.kind || progress !== entry.progress) {
    entry.kind = wait?.kind;
    entry.progress = progress;
    entry.sinceMs = nowMs;
  } else if (nowMs - entry.sinceMs >= wait.limitMs) {
    entry.sinceMs = nowMs;
    call.onTimeout(wait.kind);
  }
}
