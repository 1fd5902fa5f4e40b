import type { IncomingMessage, ServerResponse } from 'node:http';
import { Stream } from 'node:stream';
import { countChunk } from '../platform/chunk-memory.ts';
import { REPLAY_BYTES_MAX } from './retry.ts';
import { TEXT_BYTES_MAX, WAITING_BYTES_MAX } from './text-pieces.ts';

/**
 * The body of a call. `pipe` is called once per attempt, as soon as the attempt has a connection. Until then the caller
 * is not read, which is the back-pressure of a full pool.
 */
export abstract class RequestBody extends Stream {
  /** True when the whole body can be sent again. */
  abstract readonly isReplayable: boolean;
  /** True when it may still become replayable, once the caller has sent the rest. */
  abstract readonly mayBecomeReplayable: boolean;
  abstract readonly isComplete: boolean;
  /** True before the first byte was taken from the caller. */
  abstract readonly isUntouched: boolean;
  /** What the caller has sent of it so far. */
  abstract readonly receivedBytes: number;
  abstract override pipe<T extends NodeJS.WritableStream>(destination: T): T;
  abstract whenComplete(listener: () => void): void;
  /**
   * Reads the whole body before any attempt pipes it, up to `bytesMax`; `listener` gets it, or undefined where it is
   * longer. Once it is here it is repeated for every attempt.
   */
  abstract gather(bytesMax: number, listener: (body: Buffer | undefined) => void): void;
  /**
   * Reads up to `bytesMax` before there is any attempt; `listener` gets the body, or undefined where it is longer. Either
   * way it is sent afterwards as it came.
   */
  abstract hold(bytesMax: number, listener: (body: Buffer | undefined) => void): void;
  /** The whole body where it is here and no longer than `bytesMax`. It stays as good as before for every attempt. */
  abstract takeWhole(bytesMax: number): Buffer | undefined;
}

const NOTHING = Buffer.alloc(0);

class NoBody extends RequestBody {
  readonly isReplayable = true;
  readonly mayBecomeReplayable = true;
  readonly isComplete = true;
  readonly isUntouched = true;
  readonly receivedBytes = 0;

  override pipe<T extends NodeJS.WritableStream>(destination: T): T {
    destination.end();
    return destination;
  }

  override whenComplete(listener: () => void): void {
    listener();
  }

  override gather(_bytesMax: number, listener: (body: Buffer | undefined) => void): void {
    listener(undefined);
  }

  override hold(_bytesMax: number, listener: (body: Buffer | undefined) => void): void {
    listener(NOTHING);
  }

  override takeWhole(): Buffer {
    return NOTHING;
  }
}

/** For requests without a body; piping the caller's empty stream would cost as much as the rest of the call. */
export const NO_BODY: RequestBody = new NoBody();

type CallerBodyOptions = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly bytesMax: number;
  /** The caller waits for `100 Continue`, which is sent when the provider's connection is there. */
  readonly isContinueAwaited: boolean;
  /** `Content-Length` in bytes, if the caller gave it. */
  readonly announcedBytes: number | undefined;
  onTooLarge(): void;
};

/** The caller's body: streamed with back-pressure, counted, and kept for a repeat as long as it is small. */
export class CallerBody extends RequestBody {
  readonly #options: CallerBodyOptions;
  #destination: NodeJS.WritableStream | undefined;
  #kept: Buffer[] | undefined = [];
  #receivedBytes = 0;
  #isStarted = false;
  #isComplete = false;
  #listener: (() => void) | undefined;
  /** How much of the body is kept for a repeat, or for its signature. */
  #keptBytesMax = REPLAY_BYTES_MAX;
  #onTooLong: (() => void) | undefined;
  /** The beginning of a body that turned out to be too long to be held: it is sent before the rest. */
  #beginning: Buffer[] | undefined;

  constructor(options: CallerBodyOptions) {
    super();
    this.#options = options;
    if ((options.announcedBytes ?? 0) > REPLAY_BYTES_MAX) this.#kept = undefined;
  }

  get isUntouched(): boolean {
    return !this.#isStarted;
  }

  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  get isReplayable(): boolean {
    return this.#isComplete && this.#kept !== undefined;
  }

