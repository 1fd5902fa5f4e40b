import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { cutOff } from '../http/cut-off.ts';
import { ANSWER_HEAD_BYTES_MAX } from '../platform/dispatcher.ts';
import type { ProxyAgents } from './contract.ts';
import {
  type Attempt,
  type BodySink,
  DiscardingSink,
  type Exchange,
  type ProviderResponse,
} from './exchange.ts';
import { isClosedConnection, type TimeoutKind } from './failures.ts';
import { NO_BODY, type RequestBody } from './request-body.ts';
import { isSafeMethod } from './retry.ts';

/** An exchange by Node's own client, which streams bodies and tolerates providers that bend the protocol. */
export function startNodeExchange(attempt: Attempt, agents: ProxyAgents): void {
  const { request, response, events, apiBase, pathname, fields, body } = attempt.options;
  const method = request.method ?? 'GET';
  const isTls = apiBase.protocol === 'https:';
  const outgoing = (isTls ? https : http).request({
    hostname: apiBase.hostname,
    port: apiBase.port,
    method,
    path: pathname,
    // A flat list goes out as it is: order, case and duplicates.
    headers: fields,
    maxHeaderSize: ANSWER_HEAD_BYTES_MAX,
    agent: isTls ? agents.https : agents.http,
  });
  // Node would lose the fields of an answer beyond the thousandth; the length of the head bounds them.
  outgoing.maxHeadersCount = 0;
  const exchange = new NodeExchange(outgoing, body);
  attempt.exchange = exchange;
  outgoing.on('error', (error) => events.onFailure(attempt, error));
  outgoing.on('response', (message) => {
    const answer = new NodeAnswer(message);
    message.on('close', () => {
      // A broken-off answer is broken off for the caller too, never ended cleanly.
      // Where it has been refused instead, that answer is on its way.
      if (!message.complete && answer.isRelayed && !exchange.isAbandoned && !response.destroyed)
        cutOff(response);
      // An early answer: the provider does not read the rest of the caller's body.
      if (!outgoing.writableFinished) outgoing.destroy();
    });
    message.on('error', (error) => events.onFailure(attempt, error));
    events.onResponse(attempt, answer);
  });
  // Without a listener Node ends the connection on 101 without an event, so the caller would wait for ever.
  outgoing.on('upgrade', (_answer, socket) => {
    socket.destroy();
    events.onFailure(attempt, new UnaskedUpgrade());
  });
  if (body === NO_BODY && isSafeMethod(method)) {
    outgoing.once('socket', () => exchange.begin());
    outgoing.end();
  } else {
    outgoing.once('socket', () => {
      try {
        exchange.send();
      } catch (error) {
        // A throw here would be uncaught.
        events.onFailure(attempt, error);
      }
    });
  }
}

class NodeExchange implements Exchange {
  isAbandoned = false;
  readonly #outgoing: ClientRequest;
  readonly #body: RequestBody;
  /** What the connection had carried before this request. */
  #bytesWrittenBefore = 0;
  #bytesReadBefore = 0;

  constructor(outgoing: ClientRequest, body: RequestBody) {
    this.#outgoing = outgoing;
    this.#body = body;
  }

  begin(): void {
    this.#bytesWrittenBefore = this.#outgoing.socket?.bytesWritten ?? 0;
    this.#bytesReadBefore = this.#outgoing.socket?.bytesRead ?? 0;
  }

  /** Not before there is a connection: a full pool pushes back on the caller. */
  send(): void {
    this.begin();
    this.#body.pipe(this.#outgoing);
  }

  get isSent(): boolean {
    return this.#outgoing.writableFinished;
  }

  get isUnsent(): boolean {
    return this.#outgoing.socket?.bytesWritten === this.#bytesWrittenBefore;
  }

  get bytesMoved(): number {
    const { socket } = this.#outgoing;
    return socket ? socket.bytesRead + socket.bytesWritten : 0;
  }

  waitsFor(): TimeoutKind {
    const { socket, writableNeedDrain } = this.#outgoing;
    if (!socket) return 'queue';
    const isTlsPending = 'secureConnecting' in socket && socket.secureConnecting === true;
    if (socket.connecting || isTlsPending) return 'connect';
    if (this.#body.isComplete) return 'first_byte';
    return writableNeedDrain ? 'idle' : 'caller_idle';
  }

  isStale(error: unknown): boolean {
    const { reusedSocket, socket } = this.#outgoing;
    return reusedSocket && isClosedConnection(error) && socket?.bytesRead === this.#bytesReadBefore;
  }

  abandon(): void {
    this.isAbandoned = true;
    this.#outgoing.destroy();
  }
}

class NodeAnswer implements ProviderResponse {
  isRelayed = false;
  readonly #message: IncomingMessage;

  constructor(message: IncomingMessage) {
    this.#message = message;
  }

  get status(): number | undefined {
    return this.#message.statusCode;
  }

  get reason(): string | undefined {
    return this.#message.statusMessage;
  }

  get rawHeaders(): readonly string[] {
    return this.#message.rawHeaders;
  }

  get isComplete(): boolean {
    return this.#message.complete;
  }

  flowTo(sink: BodySink): void {
    this.isRelayed = true;
    this.#flow(sink);
  }

  #flow(sink: BodySink): void {
    const message = this.#message;
    message.on('data', (chunk: Buffer) => {
      if (!sink.write(chunk)) message.pause();
    });
    message.on('end', () => sink.end());
  }

  resume(): void {
    this.#message.resume();
  }

  discard(limitMs: number): void {
    this.#flow(new DiscardingSink(limitMs, () => this.#message.destroy()));
  }
}

/** The provider switched protocols although the request did not ask for it. */
class UnaskedUpgrade extends Error {
  readonly code = 'HPE_UNASKED_UPGRADE';
  constructor() {
    super('101 to a request without Upgrade');
    this.name = 'UnaskedUpgrade';
  }
}
