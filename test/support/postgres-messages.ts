import type { Socket } from 'node:net';

/**
 * Calls `take` for each message of the Postgres protocol: a byte of type, and a length that counts itself. What a client sends first has no
 * type.
 */
export function splitMessages(
  socket: Socket,
  take: (message: Buffer) => void,
  startup: { readonly hasStartup?: boolean; readonly onStartup?: (bytes: Buffer) => void } = {},
): void {
  let rest: Buffer = Buffer.alloc(0);
  let isStarting = startup.hasStartup ?? false;
  socket.on('data', (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      const lengthAt = isStarting ? 0 : 1;
      if (rest.length < lengthAt + 4) return;
      const end = lengthAt + rest.readUInt32BE(lengthAt);
      if (rest.length < end) return;
      const message = rest.subarray(0, end);
      rest = rest.subarray(end);
      if (isStarting) startup.onStartup?.(message);
      else take(message);
      isStarting = false;
    }
  });
}