  /** Only an announced length shows that waiting for the rest is worth it. */
  get mayBecomeReplayable(): boolean {
    return this.isReplayable || (this.#kept !== undefined && this.#options.announcedBytes !== undefined);
  }

  override whenComplete(listener: () => void): void {
    if (this.#isComplete) listener();
    else this.#listener = listener;
  }

  override pipe<T extends NodeJS.WritableStream>(destination: T): T {
    const beginning = this.#beginning;
    if (this.#isStarted && beginning === undefined) {
      this.#repeatTo(destination);
      return destination;
    }
    this.#destination = destination;
    const { request } = this.#options;
    destination.on('drain', () => void request.resume());
    // Once the provider is gone the rest is read and thrown away, so that the caller gets to read the answer. Node's
    // requests go on to call themselves writable.
    destination.on('close', () => {
      if (this.#destination === destination) this.#destination = undefined;
      request.resume();
    });
    if (beginning === undefined) this.#read();
    else this.#goOn(beginning, destination);
    return destination;
  }

  #goOn(beginning: readonly Buffer[], destination: NodeJS.WritableStream): void {
    this.#beginning = undefined;
    let hasRoom = true;
    for (const chunk of beginning) hasRoom = destination.write(chunk);
    if (this.#isComplete) destination.end();
    else if (hasRoom) this.#options.request.resume();
  }

  override hold(bytesMax: number, listener: (body: Buffer | undefined) => void): void {
    if ((this.#options.announcedBytes ?? 0) > bytesMax) {
      listener(undefined);
      return;
    }
    this.#keptBytesMax = bytesMax;
    this.#onTooLong = () => {
      this.#onTooLong = undefined;
      this.#options.request.pause();
      listener(undefined);
    };
    this.#listener = () => {
      if (this.#kept !== undefined) listener(Buffer.concat(this.#kept));
    };
    this.#beginning = [];
    this.#read();
  }

  override gather(bytesMax: number, listener: (body: Buffer | undefined) => void): void {
    const beginning = this.#beginning;
    if (this.#isStarted && beginning === undefined) {
      listener(this.#kept === undefined ? undefined : Buffer.concat(this.#kept));
      return;
    }
    if ((this.#options.announcedBytes ?? 0) > bytesMax) {
      listener(undefined);
      return;
    }
    this.#keptBytesMax = bytesMax;
    this.#beginning = undefined;
    this.#kept = [...(beginning ?? [])];
    this.#onTooLong = () => listener(undefined);
    this.#listener = () => {
      if (this.#kept !== undefined) listener(Buffer.concat(this.#kept));
    };
    if (beginning === undefined) this.#read();
    else if (this.#isComplete) this.#endGathering(bytesMax);
    else this.#options.request.resume();
  }

  /** A body may have arrived as a whole before the rest of it is asked for, although it is longer than may be held. */
  #endGathering(bytesMax: number): void {
    if (this.#receivedBytes > bytesMax) {
      this.#kept = undefined;
      this.#onTooLong?.();
    } else this.#listener?.();
  }

  override takeWhole(bytesMax: number): Buffer | undefined {
    if (!this.#isStarted && !this.#options.isContinueAwaited) this.#takeUnread(bytesMax);
    if (!this.#isComplete || this.#kept === undefined || this.#receivedBytes > bytesMax) return undefined;
    const [first, ...rest] = this.#kept;
    return first !== undefined && rest.length === 0 ? first : Buffer.concat(this.#kept);
  }

  /** Reads the body without a listener where all of it lies in the request. */
  #takeUnread(bytesMax: number): void {
    const { request, announcedBytes } = this.#options;
    if (announcedBytes === undefined || announcedBytes > bytesMax) return;
    if (request.readableLength !== announcedBytes) return;
    const whole: unknown = request.read();
    if (!Buffer.isBuffer(whole)) return;
    this.#isStarted = true;
    this.#isComplete = true;
    this.#receivedBytes = whole.length;
    this.#kept = [whole];
  }

  #read(): void {
    this.#isStarted = true;
    const { request, response, isContinueAwaited } = this.#options;
    if (isContinueAwaited && !response.headersSent) response.writeContinue();
    request.on('data', (chunk: Buffer) => this.#take(chunk));
    request.on('end', () => this.#finish());
  }

  #repeatTo(destination: NodeJS.WritableStream): void {
    this.#destination = undefined;
    if (this.#kept === undefined) throw new TypeError('a body that was not kept is to be sent again');
    destination.end(Buffer.concat(this.#kept));
  }

  #take(chunk: Buffer): void {
    countChunk(chunk.length);
    this.#receivedBytes += chunk.length;
    if (this.#receivedBytes > this.#options.bytesMax) {
      this.#kept = undefined;
      this.#destination = undefined;
      this.#options.onTooLarge();
      return;
    }
    this.#beginning?.push(chunk);
    if (this.#receivedBytes <= this.#keptBytesMax) this.#kept?.push(chunk);
    else if (this.#kept !== undefined) {
      this.#kept = undefined;
      this.#onTooLong?.();
    }
    const destination = this.#destination;
    if (!destination?.writable) return;
    if (this.#receivedBytes === this.#options.announcedBytes) this.#sendLast(destination, chunk);
    else if (!destination.write(chunk) && isFull(destination)) this.#options.request.pause();
  }

  /** The end goes out with the last bytes; a short body with the head too, which Node joins where both are text. */
  #sendLast(destination: NodeJS.WritableStream, chunk: Buffer): void {
    this.#destination = undefined;
    if (chunk.length <= TEXT_BYTES_MAX) destination.end(chunk.toString('latin1'), 'latin1');
    else destination.end(chunk);
  }

  #finish(): void {
    this.#isComplete = true;
    // Node ends a request that is paused where all of it was here: what was too long to be kept is still to be sent.
    if (this.#kept !== undefined) this.#beginning = undefined;
    this.#destination?.end();
    this.#listener?.();
  }
}

function isFull(destination: NodeJS.WritableStream): boolean {
  return !('writableLength' in destination) || Number(destination.writableLength) > WAITING_BYTES_MAX;
}
