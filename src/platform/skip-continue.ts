import type { Socket } from 'node:net';

const STATUS_AT = 'HTTP/1.1 '.length;
const STATUS_END = STATUS_AT + 3;
const HEAD_END = '\r\n\r\n';

/**
 * Takes `100 Continue` out of what a provider sends before its answer. A provider may say it unasked (RFC 9110 section
 * 15.2.1), before and after other interim answers, and undici ends the connection over it, although the request may have
 * taken effect and must not be sent again. Looks at the interim answers and the first bytes of each final one alone.
 */
export class ContinueFilter {
  #isHeadAwaited = false;
  /** The beginning of a head that may be that of an interim answer, until the rest of it arrives. */
  #held: Buffer | undefined;

  readonly #headBytesMax: number;

  /**
   * Reads before the client does: its listener has to be added after this one. A head that is not complete within
   * `headBytesMax` is left to the client, which refuses it.
   */
  constructor(socket: Socket, headBytesMax: number) {
    this.#headBytesMax = headBytesMax;
    socket.on('readable', () => {
      if (this.#isHeadAwaited) this.#takeOut(socket);
    });
  }

  /** An answer comes next. */
  awaitHead(): void {
    this.#isHeadAwaited = true;
    this.#held = undefined;
  }

  #takeOut(socket: Socket): void {
    const chunk: unknown = socket.read();
    if (!Buffer.isBuffer(chunk)) return;
    const rest = this.#withoutContinue(chunk);
    if (rest !== undefined) socket.unshift(rest);
  }

  /** What the client gets to see; undefined: nothing for now. */
  #withoutContinue(chunk: Buffer): Buffer | undefined {
    let bytes = this.#held === undefined ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = undefined;
    const passed: Buffer[] = [];
    while (mayBeInterim(bytes)) {
      const end = bytes.indexOf(HEAD_END);
      if (end < 0 && bytes.length <= this.#headBytesMax) {
        this.#held = bytes;
        return concatenate(passed);
      }
      if (end < 0) break;
      const next = end + HEAD_END.length;
      if (statusOf(bytes) !== '100') passed.push(bytes.subarray(0, next));
      bytes = bytes.subarray(next);
      if (bytes.length === 0) return concatenate(passed);
    }
    this.#isHeadAwaited = false;
    passed.push(bytes);
    return concatenate(passed);
  }
}

function concatenate(pieces: readonly Buffer[]): Buffer | undefined {
  return pieces.length > 1 ? Buffer.concat(pieces) : pieces[0];
}

/** Judges by the first bytes, or by as many of them as are here. A switch of protocols ends what is HTTP. */
function mayBeInterim(bytes: Buffer): boolean {
  // One byte is enough for the usual answer: its status does not begin with 1.
  if (bytes.length > STATUS_AT && bytes[STATUS_AT] !== 0x31) return false;
  const known = bytes.toString('latin1', 0, STATUS_AT + 1);
  return ('HTTP/1.1 1'.startsWith(known) || 'HTTP/1.0 1'.startsWith(known)) && statusOf(bytes) !== '101';
}

function statusOf(bytes: Buffer): string {
  return bytes.toString('latin1', STATUS_AT, STATUS_END);
}
