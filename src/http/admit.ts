import type { Request, Response } from 'express';
import type { SharedLimiter } from '../platform/limits/shared-limits.ts';
import { assertOrigin, type IsAllowedOrigin } from './allow-origins.ts';
import { assertScopes } from './assert-scopes.ts';
import { maskToNetwork } from './client-address.ts';
import type { Endpoint } from './endpoint.ts';
import { type ErrorCode, HttpError } from './errors.ts';
import type { FailedAttempts } from './failed-attempts.ts';
import { type Authenticate, describeCallers, type Principal, principalKey } from './principal.ts';
import { spendShared } from './rate-limits.ts';
import { getRequestContext } from './request-context.ts';
import { assertSameOrigin } from './same-origin.ts';

/** Refusals that count as a failed attempt of the caller's network. */
const WRONG_CREDENTIALS: ReadonlySet<ErrorCode> = new Set(['token_invalid', 'signed_out']);

/** What a request is let in by. */
export type Admission = {
  readonly authenticate: Authenticate;
  readonly publicUrl: string;
  /** Per principal, or per address where an operation needs no credentials. */
  readonly rateLimiter?: SharedLimiter;
  /** By network, of refused credentials only. Left out: wrong credentials are answered 401 however many come. */
  readonly failedAttempts?: FailedAttempts;
  /** Left out: no CORS. */
  readonly isAllowedOrigin?: IsAllowedOrigin;
};

/** The principal of the request, once it is known to be allowed. */
export async function admit(
  endpoint: Endpoint,
  deps: Admission,
  request: Request,
  response: Response,
): Promise<Principal | undefined> {
  const network = maskToNetwork(request.ip ?? 'unknown');
  if (endpoint.principals.length === 0) {
    if (deps.rateLimiter) await spendShared(deps.rateLimiter, `address:${network}`, response);
    return undefined;
  }
  const principal = await identify(deps, request, response, network);
  if (deps.rateLimiter) await spendShared(deps.rateLimiter, principalKey(principal), response);
  await assertOrigin(deps.isAllowedOrigin, request, response, principal);
  const isSignedIn = principal.kind === 'operator' && principal.sessionId !== undefined;
  if (isSignedIn && endpoint.method !== 'get') assertSameOrigin(request, deps.publicUrl);
  assertMayCall(endpoint, principal);
  return principal;
}

/**
 * The principal of a request that was let in before, as it is now. A caller that is slow to send the body, perhaps on purpose,
 * would do with a revoked credential what it could do when the head came.
 */
export async function admitAgain(
  endpoint: Endpoint,
  deps: Admission,
  request: Request,
  response: Response,
): Promise<Principal> {
  const principal = await identify(deps, request, response, maskToNetwork(request.ip ?? 'unknown'));
  assertMayCall(endpoint, principal);
  return principal;
}

async function identify(
  deps: Admission,
  request: Request,
  response: Response,
  network: string,
): Promise<Principal> {
  const context = getRequestContext(response);
  const { requestId } = context;
  const principal = { ...(await authenticate(deps, request, response, network)), requestId };
  context.principal = principal;
  return principal;
}

function assertMayCall(endpoint: Endpoint, principal: Principal): void {
  if (principal.kind === 'end_user' && principal.hasMandate && endpoint.method !== 'get')
    throw new HttpError('mandate_denied', {
      detail: 'A token with a mandate reads the management API alone; what it names are calls to providers.',
    });
  if (endpoint.principals.includes(principal.kind)) {
    assertScopes(principal, endpoint.keyScope);
    return;
  }
  const refusal = endpoint.refusals?.[principal.kind];
  throw new HttpError(refusal?.code ?? 'forbidden_principal', {
    detail: refusal?.detail ?? describeCallers(endpoint.principals),
  });
}

async function authenticate(
  deps: Admission,
  { rawHeaders, headers, ip }: Request,
  response: Response,
  network: string,
): Promise<Principal> {
  const { failedAttempts } = deps;
  const isSuspect = failedAttempts?.isOverLimit(network) ?? false;
  try {
    const principal = await deps.authenticate({
      rawHeaders,
      headers,
      address: ip ?? 'unknown',
      network,
      isSuspect,
    });
    return { ...principal, sourceAddress: ip };
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    // The credentials are good, so that no limit of failures holds what the wrong place does.
    if (error.code === 'address_not_allowed' && deps.rateLimiter)
      await spendShared(deps.rateLimiter, `address:${network}`, response);
    throw (WRONG_CREDENTIALS.has(error.code) && (await failedAttempts?.count(network))) || error;
  }
}
