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
  /** Starts watching a call. The answer is its place, for `forget`. */
  watch(call: Watched): number;
  forget(place: number): void;
  /** Ends a connection whose caller keeps sending a body that nobody wants, after a while. */
  endAfterDrain(socket: Socket, isDrained: () => boolean): void;
  /** Calls being watched. */
  readonly size: number;
  stop(): void;
};

/** How long a caller may go on sending after its answer: long enough to read the answer, no longer (RFC 9112 9.6). */
const DRAIN_MS_MAX = 5_000;

/** What the last sweep saw of the call in one place. */
type Sight = { kind: TimeoutKind | undefined; progress: number; sinceMs: number };

/**
 * One interval for all timeouts of all calls: each sweep looks whether anything moved since the last one, so that
 * nothing is spent per chunk; a timeout comes late by at most a sweep.
 *
 * Calls stand in an array whose places are used again. In a Map, tables that it has outgrown would keep finished calls
 * alive until the next full collection: measured, that doubled the memory and cost a fifth of the throughput.
 */
export function createDeadlines(limits: DeadlineLimits): Deadlines {
  const calls: (Watched | undefined)[] = [];
  const sights: Sight[] = [];
  const free: number[] = [];
  const draining = new Map<Socket, { sinceMs: number; isDrained: () => boolean }>();
  const shortestMs = Math.min(limits.connectTimeoutMs, limits.firstByteTimeoutMs, limits.idleTimeoutMs);
  const timer = setInterval(sweep, Math.min(Math.max(shortestMs / 8, 10), 500));
  timer.unref();

  function sweep(): void {
    const nowMs = performance.now();
    for (let place = 0; place < calls.length; place += 1) {
      const call = calls[place];
      const sight = sights[place];
      if (call && sight) judge(call, sight, nowMs);
    }
    for (const [socket, { sinceMs, isDrained }] of draining) {
      if (!socket.destroyed && !isDrained() && nowMs - sinceMs < DRAIN_MS_MAX) continue;
      draining.delete(socket);
      if (!isDrained()) socket.destroy();
    }
  }

  return {
    watch(call) {
      const place = free.pop() ?? calls.length;
      calls[place] = call;
      const sight = sights[place];
      if (sight) sight.progress = Number.NaN;
      else sights[place] = { kind: undefined, progress: Number.NaN, sinceMs: 0 };
      return place;
    },
    forget(place) {
      calls[place] = undefined;
      free.push(place);
    },
    endAfterDrain: (socket, isDrained) =>
      void draining.set(socket, { sinceMs: performance.now(), isDrained }),
    get size() {
      return calls.length - free.length;
    },
    stop: () => clearInterval(timer),
  };
}

/** A wait begins anew when its kind changes or anything has moved. */
function judge(call: Watched, sight: Sight, nowMs: number): void {
  const wait = call.waiting();
  const progress = call.progress();
  if (wait === undefined || wait.kind !== sight.kind || progress !== sight.progress) {
    sight.kind = wait?.kind;
    sight.progress = progress;
    sight.sinceMs = nowMs;
  } else if (nowMs - sight.sinceMs >= wait.limitMs) {
    sight.sinceMs = nowMs;
    call.onTimeout(wait.kind);
  }
}
