import type { Socket } from 'node:net';
import type { NewestAnswers } from './newest-answers.ts';

/** When a caller that has ended its side is asked for a sign of life, in milliseconds after that. */
const PROBES_AT_MS = [0, 50, 250, 1_000];

/**
 * A caller that ends its side of the connection behind a whole request may wait for the answer, or be gone: TCP says
 * the same in both cases. One that is gone answers what is sent to it by a reset, so the gateway says `100 Continue`,
 * which every client of HTTP/1.1 has to bear with (RFC 9110 section 15.2), and learns of the reset with the next one. A
 * caller of HTTP/1.0 knows no such answer and is not asked. One that ends its side while its answer is already coming
 * is taken to be gone: it cannot be probed then, and the provider's work would be wasted.
 */
export function watchHalfClosed(socket: Socket, answers: NewestAnswers): void {
  socket.on('end', () => {
    const response = answers.open(socket);
    if (response === undefined) return;
    if (response.headersSent && !response.writableEnded) socket.destroy();
    if (response.req.httpVersion !== '1.1') return;
    for (const delayMs of PROBES_AT_MS) {
      setTimeout(() => {
        if (!response.headersSent && !response.destroyed) response.writeContinue();
      }, delayMs).unref();
    }
  });
}
