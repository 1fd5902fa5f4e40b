import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpError } from '../../http/errors.ts';

/** The largest webhook that is taken. */
const WEBHOOK_BYTES_MAX = 5 * 1024 * 1024;
/** Of all webhooks that are being received or stored at the same time. */
const HELD_BYTES_MAX = 128 * 1024 * 1024;

export type RawBodyReader = (request: IncomingMessage, response: ServerResponse) => Promise<Buffer>;

/**
 * Reads bodies as they came, whatever their type. All that are held at the same time share a bounded memory: a body counts
 * until its request is answered. Rejects with `body_too_large`, with `overloaded` where the memory is used up, and with
 * `unsupported_media_type` for a compressed body, which no provider sends and whose full size stays unknown. Where
 * the memory is used up, the body that has been coming for the longest time makes room: slow senders refuse no fast ones.
 */
export function createRawBodyReader({ heldBytesMax = HELD_BYTES_MAX } = {}): RawBodyReader {
  let heldBytes = 0;
  /** Refusals of the bodies that are coming, the oldest first. */
  const coming = new Set<() => void>();

  return (request, response) => {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const chunks: Buffer[] = [];
    let bytes = 0;

    function refuse(error: HttpError): void {
      release();
      request.off('data', take);
      request.resume();
      reject(error);
    }

    function giveWay(): void {
      refuse(new HttpError('overloaded'));
    }

    function release(): void {
      coming.delete(giveWay);
      heldBytes -= bytes;
      bytes = 0;
      chunks.length = 0;
    }

    function take(chunk: Buffer): void {
      bytes += chunk.length;
      heldBytes += chunk.length;
      chunks.push(chunk);
      if (bytes > WEBHOOK_BYTES_MAX) refuse(createTooLargeError());
      else if (heldBytes > heldBytesMax) [...coming][0]?.();
    }

    response.once('close', release);
    // Nothing is heard of a sender that has left already.
    const refusal = request.destroyed ? new HttpError('invalid_request') : judgeHeaders(request.headers);
    if (refusal !== undefined) {
      refuse(refusal);
      return promise;
    }
    coming.add(giveWay);
    request.on('data', take);
    request.once('end', () => {
      coming.delete(giveWay);
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    });
    request.once('error', () => reject(new HttpError('invalid_request')));
    request.once('close', () => {
      if (!request.complete) reject(new HttpError('invalid_request'));
    });
    return promise;
  };
}

/** Why a body is refused before any of it is read. */
function judgeHeaders(headers: IncomingMessage['headers']): HttpError | undefined {
  const { 'content-encoding': coding = 'identity', 'content-length': length } = headers;
  if (coding.toLowerCase() !== 'identity') return new HttpError('unsupported_media_type');
  return Number(length ?? 0) > WEBHOOK_BYTES_MAX ? createTooLargeError() : undefined;
}

function createTooLargeError(): HttpError {
  return new HttpError('body_too_large', {
    detail: `A webhook may have at most ${WEBHOOK_BYTES_MAX} bytes.`,
  });
}
