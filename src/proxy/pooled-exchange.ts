import { type Dispatcher, errors } from 'undici';
import type { CarriedHandler, Carrier, Connection } from '../platform/dispatcher.ts';
import {
  type Attempt,
  type BodySink,
  DiscardingSink,
  type Exchange,
  type ProviderResponse,
} from './exchange.ts';
import type { TimeoutKind } from './failures.ts';
import { firstField } from './field-list.ts';

/**
 * An exchange by undici: a request that is here as a whole, and an answer that comes as calls instead of streams and
 * events. Where a connection that was used before has gone, a GET is sent again by Node's client: see `isStale`.
 */
export function startPooledExchange(attempt: Attempt, dispatcher: Dispatcher): void {
  const { request, apiBase, pathname, fields, pooledBody } = attempt.options;
  const exchange = new PooledExchange(attempt);
  attempt.exchange = exchange;
  dispatcher.dispatch(
    {
      origin: apiBase.origin,
      path: pathname,
      method: request.method ?? 'GET',
      headers: fields,
      body: pooledBody ?? null,
    },
    exchange,
  );
}

/** Ends a request that was given up. Created once, since its stack says nothing. */
const ABANDONED = new Error('abandoned');

/** The connection broke in the middle of the answer. */
const CUT_OFF = Object.assign(new Error('cut off'), { code: 'ECONNRESET' });

class PooledExchange implements Exchange, ProviderResponse, CarriedHandler {
  carrier: Carrier | undefined;
  status = 0;
  reason = '';
  rawHeaders: readonly string[] = [];
  isComplete = false;
  bytesMoved = 0;
  #bytesBeforeBody = 0;
  readonly #attempt: Attempt;
  #controller: Dispatcher.DispatchController | undefined;
  #connection: Connection | undefined;
  #sink: BodySink | undefined;
  #isAbandoned = false;
  /** Chunks that arrived before there was a sink: undici reads on when the provider ends the connection. */
  #held: Buffer[] | undefined;

  constructor(attempt: Attempt) {
    this.#attempt = attempt;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Unlike an abort, an error here spares the connection.
    if (this.#isAbandoned) throw ABANDONED;
    this.#controller = controller;
    this.#connection = this.carrier?.connection;
    this.#connection?.beginRequest();
    this.bytesMoved += 1;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    reason?: string,
  ): void {
    this.bytesMoved += 1;
    if (status >= 100 && status < 200) return;
    this.status = status;
    this.reason = reason === undefined ? '' : reasonBytes(reason);
    this.rawHeaders = texts(controller.rawHeaders);
    this.#bytesBeforeBody = this.bytesMoved;
    this.#attempt.options.events.onResponse(this.#attempt, this);
    if (this.#sink === undefined) controller.pause();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bytesMoved += chunk.length;
    if (this.#sink === undefined) this.#hold(chunk);
    else if (!this.#sink.write(chunk)) controller.pause();
  }

  onResponseEnd(
    controller: Dispatcher.DispatchController,
    trailers?: Readonly<Record<string, unknown>>,
  ): void {
    // undici takes a reset for the end of a body that has no other.
    if (this.#connection?.error !== undefined) {
      this.onResponseError(controller, CUT_OFF);
      return;
    }
    this.#end();
    // undici's parser takes such a trailer for a field of the next answer on the connection, and refuses that one.
    if (trailers !== undefined && 'connection' in trailers) this.#connection?.close();
  }

  #end(): void {
    this.isComplete = true;
    this.#sink?.end();
  }

  onResponseError(_controller: unknown, error: unknown): void {
    if (this.#isAbandoned || this.isComplete) return;
    if (this.#isMiscounted(error)) this.#end();
    else this.#attempt.options.events.onFailure(this.#attempt, this.#isCutOff(error) ? CUT_OFF : error);
  }

  /** undici counts blanks after the digits of `Content-Length` as digits. */
  #isMiscounted(error: unknown): boolean {
    if (!(error instanceof errors.ResponseContentLengthMismatchError)) return false;
    return Number(firstField(this.rawHeaders, 'content-length')) === this.bytesMoved - this.#bytesBeforeBody;
  }

  /** undici blames the parser for an end that comes too early, but only where `Connection: close` was announced. */
  #isCutOff(error: unknown): boolean {
    if (this.status === 0) return false;
    const isOfParser =
      error instanceof errors.ResponseContentLengthMismatchError || error instanceof errors.HTTPParserError;
    return isOfParser && (this.#connection?.error !== error || this.#connection?.hadServerEnded === true);
  }

  #hold(chunk: Buffer): void {
    if (this.#held === undefined) this.#held = [chunk];
    else this.#held.push(chunk);
  }

  flowTo(sink: BodySink): void {
    this.#sink = sink;
    let hasRoom = true;
    for (const chunk of this.#held ?? []) hasRoom = sink.write(chunk);
    this.#held = undefined;
    if (this.isComplete) sink.end();
    else if (hasRoom) this.resume();
  }

  resume(): void {
    this.#controller?.resume();
  }

  discard(limitMs: number): void {
    this.flowTo(new DiscardingSink(limitMs, () => this.abandon()));
  }

  get isSent(): boolean {
    return this.#controller !== undefined;
  }

  get isUnsent(): boolean {
    return this.#controller === undefined;
  }

  /** undici does not distinguish waiting for a connection from making one; its connector has a limit of its own. */
  waitsFor(): TimeoutKind {
    return this.#controller === undefined ? 'queue' : 'first_byte';
  }

  /** A connection used before ended without a byte of an answer: the provider has closed it meanwhile. */
  isStale(error: unknown): boolean {
    const connection = this.#connection;
    if (this.status !== 0 || connection === undefined || connection.error !== error) return false;
    return connection.requests > 1 && !connection.hasAnswered;
  }

  abandon(): void {
    this.#isAbandoned = true;
    this.#controller?.abort(ABANDONED);
  }
}

const BEYOND_ASCII = /[^\t\x20-\x7e]/;

/** undici reads the reason phrase as UTF-8, Node writes it as Latin-1. What was not UTF-8 is lost, and becomes `?`. */
function reasonBytes(reason: string): string {
  if (!BEYOND_ASCII.test(reason)) return reason;
  return Buffer.from(reason.replaceAll('\ufffd', '?')).toString('latin1');
}

function texts(rawHeaders: Dispatcher.DispatchController['rawHeaders']): readonly string[] {
  if (!Array.isArray(rawHeaders)) return [];
  const list = new Array<string>(rawHeaders.length);
  for (let index = 0; index < rawHeaders.length; index += 1) {
    const text = rawHeaders[index];
    list[index] = trimTrailingBlanks(typeof text === 'string' ? text : (text?.toString('latin1') ?? ''));
  }
  return list;
}

const SPACE = 0x20;

/** undici leaves the blanks after a value, which are none of it (RFC 9112 section 5.1). */
function trimTrailingBlanks(text: string): string {
  let length = text.length;
  while (length > 0 && text.charCodeAt(length - 1) <= SPACE) length -= 1;
  return length === text.length ? text : text.slice(0, length);
}
