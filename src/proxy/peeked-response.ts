import { isJsonType, isXmlType } from '../lib/structured-types.ts';
import type { BodySink, ProviderResponse } from './exchange.ts';
import { firstField } from './field-list.ts';

/** What refuses a credential is short; a longer body is passed on unread. */
const PEEKED_BYTES_MAX = 4 * 1024;
/** A caller waits no longer for a body that comes in drops to be read. */
const HOLD_MS_MAX = 1_000;

/** True for an answer with a short structured body, or one of unknown length. */
export function isPeekable(method: string, rawHeaders: readonly string[]): boolean {
  if (method === 'HEAD') return false;
  const length = firstField(rawHeaders, 'content-length');
  if (length !== undefined && !(Number(length) > 0 && Number(length) <= PEEKED_BYTES_MAX)) return false;
  const type = firstField(rawHeaders, 'content-type') ?? '';
  return isJsonType(type) || isXmlType(type);
}

/** The type and the coding of a body. */
export function bodyFields(rawHeaders: readonly string[]): {
  type: string | undefined;
  coding: string | undefined;
} {
  return {
    type: firstField(rawHeaders, 'content-type'),
    coding: firstField(rawHeaders, 'content-encoding'),
  };
}

abstract class WrappedResponse implements ProviderResponse {
  protected readonly inner: ProviderResponse;

  constructor(inner: ProviderResponse) {
    this.inner = inner;
  }

  get status(): number | undefined {
    return this.inner.status;
  }

  get reason(): string | undefined {
    return this.inner.reason;
  }

  get rawHeaders(): readonly string[] {
    return this.inner.rawHeaders;
  }

  get isComplete(): boolean {
    return this.inner.isComplete;
  }

  resume(): void {
    this.inner.resume();
  }

  abstract flowTo(sink: BodySink): void;
  abstract discard(limitMs: number): void;
}

/** An answer whose body is passed on as it comes, and reported afterwards where it was short. */
export class CopiedResponse extends WrappedResponse {
  readonly #report: (body: Buffer) => void;

  constructor(inner: ProviderResponse, report: (body: Buffer) => void) {
    super(inner);
    this.#report = report;
  }

  flowTo(sink: BodySink): void {
    const report = this.#report;
    let chunks: Buffer[] | undefined = [];
    let bytes = 0;
    this.inner.flowTo({
      write(chunk) {
        bytes += chunk.length;
        if (bytes > PEEKED_BYTES_MAX) chunks = undefined;
        else chunks?.push(chunk);
        return sink.write(chunk);
      },
      end() {
        sink.end();
        if (chunks !== undefined) report(Buffer.concat(chunks));
      },
    });
  }

  discard(limitMs: number): void {
    this.inner.discard(limitMs);
  }
}

const NOWHERE: BodySink = { write: () => true, end: () => undefined };

/**
 * An answer whose first bytes are held until it is decided what becomes of it: the whole body where it is short;
 * undefined where it is long, or does not come in time.
 */
export class HeldResponse extends WrappedResponse implements BodySink {
  readonly #decide: (held: HeldResponse, body: Buffer | undefined) => void;
  #timer: NodeJS.Timeout | undefined;
  #isDecided = false;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isEnded = false;
  #sink: BodySink | undefined;
  /** The sink took the last piece without asking for a pause. */
  #hasRoom = true;

  constructor(inner: ProviderResponse, decide: (held: HeldResponse, body: Buffer | undefined) => void) {
    super(inner);
    this.#decide = decide;
  }

  /** Begins to read. */
  hold(): void {
    this.#timer = setTimeout(() => this.#report(undefined), HOLD_MS_MAX);
    this.inner.flowTo(this);
  }

  #report(body: Buffer | undefined): void {
    if (this.#isDecided) return;
    this.#isDecided = true;
    clearTimeout(this.#timer);
    this.#decide(this, body);
  }

  write(chunk: Buffer): boolean {
    if (this.#sink !== undefined) return this.#sink.write(chunk);
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes <= PEEKED_BYTES_MAX) return true;
    this.#report(undefined);
    // Deciding may have given it a sink; without one the provider waits.
    return this.#sink !== undefined && this.#hasRoom;
  }

  end(): void {
    this.#isEnded = true;
    if (this.#sink !== undefined) this.#sink.end();
    else this.#report(Buffer.concat(this.#chunks));
  }

  flowTo(sink: BodySink): void {
    clearTimeout(this.#timer);
    this.#isDecided = true;
    this.#sink = sink;
    for (const chunk of this.#chunks) this.#hasRoom = sink.write(chunk);
    this.#chunks = [];
    if (this.#isEnded) sink.end();
    else if (this.#hasRoom) this.inner.resume();
  }

  /** The call has ended meanwhile: no decision is made. */
  cancel(): void {
    this.#isDecided = true;
    clearTimeout(this.#timer);
  }

  discard(limitMs: number): void {
    this.cancel();
    this.#sink = NOWHERE;
    this.#chunks = [];
    if (!this.#isEnded) this.inner.discard(limitMs);
  }
}
