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
  /**
   * How long a caller may go on sending after its answer: long enough to read the answer, no longer (RFC 9112 9.6).
   * Default 5 seconds.
   */
  readonly drainTimeoutMs?: number;
};

export type Deadlines = {
  /** Starts watching a call. Returns a slot to pass to `unwatch`. */
  watch(call: Watched): number;
  unwatch(slot: number): void;
  /**
   * Destroys a connection whose caller goes on sending a body after its answer, once it has had its time. `onQuiet` is
   * called earlier, when nothing arrives any more.
   */
  endAfterDrain(socket: Socket, isDrained: () => boolean, onQuiet?: () => void): void;
  /** Calls being watched. */
  readonly size: number;
  stop(): void;
};

const DRAIN_TIMEOUT_MS = 5_000;
/** Without a byte for so long, nothing is on its way that could reset the connection. */
const QUIET_MS = 1_000;

type Draining = {
  readonly untilMs: number;
  readonly isDrained: () => boolean;
  readonly onQuiet: (() => void) | undefined;
  bytesRead: number;
  movedAtMs: number;
};

/** What the last sweep saw of the call in one slot. */
type Snapshot = { kind: TimeoutKind | undefined; progress: number; sinceMs: number };

/**
 * One interval for all timeouts of all calls: each sweep compares what moved since the last one, so that no chunk costs
 * anything; a timeout comes late by at most a sweep.
 *
 * Calls stand in an array whose slots are used again. A Map would keep finished calls alive in tables that it has outgrown
 * until the next full collection: measured, that doubled the memory and cost a fifth of the throughput.
 */
export function createDeadlines(limits: DeadlineLimits): Deadlines {
  const calls: (Watched | undefined)[] = [];
  const snapshots: Snapshot[] = [];
  const free: number[] = [];
  const draining = new Map<Socket, Draining>();
  const shortestMs = Math.min(limits.connectTimeoutMs, limits.firstByteTimeoutMs, limits.idleTimeoutMs);
  const timer = setInterval(sweep, Math.min(Math.max(shortestMs / 8, 10), 500));
  timer.unref();

  function sweep(): void {
    const nowMs = performance.now();
    for (let slot = 0; slot < calls.length; slot += 1) {
      const call = calls[slot];
      const last = snapshots[slot];
      if (call && last) judge(call, last, nowMs);
    }
    for (const [socket, drain] of draining) {
      if (mayDrain(socket, drain, nowMs)) continue;
      draining.delete(socket);
      if (!drain.isDrained()) socket.destroy();
    }
  }

  return {
    watch(call) {
      const slot = free.pop() ?? calls.length;
      calls[slot] = call;
      const last = snapshots[slot];
      // No progress equals NaN: what the slot's last call had moved says nothing about this one.
      if (last) last.progress = Number.NaN;
      else snapshots[slot] = { kind: undefined, progress: Number.NaN, sinceMs: 0 };
      return slot;
    },
    unwatch(slot) {
      calls[slot] = undefined;
      free.push(slot);
    },
    endAfterDrain(socket, isDrained, onQuiet) {
      // A second request for the same body does not extend the caller's time.
      if (draining.get(socket)?.isDrained() === false) return;
      const nowMs = performance.now();
      const untilMs = nowMs + (limits.drainTimeoutMs ?? DRAIN_TIMEOUT_MS);
      draining.set(socket, { untilMs, isDrained, onQuiet, bytesRead: socket.bytesRead, movedAtMs: nowMs });
    },
    get size() {
      return calls.length - free.length;
    },
    stop: () => clearInterval(timer),
  };
}

function mayDrain(socket: Socket, drain: Draining, nowMs: number): boolean {
  if (socket.destroyed || drain.isDrained() || nowMs >= drain.untilMs) return false;
  if (socket.bytesRead !== drain.bytesRead) {
    drain.bytesRead = socket.bytesRead;
    drain.movedAtMs = nowMs;
  } else if (nowMs - drain.movedAtMs >= QUIET_MS) drain.onQuiet?.();
  return true;
}

/** A wait begins again when its kind changes or anything has moved. */
function judge(call: Watched, last: Snapshot, nowMs: number): void {
  const wait = call.waiting();
  const progress = call.progress();
  if (wait === undefined || wait.kind !== last.kind || progress !== last.progress) {
    last.kind = wait?.kind;
    last.progress = progress;
    last.sinceMs = nowMs;
  } else if (nowMs - last.sinceMs >= wait.limitMs) {
    last.sinceMs = nowMs;
    call.onTimeout(wait.kind);
  }
}
