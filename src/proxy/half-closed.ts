import type { Socket } from 'node:net';
import { cutOff } from '../http/cut-off.ts';
import type { NewestResponses } from './newest-responses.ts';

/** When a caller that has ended its side is asked for a sign of life, in milliseconds after that. */
const PROBES_AT_MS = [0, 50, 250, 1_000];
/** How long an answer may pause for such a caller, in milliseconds. */
const SILENCE_MS = 5_000;

/**
 * A caller that ends its side of the connection behind a whole request may wait for the answer, or be gone: TCP says
 * the same in both cases. One that is gone answers what is sent to it by a reset, so the gateway says `100 Continue`,
 * which every client of HTTP/1.1 has to bear with (RFC 9110 section 15.2), and learns of the reset with the next one. A
 * caller of HTTP/1.0 knows no such answer and is not asked. While the answer is coming, its next piece is such a sign: a
 * caller that waits gets all of it, one that is gone ends the provider's work with it. A response that pauses shows
 * nothing, so it is cut off after some seconds.
 */
export function watchHalfClosed(
  socket: Socket,
  answers: Pick<NewestResponses, 'open'>,
  silenceMs: number = SILENCE_MS,
): void {
  socket.on('end', () => {
    const response = answers.open(socket);
    if (response === undefined) return;
    cutOffAfterSilence(socket, answers, silenceMs);
    if (response.req.httpVersion !== '1.1') return;
    for (const delayMs of PROBES_AT_MS) {
      setTimeout(() => {
        if (!response.headersSent && !response.destroyed) response.writeContinue();
      }, delayMs).unref();
    }
  });
}

/** Before its answer has begun, a caller has been asked, and waits like all others. */
function cutOffAfterSilence(socket: Socket, answers: Pick<NewestResponses, 'open'>, silenceMs: number): void {
  let lastBytes = socket.bytesWritten;
  const timer = setInterval(() => {
    const isSilent = socket.bytesWritten === lastBytes && socket.writableLength === 0;
    lastBytes = socket.bytesWritten;
    const open = answers.open(socket);
    if (!isSilent || !open?.headersSent) return;
    cutOff(open);
    socket.destroy();
  }, silenceMs).unref();
  socket.once('close', () => clearInterval(timer));
}
