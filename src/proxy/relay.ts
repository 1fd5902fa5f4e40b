import type { ServerResponse } from 'node:http';
import { countChunk } from '../platform/chunk-memory.ts';
import type { CallTiming } from './call-timing.ts';
import type { Deadlines } from './deadlines.ts';
import { endResponse } from './end-response.ts';
import type { BodySink, ProviderResponse } from './exchange.ts';
import { type FieldList, firstField } from './field-list.ts';
import { buildResponseFields, type ResponseContext } from './response-headers.ts';
import type { LinkRewriter } from './rewrite-links.ts';
import { TEXT_BYTES_MAX, WAITING_BYTES_MAX } from './text-pieces.ts';

/** Where an answer goes to. */
export type RelayTarget = {
  readonly response: ServerResponse;
  readonly deadlines: Pick<Deadlines, 'endAfterDrain'>;
  /** Where the caller asked for links that lead through the proxy. */
  readonly links?: LinkRewriter | undefined;
  readonly timing: Pick<CallTiming, 'endProvider' | 'responseBytes'>;
};

/**
 * Sends the provider's answer on, with back-pressure, chunk by chunk as it comes. Throws before anything is sent when
 * Node cannot write the header section. An answer that breaks off is broken off by the forwarder's own listeners.
 */
export function relayResponse(answer: ProviderResponse, target: RelayTarget, context: ResponseContext): void {
  const { fields, contentLength } = buildResponseFields(answer.rawHeaders, context);
  const { links } = target;
  if (links !== undefined) {
    links.rewriteFields(fields);
    if (links.hasMembers && isRewritable(answer, target.response, fields, contentLength)) {
      answer.flowTo(new RewritingRelay(answer, target, links, fields));
      return;
    }
  }
  const relay = beginRelay(answer, target, fields, contentLength);
  answer.flowTo(relay);
  // A short body goes out with its head.
  if (contentLength !== undefined && contentLength <= TEXT_BYTES_MAX) return;
  // An event stream may be silent after its head. A body that came in the same packet has been passed on by then.
  process.nextTick(() => {
    if (!relay.isHeadSent && !answer.isComplete && !target.response.destroyed) target.response.flushHeaders();
  });
}

function beginRelay(
  answer: ProviderResponse,
  target: RelayTarget,
  fields: FieldList,
  contentLength: number | undefined,
): Relay {
  target.response.writeHead(answer.status ?? 502, answer.reason, fields);
  return new Relay(answer, target, contentLength);
}

class Relay implements BodySink {
  isHeadSent = false;
  readonly #answer: ProviderResponse;
  readonly #target: RelayTarget;
  /** Never zero where the length is unknown. */
  #remainingBytes: number;
  #last: Buffer | undefined;
  #isDrainAwaited = false;

  constructor(answer: ProviderResponse, target: RelayTarget, contentLength: number | undefined) {
    this.#answer = answer;
    this.#target = target;
    this.#remainingBytes = contentLength ?? Number.NaN;
  }

  write(chunk: Buffer): boolean {
    countChunk(chunk.length);
    this.#target.timing.responseBytes += chunk.length;
    this.#remainingBytes -= chunk.length;
    if (this.#remainingBytes === 0) {
      // The end is certain and near: chunk and end go out in one write.
      this.#last = chunk;
      return true;
    }
    this.isHeadSent = true;
    const { response } = this.#target;
    if (response.write(chunk) || response.writableLength <= WAITING_BYTES_MAX) return true;
    if (!this.#isDrainAwaited) {
      this.#isDrainAwaited = true;
      response.on('drain', () => this.#answer.resume());
    }
    return false;
  }

  end(): void {
    this.#target.timing.endProvider();
    const last = this.#last;
    // Node puts head and body into one piece when both are text; Latin-1 keeps every byte as it is.
    const { response, deadlines } = this.#target;
    // A response that is of no connection keeps bytes.
    const isText = last !== undefined && last.length <= TEXT_BYTES_MAX && response.socket !== null;
    endResponse(response, isText ? last.toString('latin1') : last, deadlines);
  }
}

/** A body up to this is held until its links are rewritten, which then takes 20 ms at most; a longer one passes as it is. */
const REWRITTEN_BYTES_MAX = 512 * 1024;

const JSON_TYPE = /^\s*application\/(?:[\w.!#$&^-]+\+)?json\s*(?:;|$)/i;

/** True for a whole JSON body without content coding that is not known to be too long. */
function isRewritable(
  answer: ProviderResponse,
  response: ServerResponse,
  fields: FieldList,
  contentLength: number | undefined,
): boolean {
  const { status = 0 } = answer;
  if (response.req.method === 'HEAD') return false;
  if (status < 200 || status === 204 || status === 205 || status === 206 || status === 304) return false;
  if (contentLength !== undefined && (contentLength === 0 || contentLength > REWRITTEN_BYTES_MAX))
    return false;
  const coding = firstField(fields, 'content-encoding') ?? 'identity';
  return coding === 'identity' && JSON_TYPE.test(firstField(fields, 'content-type') ?? '');
}

/** They describe bytes that change. */
const ABOUT_BYTES: ReadonlySet<string> = new Set([
  ...['content-length', 'content-md5', 'content-digest', 'digest', 'repr-digest', 'unencoded-digest'],
]);

/** Holds a JSON body until it is here, and sends it with other links; passes it on once it gets too long. */
class RewritingRelay implements BodySink {
  readonly #answer: ProviderResponse;
  readonly #target: RelayTarget;
  readonly #links: LinkRewriter;
  readonly #fields: FieldList;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #relay: Relay | undefined;

  constructor(answer: ProviderResponse, target: RelayTarget, links: LinkRewriter, fields: FieldList) {
    this.#answer = answer;
    this.#target = target;
    this.#links = links;
    this.#fields = fields;
  }

  write(chunk: Buffer): boolean {
    if (this.#relay) return this.#relay.write(chunk);
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#heldBytes <= REWRITTEN_BYTES_MAX) return true;
    this.#relay = beginRelay(this.#answer, this.#target, this.#fields, undefined);
    const held = Buffer.concat(this.#held);
    this.#held = [];
    return this.#relay.write(held);
  }

  end(): void {
    if (this.#relay) {
      this.#relay.end();
      return;
    }
    const { response, deadlines, timing } = this.#target;
    timing.endProvider();
    if (response.destroyed || response.headersSent) return;
    const text = this.#links.rewriteJson(Buffer.concat(this.#held).toString('latin1'));
    const fields = this.#fields.filter(
      (_text, index) => !ABOUT_BYTES.has((this.#fields[index & ~1] ?? '').toLowerCase()),
    );
    fields.push('Content-Length', String(text.length));
    timing.responseBytes = text.length;
    response.writeHead(this.#answer.status ?? 502, this.#answer.reason, fields);
    endResponse(response, text, deadlines);
  }
}
