import type { Request, RequestHandler, Response } from 'express';
import { HttpError } from './errors.ts';
import { getRequestContext } from './request-context.ts';

/**
 * To be mounted behind the handlers of a path: `method_not_allowed` with `Allow` for every method but these, and 204
 * with `Allow` for OPTIONS. `route` names the path in the log.
 */
export function refuseOtherMethods(route: string, methods: readonly string[]): RequestHandler {
  return (request, response, next) => {
    if (takesMethod(methods, request.method)) return next();
    getRequestContext(response).route = route;
    refuseMethod(request, response, methods);
  };
}

export function takesMethod(methods: readonly string[], method: string): boolean {
  return withHead(methods).includes(method);
}

/** Answers a request whose method is not among those of its path. */
export function refuseMethod(request: Request, response: Response, methods: readonly string[]): void {
  if (request.method !== 'OPTIONS') throw createMethodError(methods);
  response.status(204).setHeader('Allow', joinAllowed(methods)).end();
}

/** `method_not_allowed` at a path that takes these methods. */
export function createMethodError(methods: readonly string[]): HttpError {
  return new HttpError('method_not_allowed', { headers: { Allow: joinAllowed(methods) } });
}

function joinAllowed(methods: readonly string[]): string {
  return [...new Set([...withHead(methods), 'OPTIONS'])].join(', ');
}

/** Whatever answers GET answers HEAD. */
function withHead(methods: readonly string[]): string[] {
  return [...new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : [])])];
}
