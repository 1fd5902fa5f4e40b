import type { Request, RequestHandler, Response } from 'express';
import { HttpError } from './errors.ts';
import { getRequestContext } from './request-context.ts';

/**
 * To be mounted behind the handlers of a path: `method_not_allowed` with `Allow` for every method but these, and 204
 * with `Allow` for OPTIONS. `route` names the path in the log.
 */
export function refuseOtherMethods(route: string, methods: readonly string[]): RequestHandler {
  return (request, response, next) => {
    if (withHead(methods).includes(request.method)) return next();
    getRequestContext(response).route = route;
    refuseMethod(request, response, methods);
  };
}

/** Answers a request whose method is not among those of its path. */
export function refuseMethod(request: Request, response: Response, methods: readonly string[]): void {
  const allow = [...new Set([...withHead(methods), 'OPTIONS'])].join(', ');
  if (request.method !== 'OPTIONS') throw new HttpError('method_not_allowed', { headers: { Allow: allow } });
  response.status(204).setHeader('Allow', allow).end();
}

/** Whatever answers GET answers HEAD. */
function withHead(methods: readonly string[]): string[] {
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])];
}
