import type { ServerResponse } from 'node:http';
import type { Deadlines } from './deadlines.ts';

/** Answers whose last bytes have been written, and which end when the caller's body has been read. */
const draining = new WeakSet<ServerResponse>();

/** Whether all of an answer is written although it has not ended. */
export function isWritten(response: ServerResponse): boolean {
  return draining.has(response);
}

/**
 * Ends an answer with its last bytes. Node closes the connection with an answer that is the last one on it, and what the
 * caller is still sending would then reset it, which makes many callers lose the answer. So the end waits until the
 * caller's body has been read (RFC 9112 section 9.6); all bytes of the answer are out by then. The caller has
 * as long as one that goes on sending on a connection that stays; see `Deadlines.endAfterDrain`.
 */
export function endResponse(
  response: ServerResponse,
  last: Buffer | string | undefined,
  deadlines: Pick<Deadlines, 'endAfterDrain'>,
): void {
  const request = response.req;
  if (request.complete || !isLastOnConnection(response)) {
    end(response, last);
    return;
  }
  if (last !== undefined) response.write(last, encodingOf(last));
  else response.flushHeaders();
  draining.add(response);
  const finish = (): void => void response.end();
  request.once('end', finish);
  request.resume();
  deadlines.endAfterDrain(request.socket, () => request.complete, finish);
}

function end(response: ServerResponse, last: Buffer | string | undefined): void {
  if (typeof last === 'string') response.end(last, 'latin1');
  else response.end(last);
}

/** Texts are bytes in Latin-1 here; see `relay.ts`. */
function encodingOf(last: Buffer | string): BufferEncoding {
  return typeof last === 'string' ? 'latin1' : 'utf8';
}

function isLastOnConnection(response: ServerResponse): boolean {
  if (!response.shouldKeepAlive) return true;
  const connection = response.getHeader('connection');
  return typeof connection === 'string' && /^close$/i.test(connection);
}
