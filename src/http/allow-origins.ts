import type { Request, RequestHandler, Response } from 'express';
import { corsHeaders, isPreflight, preflightHeaders } from './cors.ts';
import type { Principal } from './principal.ts';

/**
 * May pages of this origin read replies? Asked with the principal once it is known; without one (a preflight, a refusal)
 * for any project.
 */
export type IsAllowedOrigin = (
  origin: string,
  principal: Principal | undefined,
) => boolean | Promise<boolean>;

/** Answers preflights, and lets pages read what is answered before the caller is known. */
export function allowOrigins(isAllowed: IsAllowedOrigin): RequestHandler {
  return async (request, response, next) => {
    const { origin } = request.headers;
    const allowedOrigins = origin !== undefined && (await isAllowed(origin, undefined)) ? [origin] : [];
    if (!isPreflight(request)) {
      response.set(corsHeaders({ origin, allowedOrigins }));
      return next();
    }
    const requestedHeaders = request.get('Access-Control-Request-Headers');
    response.status(204).set(preflightHeaders({ origin, allowedOrigins, requestedHeaders })).end();
  };
}

/** A page may read the reply only when the project of the credentials allows its origin. */
export async function assertOrigin(
  isAllowed: IsAllowedOrigin | undefined,
  request: Request,
  response: Response,
  principal: Principal,
): Promise<void> {
  const { origin } = request.headers;
  if (!isAllowed || origin === undefined) return;
  if (await isAllowed(origin, principal)) {
    response.set(corsHeaders({ origin, allowedOrigins: [origin] }));
  } else {
    response.removeHeader('Access-Control-Allow-Origin');
  }
}
