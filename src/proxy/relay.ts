import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerFields } from './response-headers.ts';

/** Beyond this, copying costs more than a second piece. */
const TEXT_BYTES_MAX = 8 * 1024;

/**
 * Sends the provider's answer on, with back-pressure, chunk by chunk as it comes. Throws before anything is sent when
 * Node cannot write the header section. An answer that breaks off is broken off by the forwarder's own listeners.
 */
export function relayAnswer(
  answer: IncomingMessage,
  response: ServerResponse,
  own: { readonly requestId: string; readonly allowedOrigin: string | undefined },
): void {
  const { fields, contentLength } = answerFields(answer.rawHeaders, own.requestId, own.allowedOrigin);
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, fields);
  let remainingBytes = contentLength ?? Number.NaN;
  let last: Buffer | undefined;
  let isHeadSent = false;
  let isDrainAwaited = false;

  answer.on('data', (chunk: Buffer) => {
    remainingBytes -= chunk.length;
    if (remainingBytes === 0) {
      // The end is certain and near: chunk and end go out in one write.
      last = chunk;
      return;
    }
    isHeadSent = true;
    if (response.write(chunk)) return;
    answer.pause();
    if (isDrainAwaited) return;
    isDrainAwaited = true;
    response.on('drain', () => answer.resume());
  });
  answer.on('end', () => {
    // Node puts head and body into one piece when both are text; Latin-1 keeps every byte as it is.
    if (last !== undefined && last.length <= TEXT_BYTES_MAX) response.end(last.toString('latin1'), 'latin1');
    else response.end(last);
  });
  // A short body goes out with its head.
  if (contentLength !== undefined && contentLength <= TEXT_BYTES_MAX) return;
  // An event stream may be silent after its head. A body that came in the same packet has been passed on by then.
  process.nextTick(() => {
    if (!isHeadSent && !answer.complete && !response.destroyed) response.flushHeaders();
  });
}

/** An answer that nobody wants is read up to this, so that its connection can be used again. */
const DISCARD_BYTES_MAX = 64 * 1024;

/** Reads an unwanted answer to its end, or ends its connection when the end does not come soon. */
export function discardAnswer(answer: IncomingMessage): void {
  // The forwarder would end the caller's connection if this answer broke off.
  answer.removeAllListeners('close');
  answer.removeAllListeners('error');
  answer.on('error', () => {});
  let discardedBytes = 0;
  answer.on('data', (chunk: Buffer) => {
    discardedBytes += chunk.length;
    if (discardedBytes > DISCARD_BYTES_MAX) answer.destroy();
  });
}
