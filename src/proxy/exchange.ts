import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClientCertificate } from '../platform/client-certificate.ts';
import type { ApiBase } from './contract.ts';
import type { TimeoutKind } from './failures.ts';
import type { FieldList } from './field-list.ts';
import type { RequestBody } from './request-body.ts';

/**
 * What a call sees of one request to the provider and of its answer, whichever client carries them: Node's
 * (`node-exchange.ts`) or undici's (`pooled-exchange.ts`).
 */

export type AttemptEvents = {
  /** The provider answered; the body does not flow yet. */
  onResponse(attempt: Attempt, answer: ProviderResponse): void;
  /** No answer, or one that broke off. Can come more than once. */
  onFailure(attempt: Attempt, error: unknown): void;
};

type AttemptOptions = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly events: AttemptEvents;
  readonly apiBase: ApiBase;
  /** The whole request target for the provider, credential included where it belongs there. */
  readonly pathname: string;
  readonly fields: FieldList;
  readonly body: RequestBody;
  /** The whole body of a request that undici carries, empty where it has none; undefined where Node's client does. */
  readonly pooledBody: Buffer | undefined;
  /** Shown in the handshake of its connection. */
  readonly clientCertificate?: ClientCertificate | undefined;
};

/**
 * One request to the provider. httpxy carries it to our pass as its target, and its events carry it, so that those of an
 * earlier attempt are not taken for its own.
 */
export class Attempt {
  readonly options: AttemptOptions;
  /** What httpxy's types want of a target. */
  readonly protocol: string;
  /** Undefined where the client refused to make it. */
  exchange: Exchange | undefined;

  constructor(options: AttemptOptions) {
    this.options = options;
    this.protocol = options.apiBase.protocol;
  }

  /** Ends the exchange with the provider, whatever its state. */
  abandon(): void {
    this.exchange?.abandon();
  }
}

export type Exchange = {
  /** True once the whole request is out. */
  readonly isSent: boolean;
  /** True as long as not a byte of the request was written. */
  readonly isUnsent: boolean;
  /** Bytes moved on its connection so far; any growth counts as progress. */
  readonly bytesMoved: number;
  /** What it waits for while there is no answer. */
  waitsFor(): TimeoutKind;
  /** True when `error` says that a connection used before had been closed by the provider meanwhile. */
  isStale(error: unknown): boolean;
  abandon(): void;
};

/** A final answer whose head is here. Not a byte of its body is passed on before `flowTo` or `discard`. */
export type ProviderResponse = {
  readonly status: number | undefined;
  /** The reason phrase. */
  readonly reason: string | undefined;
  /** Names and values in turn, in wire order. */
  readonly rawHeaders: readonly string[];
  /** True when the whole answer is here. */
  readonly isComplete: boolean;
  flowTo(sink: BodySink): void;
  /** The sink has room again. */
  resume(): void;
  /** Reads it to its end for the sake of its connection, or ends that when the end does not come within `limitMs`. */
  discard(limitMs: number): void;
};

export type BodySink = {
  /** False when there is no room for more until `resume`. */
  write(chunk: Buffer): boolean;
  end(): void;
};

/** An answer that is not passed on is read up to this, so that its connection can be used again. */
const DISCARD_BYTES_MAX = 64 * 1024;

/** Takes an unwanted body, up to a limit of bytes and of time. */
export class DiscardingSink implements BodySink {
  readonly #onTooMuch: () => void;
  readonly #timer: NodeJS.Timeout;
  #bytes = 0;

  constructor(limitMs: number, onTooMuch: () => void) {
    this.#onTooMuch = onTooMuch;
    this.#timer = setTimeout(onTooMuch, limitMs).unref();
  }

  write(chunk: Buffer): boolean {
    this.#bytes += chunk.length;
    if (this.#bytes > DISCARD_BYTES_MAX) this.#onTooMuch();
    return true;
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
