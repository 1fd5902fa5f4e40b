import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { CrmError, toErrorBody } from './crm-errors.ts';
import { type DemoCrmStats, recordApiCall } from './demo-crm-stats.ts';
import type { DirectAccess } from './direct-access.ts';
import { type CrmUser, findUserById } from './hubs.ts';
import type { OAuthStore } from './oauth-store.ts';
import { SCOPES, splitScopes } from './scopes.ts';

export type ApiRateLimits = { readonly perTenSeconds: number; readonly perDay: number };

/** Who calls and what they may: the outcome of the access token. */
export type Caller = { readonly user: CrmUser; readonly scopes: readonly string[] };

const INTERVAL_MS = 10_000;
const DAY_MS = 24 * 60 * 60 * 1000;

export type ApiGuard = ReturnType<typeof createApiGuard>;

/**
 * What stands in front of every API route: `count` keeps the list of calls, `authenticate` checks the bearer token
 * (RFC 6750) and its scope and takes one call from the hub's allowance. Throws CrmError.
 */
export function createApiGuard(deps: {
  readonly store: OAuthStore;
  readonly direct: DirectAccess;
  readonly stats: DemoCrmStats;
  readonly limits: ApiRateLimits;
  readonly now: () => Date;
}) {
  const { store, direct, stats, limits, now } = deps;
  const windows = new Map<string, { startedMs: number; used: number }>();

  function use(key: string, lengthMs: number): number {
    const startedMs = Math.floor(now().getTime() / lengthMs) * lengthMs;
    const window = windows.get(key);
    const used = window?.startedMs === startedMs ? window.used + 1 : 1;
    windows.set(key, { startedMs, used });
    return used;
  }

  function takeCall(hubId: number, res: Response): void {
    const usedOfInterval = use(`interval:${hubId}`, INTERVAL_MS);
    const usedOfDay = use(`day:${hubId}`, DAY_MS);
    res.set({
      'X-HubSpot-RateLimit-Daily': String(limits.perDay),
      'X-HubSpot-RateLimit-Daily-Remaining': String(Math.max(0, limits.perDay - usedOfDay)),
      'X-HubSpot-RateLimit-Interval-Milliseconds': String(INTERVAL_MS),
      'X-HubSpot-RateLimit-Max': String(limits.perTenSeconds),
      'X-HubSpot-RateLimit-Remaining': String(Math.max(0, limits.perTenSeconds - usedOfInterval)),
    });
    if (usedOfDay > limits.perDay) throw tooMany('DAILY', 'The daily number of calls is used up.');
    if (usedOfInterval > limits.perTenSeconds) {
      throw tooMany('TEN_SECONDLY_ROLLING', 'Too many calls within ten seconds.');
    }
  }

  return {
    count: (req: Request, res: Response, next: NextFunction): void => {
      const { method, originalUrl: path } = req;
      res.on('close', () => recordApiCall(stats, { method, path, status: res.statusCode }));
      next();
    },

    authenticate: (req: Request, res: Response, requiredScope: string): Caller => {
      const caller = findCaller({ store, direct }, req.headers.authorization, now());
      takeCall(caller.user.hub.id, res);
      if (!caller.scopes.includes(requiredScope)) throw missingScope(requiredScope);
      return caller;
    },
  };
}

/** Answers errors in HubSpot's shape. What was not foreseen is logged and answered as INTERNAL_ERROR. */
export function createApiErrorHandler(log: (line: string) => void) {
  return (thrown: unknown, _req: Request, res: Response, _next: NextFunction): void => {
    const error = thrown instanceof CrmError ? thrown : toCrmError(thrown);
    if (error.status === 500) log(`demo-crm: API call failed: ${String(thrown)}`);
    if (error.status === 401) res.set('WWW-Authenticate', 'Bearer realm="demo-crm", error="invalid_token"');
    res.status(error.status).json(toErrorBody(error));
  };
}

export const answerUnknownRoute: RequestHandler = () => {
  throw new CrmError(404, 'OBJECT_NOT_FOUND', 'This CRM has no such endpoint.');
};

function findCaller(
  { store, direct }: { readonly store: OAuthStore; readonly direct: DirectAccess },
  authorization: string | undefined,
  at: Date,
): Caller {
  const accessToken = /^Bearer ([\x21-\x7e]+)$/i.exec(authorization ?? '')?.[1];
  if (accessToken === undefined) {
    throw new CrmError(401, 'INVALID_AUTHENTICATION', 'The call brings no OAuth 2.0 access token.');
  }
  const directUser = direct.findUser(accessToken);
  if (directUser !== undefined) return { user: directUser, scopes: SCOPES };
  const stored = store.accessToken(accessToken);
  const user = findUserById(stored?.accountId ?? '');
  if (!stored || !user) {
    throw new CrmError(401, 'INVALID_AUTHENTICATION', 'The access token is not known, or has been revoked.');
  }
  const expiresMs = (stored.exp ?? 0) * 1000;
  if (expiresMs <= at.getTime()) {
    const expireTime = new Date(expiresMs).toISOString();
    const context = { 'expire time': [expireTime] };
    throw new CrmError(401, 'EXPIRED_AUTHENTICATION', `The access token expired at ${expireTime}.`, {
      context,
    });
  }
  return { user, scopes: splitScopes(stored.scope) };
}

function missingScope(requiredScope: string): CrmError {
  const message = `The app has not been granted a scope that this call needs: ${requiredScope}.`;
  const context = { requiredGranularScopes: [requiredScope] };
  return new CrmError(403, 'MISSING_SCOPES', message, {
    errors: [{ message: 'This scope is required.', context }],
  });
}

function tooMany(policyName: string, message: string): CrmError {
  return new CrmError(429, 'RATE_LIMITS', message, { errorType: 'RATE_LIMIT', policyName });
}

/** Express's body parser says by `status` that the caller is to blame. */
function toCrmError(thrown: unknown): CrmError {
  const status: unknown = thrown instanceof Error ? Reflect.get(thrown, 'status') : undefined;
  if (typeof status !== 'number' || status >= 500) {
    return new CrmError(500, 'INTERNAL_ERROR', 'This CRM failed to answer the call.');
  }
  return new CrmError(status, 'VALIDATION_ERROR', 'The body of the call could not be read.');
}
