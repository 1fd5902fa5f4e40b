import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import { HttpError, sendProblem } from './errors.ts';
import { getRequestContext } from './request-context.ts';

/** Bodies of the API and of forms are small: a sender that needs longer trickles its bytes. */
const BODY_TIMEOUT_MS = 30_000;

/**
 * Answers `408 request_timeout` when a request's body is not here in full after a fixed time, which no byte renews, and
 * ends the connection. A body that is still coming after its answer ends the connection likewise.
 */
export function createBodyDeadline(deps: {
  readonly publicUrl: string;
  readonly timeoutMs?: number;
}): RequestHandler {
  const { publicUrl, timeoutMs = BODY_TIMEOUT_MS } = deps;
  return (request, response, next) => {
    if (hasBody(request)) {
      const timer = setTimeout(() => {
        if (request.complete) return;
        if (response.headersSent) request.socket.destroy();
        else refuse(response, getRequestContext(response).requestId, publicUrl);
      }, timeoutMs);
      timer.unref();
      request.once('close', () => clearTimeout(timer));
    }
    next();
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) > 0);
}

function refuse(response: ServerResponse, requestId: string, publicUrl: string): void {
  const error = new HttpError('request_timeout', { headers: { Connection: 'close' } });
  sendProblem(response, error, { requestId, publicUrl });
}
