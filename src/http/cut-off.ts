import type { ServerResponse } from 'node:http';

/**
 * Breaks an answer off, so that its caller does not take it for a whole one. The answer to a request of HTTP/1.0 may have
 * no other end than that of its connection (RFC 9112 section 6.3): closed in order, it would look complete.
 */
export function cutOff(response: ServerResponse): void {
  if (response.req.httpVersion === '1.0') response.socket?.resetAndDestroy();
  response.destroy();
}
