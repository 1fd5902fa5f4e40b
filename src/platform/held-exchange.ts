import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { once } from '../lib/once.ts';

/** Node wants one; nothing is ever read from it or written to it. */
const readNoSocket = once(() => new Socket().destroy());

/** A request of this process: complete from the beginning, and of no connection. */
export function createHeldRequest(parts: {
  readonly method: string;
  readonly url: string;
  /** The request's own from here on. */
  readonly rawHeaders: string[];
  readonly body: Buffer | undefined;
}): IncomingMessage {
  const request = new IncomingMessage(readNoSocket());
  request.method = parts.method;
  request.url = parts.url;
  request.httpVersion = '1.1';
  request.httpVersionMajor = 1;
  request.httpVersionMinor = 1;
  request.rawHeaders = parts.rawHeaders;
  // Nothing of the body is still to come, so that no answer waits for it.
  request.complete = true;
  if (parts.body !== undefined) {
    request.push(parts.body);
    request.push(null);
  }
  return request;
}

/** Names in lower case. */
type HeldFields = {
  /** Of a field that is there several times, the last one. */
  get(name: string): string | undefined;
  /** All of its values as one list (RFC 9110 section 5.3). */
  list(name: string): string | undefined;
  has(name: string): boolean;
};

export type HeldAnswer = {
  readonly status: number;
  readonly fields: HeldFields;
  readonly body: Buffer;
  /** `cut`: the provider broke off. `too_large`: it went on past the bound, and was left. */
  readonly end: 'whole' | 'cut' | 'too_large';
};

/** A response of this process, which keeps what is written to it up to a bound instead of sending it. */
export class HeldResponse extends ServerResponse {
  readonly #bytesMax: number;
  readonly #settle: (answer: HeldAnswer) => void;
  readonly #chunks: Buffer[] = [];
  #fields: readonly unknown[] = [];
  #bytes = 0;
  #isHeadWritten = false;
  #isWhole = false;
  #isClosed = false;

  constructor(request: IncomingMessage, bytesMax: number, settle: (answer: HeldAnswer) => void) {
    super(request);
    this.#bytesMax = bytesMax;
    this.#settle = settle;
    // What Node would add on the wire is asked for nowhere.
    this.sendDate = false;
  }

  static {
    // Node asks a socket, which there is none of.
    Object.defineProperty(HeldResponse.prototype, 'writableFinished', {
      get(this: HeldResponse) {
        return this.#isWhole;
      },
    });
    // It goes by the text of a head, which is made for the wire alone.
    Object.defineProperty(HeldResponse.prototype, 'headersSent', {
      get(this: HeldResponse) {
        return this.#isHeadWritten;
      },
    });
  }

  override writeHead(status: number, ...rest: unknown[]): this {
    const given: unknown = rest.at(-1);
    const passed: readonly unknown[] = Array.isArray(given) ? given : [];
    const names = this.getHeaderNames();
    this.#fields =
      names.length === 0 ? passed : [...names.flatMap((name) => [name, this.getHeader(name)]), ...passed];
    this.statusCode = status;
    this.#isHeadWritten = true;
    return this;
  }

  override write(chunk: unknown, encoding?: unknown): boolean {
    if (this.#isClosed) return true;
    const piece = toBuffer(chunk, encoding);
    this.#bytes += piece.length;
    if (this.#bytes <= this.#bytesMax) this.#chunks.push(piece);
    else this.#close('too_large');
    return true;
  }

  override end(chunk?: unknown, encoding?: unknown): this {
    if (this.#isClosed) return this;
    if (!this.headersSent) this.writeHead(this.statusCode);
    if (chunk !== undefined && chunk !== null && typeof chunk !== 'function') this.write(chunk, encoding);
    if (this.#isClosed) return this;
    this.#isWhole = true;
    this.finished = true;
    this.emit('finish');
    this.#close('whole');
    return this;
  }

  override destroy(): this {
    this.#close('cut');
    return this;
  }

  override flushHeaders(): void {}

  override writeContinue(): void {}

  #close(end: HeldAnswer['end']): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.destroyed = true;
    this.#settle({
      status: this.headersSent ? this.statusCode : 0,
      fields: createFields(this.#fields),
      body: end === 'too_large' ? Buffer.alloc(0) : join(this.#chunks),
      end,
    });
    this.emit('close');
  }
}

/** Of a dozen fields a few are asked for: looking these up costs less than an index of all. */
function createFields(given: readonly unknown[]): HeldFields {
  const get = (wanted: string): string | undefined => {
    for (let index = given.length - 2; index >= 0; index -= 2) {
      const name = given[index];
      if (typeof name !== 'string' || name.length !== wanted.length) continue;
      if (name.toLowerCase() === wanted) return String(given[index + 1]);
    }
    return undefined;
  };
  const list = (wanted: string): string | undefined => {
    const values = given.flatMap((name, index) =>
      index % 2 === 0 && String(name).toLowerCase() === wanted ? [String(given[index + 1])] : [],
    );
    return values.length === 0 ? undefined : values.join(', ');
  };
  return { get, list, has: (name) => get(name) !== undefined };
}

function join(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
}

function toBuffer(chunk: unknown, encoding: unknown): Buffer {
  if (Buffer.isBuffer(chunk)) return chunk;
  if (chunk instanceof Uint8Array) return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  const isEncoding = typeof encoding === 'string' && Buffer.isEncoding(encoding);
  return Buffer.from(String(chunk), isEncoding ? encoding : 'utf8');
}
