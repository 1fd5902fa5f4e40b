import { write as writeFile, writeSync as writeFileSync } from 'node:fs';

/** Lines are written together when there are so many characters, or after so long. */
const HELD_LENGTH_MAX = 64 * 1024;
const HELD_MS_MAX = 100;
/** Beyond it lines are dropped: a reader that has stopped must not use up the memory. */
const WAITING_LENGTH_MAX = 8 * 1024 * 1024;
/** How soon an output that failed is tried again; lines in between are dropped. */
const RETRY_MS = 1_000;
/** How soon an output that is full for now (a pipe) is tried again. */
const BUSY_MS = 20;
/** How long the end of the process waits for such an output. */
const FLUSH_MS_MAX = 1_000;

type Written = (error: NodeJS.ErrnoException | null, bytes: number) => void;

export type LogOutputOptions = {
  readonly fd: number;
  readonly now?: () => number;
  /** Instead of those of `node:fs`. */
  readonly write?: (fd: number, bytes: Buffer, written: Written) => void;
  readonly writeSync?: (fd: number, bytes: Buffer) => number;
};

export type LogOutput = ReturnType<typeof openLogOutput>;

/**
 * Lines to a file descriptor in the background. An output that fails (no space, a reader that has gone) never throws,
 * blocks or ends the process: its lines are dropped and counted, it is tried again every second, and the first line that
 * it takes again says how many are missing. pino's own stream would end the process by an `error` event without a
 * listener, and its `flushSync` never returns on a full disk.
 */
export function openLogOutput(options: LogOutputOptions) {
  const { fd, now = Date.now, write = writeFile, writeSync = writeFileSync } = options;
  let held = '';
  let isScheduled = false;
  let batch: Batch | undefined;
  let isUnderWay = false;
  let failedAtMs: number | undefined;
  let isMidLine = false;
  let dropped = 0;
  let reported = 0;

  const isFailing = () => failedAtMs !== undefined && now() - failedAtMs < RETRY_MS;

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(() => {
      isScheduled = false;
      writeHeld();
    }, HELD_MS_MAX).unref();
  }

  /** What is held, after the end of a line that broke off and the number of lines that are missing. */
  function takeHeld(): Batch {
    const missing = dropped - reported;
    const head = `${isMidLine ? '\n' : ''}${missing === 0 ? '' : droppedLine(missing, now())}`;
    const bytes = Buffer.from(head + held);
    held = '';
    return { bytes, headLength: Buffer.byteLength(head), dropped, from: 0 };
  }

  function settle({ bytes, headLength, from, dropped: droppedBefore }: Batch): void {
    batch = undefined;
    if (from > 0) isMidLine = bytes[from - 1] !== LINE_FEED;
    if (from >= headLength) reported = droppedBefore;
    failedAtMs = from < bytes.length ? now() : undefined;
    dropped += countLines(bytes, Math.max(from, headLength));
  }

  function writeBatch(current: Batch): void {
    isUnderWay = true;
    write(fd, current.bytes.subarray(current.from), (error, count) => {
      isUnderWay = false;
      if (isBusy(error)) {
        setTimeout(() => batch === current && writeBatch(current), BUSY_MS).unref();
        return;
      }
      if (error === null) current.from += count;
      if (error === null && current.from < current.bytes.length) return writeBatch(current);
      settle(current);
      if (held.length >= HELD_LENGTH_MAX) writeHeld();
      else if (held !== '') schedule();
    });
  }

  function writeHeld(): void {
    if (batch !== undefined || held === '') return;
    batch = takeHeld();
    writeBatch(batch);
  }

  function flushBatch(current: Batch, untilMs: number): void {
    while (current.from < current.bytes.length) {
      try {
        current.from += writeSync(fd, current.bytes.subarray(current.from));
      } catch (error) {
        if (!isBusy(error) || performance.now() > untilMs) break;
        Atomics.wait(SLEEPER, 0, 0, BUSY_MS);
      }
    }
    settle(current);
  }

  return {
    write(line: string): void {
      if (isFailing() || held.length >= WAITING_LENGTH_MAX) {
        dropped += 1;
        return;
      }
      held += line;
      if (held.length >= HELD_LENGTH_MAX) writeHeld();
      else schedule();
    },
    /** Writes what is held, for the end of the process. Takes a second at most, and no time where the output fails. */
    flushSync(): void {
      const untilMs = performance.now() + FLUSH_MS_MAX;
      // A write that is under way in another thread ends by itself.
      if (batch !== undefined && !isUnderWay) flushBatch(batch, untilMs);
      if (held !== '' && !isFailing()) flushBatch(takeHeld(), untilMs);
    },
    /** Lines that the output did not take, since the start. */
    droppedLines: (): number => dropped,
  };
}

/** Bytes on their way, and what of them is written. */
type Batch = {
  readonly bytes: Buffer;
  /** Bytes before the first line that it holds. */
  readonly headLength: number;
  /** Lines that were missing before it. */
  readonly dropped: number;
  from: number;
};

const LINE_FEED = 0x0a;
const SLEEPER = new Int32Array(new SharedArrayBuffer(4));

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EAGAIN' || error.code === 'EBUSY');
}

function countLines(bytes: Buffer, from: number): number {
  let lines = 0;
  for (let at = bytes.indexOf(LINE_FEED, from); at !== -1; at = bytes.indexOf(LINE_FEED, at + 1)) lines += 1;
  return lines;
}

function droppedLine(lines: number, nowMs: number): string {
  const time = new Date(nowMs).toISOString();
  return `{"level":"warn","time":"${time}","lines":${lines},"msg":"log lines could not be written"}\n`;
}
