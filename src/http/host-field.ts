import type { RequestHandler } from 'express';
import { HttpError } from './errors.ts';

/**
 * Throws `invalid_request` unless there is one Host, or none in HTTP/1.0 (RFC 9112 section 3.2). Node's own check lets
 * two pass, and its refusal is no problem reply.
 */
export function assertHost(httpVersion: string, hostCount: number): void {
  if (hostCount === 1 || (hostCount === 0 && httpVersion === '1.0')) return;
  throw new HttpError('invalid_request', { detail: 'The request must have exactly one Host field.' });
}

/** The same as a middleware. */
export const requireHost: RequestHandler = ({ httpVersion, headersDistinct }, _response, next) => {
  assertHost(httpVersion, headersDistinct.host?.length ?? 0);
  next();
};
