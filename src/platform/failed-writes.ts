import type { Duplex } from 'node:stream';
import { readErrorCode } from '../lib/error-code.ts';

/** What writing says of a connection that the other side has closed or reset. */
const CLOSED_BY_PEER: ReadonlySet<string> = new Set(['EPIPE', 'ECONNRESET', 'ECONNABORTED']);

type Written = (error?: Error | null) => void;

/**
 * Has a connection read on after the server closed or reset it in the middle of a write. A server that refuses an
 * upload early answers and closes without reading the rest (RFC 9112 section 9.5): its answer is here, unread, when the
 * next write fails, and Node would end the connection over that. The failed write is left pending instead, so that
 * nothing more is written, and reading brings the answer and then the connection's end or error.
 */
export function readOnAfterFailedWrite(socket: Duplex): void {
  const { _write: write, _writev: writev } = socket;
  // A stream has one write under way at a time.
  let written: Written = () => undefined;
  const settle: Written = (error) => {
    const isClosed = CLOSED_BY_PEER.has(readErrorCode(error) ?? '');
    if (!isClosed || socket.readableEnded) written(error);
    // A socket with a write that is pending does not end by itself.
    else socket.once('end', () => socket.destroy());
  };
  socket._write = (chunk, encoding, callback) => {
    written = callback;
    write.call(socket, chunk, encoding, settle);
  };
  if (!writev) return;
  socket._writev = (chunks, callback) => {
    written = callback;
    writev.call(socket, chunks, settle);
  };
}
