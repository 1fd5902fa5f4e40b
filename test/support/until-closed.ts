import type { EventEmitter } from 'node:events';

/**
 * Resolves when the socket has closed, also by a reset: bytes that were on their way meet one, and `once` of
 * node:events would reject with it.
 */
export function untilClosed(socket: EventEmitter & { readonly closed: boolean }): Promise<void> {
  if (socket.closed) return Promise.resolve();
  socket.on('error', () => undefined);
  return new Promise((resolve) => socket.once('close', () => resolve()));
}
