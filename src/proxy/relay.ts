import type { ServerResponse } from 'node:http';
import type { Deadlines } from './deadlines.ts';
import { endAnswer } from './end-answer.ts';
import type { Answer, BodySink } from './exchange.ts';
import { type AnswerContext, answerFields } from './response-headers.ts';
import { TEXT_BYTES_MAX } from './text-pieces.ts';

/**
 * Sends the provider's answer on, with back-pressure, chunk by chunk as it comes. Throws before anything is sent when
 * Node cannot write the header section. An answer that breaks off is broken off by the forwarder's own listeners.
 */
export function relayAnswer(
  answer: Answer,
  response: ServerResponse,
  deadlines: Pick<Deadlines, 'endAfterDrain'>,
  context: AnswerContext,
): void {
  const { fields, contentLength } = answerFields(answer.rawHeaders, context);
  response.writeHead(answer.status ?? 502, answer.reason, fields);
  const relay = new Relay(answer, response, deadlines, contentLength);
  answer.flowTo(relay);
  // A short body goes out with its head.
  if (contentLength !== undefined && contentLength <= TEXT_BYTES_MAX) return;
  // An event stream may be silent after its head. A body that came in the same packet has been passed on by then.
  process.nextTick(() => {
    if (!relay.isHeadSent && !answer.isComplete && !response.destroyed) response.flushHeaders();
  });
}

class Relay implements BodySink {
  isHeadSent = false;
  readonly #answer: Answer;
  readonly #response: ServerResponse;
  readonly #deadlines: Pick<Deadlines, 'endAfterDrain'>;
  /** Never zero where the length is unknown. */
  #remainingBytes: number;
  #last: Buffer | undefined;
  #isDrainAwaited = false;

  constructor(
    answer: Answer,
    response: ServerResponse,
    deadlines: Pick<Deadlines, 'endAfterDrain'>,
    contentLength: number | undefined,
  ) {
    this.#answer = answer;
    this.#response = response;
    this.#deadlines = deadlines;
    this.#remainingBytes = contentLength ?? Number.NaN;
  }

  write(chunk: Buffer): boolean {
    this.#remainingBytes -= chunk.length;
    if (this.#remainingBytes === 0) {
      // The end is certain and near: chunk and end go out in one write.
      this.#last = chunk;
      return true;
    }
    this.isHeadSent = true;
    if (this.#response.write(chunk)) return true;
    if (!this.#isDrainAwaited) {
      this.#isDrainAwaited = true;
      this.#response.on('drain', () => this.#answer.resume());
    }
    return false;
  }

  end(): void {
    const last = this.#last;
    // Node puts head and body into one piece when both are text; Latin-1 keeps every byte as it is.
    const isShort = last !== undefined && last.length <= TEXT_BYTES_MAX;
    endAnswer(this.#response, isShort ? last.toString('latin1') : last, this.#deadlines);
  }
}
