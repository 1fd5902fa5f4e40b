import express, { type ErrorRequestHandler, type Request, type Response, Router } from 'express';
import { allowOrigins } from '../../http/allow-origins.ts';
import { maskToNetwork } from '../../http/client-address.ts';
import { type ErrorLog, type HttpError, logFailure, toHttpError } from '../../http/errors.ts';
import { readLate } from '../../http/late-body.ts';
import { refuseMethod } from '../../http/other-methods.ts';
import { getRequestContext } from '../../http/request-context.ts';
import { ExchangeError, readExchangeRequest } from './exchange-request.ts';
import type { createExchangeToken } from './exchange-token.ts';

const FORM_BYTES_MAX = 64 * 1024;
const FORM = 'application/x-www-form-urlencoded';

export type OriginRules = {
  isAllowed(projectId: string, origin: string): boolean | Promise<boolean>;
  /** Before it is known whose token it is. */
  isAllowedAnywhere(origin: string): boolean | Promise<boolean>;
};

/**
 * `POST /oauth/token`: the token endpoint (RFC 6749 section 3.2) for token exchange alone. The subject token is the proof.
 * Pages of its project's origins may read the answer.
 */
export function createExchangeRouter(deps: {
  exchange: ReturnType<typeof createExchangeToken>;
  originRules: OriginRules;
  log: ErrorLog;
}): Router {
  const router = Router({ caseSensitive: true });
  const readForm = readLate(express.text({ type: FORM, limit: FORM_BYTES_MAX }));
  const { isAllowed, isAllowedAnywhere } = deps.originRules;

  router.all(
    '/oauth/token',
    allowOrigins((origin) => isAllowedAnywhere(origin)),
  );
  router.post('/oauth/token', readForm, async (request, response) => {
    const asked = readExchangeRequest(new URLSearchParams(requireForm(request)));
    const { origin } = request.headers;
    const { token, expiresInSeconds, entries } = await deps.exchange(asked, {
      networkOfCaller: () => maskToNetwork(request.ip ?? 'unknown'),
      async noteProject(projectId) {
        if (origin !== undefined && !(await isAllowed(projectId, origin)))
          response.removeHeader('Access-Control-Allow-Origin');
      },
    });
    send(response, 200, {
      access_token: token,
      issued_token_type: asked.issuedTokenType,
      token_type: 'Bearer',
      expires_in: expiresInSeconds,
      ...(entries && { authorization_details: entries }),
    });
  });
  router.all('/oauth/token', (request, response) => refuseMethod(request, response, ['POST']));

  const answerError: ErrorRequestHandler = (thrown, request, response, next) => {
    if (request.path !== '/oauth/token' || response.headersSent) return next(thrown);
    const error = thrown instanceof ExchangeError ? thrown : wrap(thrown, deps.log, response);
    response.set(error.headers);
    send(response, error.status, { error: error.code, error_description: describe(error.message) });
  };
  router.use(answerError);
  return router;
}

function requireForm(request: Request): string {
  const body: unknown = request.body;
  if (typeof body === 'string') return body;
  throw new ExchangeError('invalid_request', `The body is a form (${FORM}).`);
}

/** RFC 6749 section 5.2 has no codes for load: the status says it. */
function wrap(thrown: unknown, log: ErrorLog, response: Response): ExchangeError {
  const error = toHttpError(thrown);
  logFailure(log, error, getRequestContext(response).requestId);
  const code = error.status >= 500 ? 'temporarily_unavailable' : 'invalid_request';
  return new ExchangeError(code, error.detail, error.status, pickHeaders(error));
}

const KEPT_HEADERS: ReadonlySet<string> = new Set(['Retry-After', 'Allow']);

function pickHeaders({ headers }: HttpError): Record<string, string> {
  return Object.fromEntries(Object.entries(headers ?? {}).filter(([name]) => KEPT_HEADERS.has(name)));
}

/** Characters that RFC 6749 section 5.2 allows. */
function describe(text: string): string {
  return text
    .replaceAll('"', "'")
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .replaceAll('\\', '/');
}

function send(response: Response, status: number, body: object): void {
  response.status(status).set({ 'Cache-Control': 'no-store', Pragma: 'no-cache' }).json(body);
}
