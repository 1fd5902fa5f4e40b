import express, { type Request, type Response, type Router } from 'express';
import { z } from 'zod';
import { maskToNetwork } from '../../http/client-address.ts';
import { refuseOtherMethods } from '../../http/other-methods.ts';
import { spendRequest } from '../../http/rate-limits.ts';
import { getRequestContext } from '../../http/request-context.ts';
import { createRateLimiter } from '../../lib/rate-limit.ts';
import { attemptSchema, describeOpenIdFailure } from '../../oauth/openid-sign-in.ts';
import type { Log } from '../../platform/logger.ts';
import type { SealedCookie } from '../sessions/sealed-cookies.ts';
import type { IdentityProvider } from './identity-provider.ts';
import type { SingleSignOn } from './single-sign-on.ts';

export const SINGLE_SIGN_ON_PATH = '/auth/oidc';
const CALLBACK_PATH = '/auth/oidc/callback';
const RETURN_TO_LENGTH_MAX = 1_000;
const REQUESTS_PER_MINUTE = 60;

export const waitingSchema = z.object({ attempt: attemptSchema, returnTo: z.string() });
type Waiting = z.output<typeof waitingSchema>;

type Dependencies = {
  publicUrl: string;
  identityProvider: IdentityProvider;
  singleSignOn: SingleSignOn;
  /** Binds the answer of the identity provider to the browser that asked. */
  attempts: SealedCookie<Waiting>;
  log: Pick<Log, 'warn'>;
};

/**
 * Single sign-on: `GET /auth/oidc?returnTo=/…` leads to the identity provider, `GET /auth/oidc/callback` back. It ends at
 * `returnTo`, or at `/sign-in?error=<code>`.
 */
export function createSingleSignOnRouter(deps: Dependencies): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const limiter = createRateLimiter({ limit: REQUESTS_PER_MINUTE, windowSeconds: 60 });

  function admit(request: Request, response: Response, route: string): void {
    getRequestContext(response).route = route;
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('Referrer-Policy', 'no-referrer');
    spendRequest(limiter, maskToNetwork(request.ip ?? 'unknown'), response);
  }

  router.get(SINGLE_SIGN_ON_PATH, async (request, response) => {
    admit(request, response, SINGLE_SIGN_ON_PATH);
    const returnTo = readReturnTo(request, deps.publicUrl);
    try {
      const { url, attempt } = await deps.identityProvider.begin();
      response.setHeader('Set-Cookie', deps.attempts.make({ attempt, returnTo }));
      response.redirect(303, url);
    } catch (error) {
      deps.log.warn({ err: error }, 'the identity provider could not be asked for its endpoints');
      refuse(response, deps.publicUrl, 'single_sign_on_unavailable');
    }
  });

  router.get(CALLBACK_PATH, async (request, response) => {
    admit(request, response, CALLBACK_PATH);
    const waiting = deps.attempts.read(request);
    response.setHeader('Set-Cookie', deps.attempts.removed());
    if (waiting === undefined) return refuse(response, deps.publicUrl, 'single_sign_on_expired');
    await finish(deps, request, response, waiting);
  });

  for (const path of [SINGLE_SIGN_ON_PATH, CALLBACK_PATH])
    router.all(path, refuseOtherMethods(path, ['GET']));
  return router;
}

async function finish(
  { publicUrl, identityProvider, singleSignOn, attempts, log }: Dependencies,
  request: Request,
  response: Response,
  { attempt, returnTo }: Waiting,
): Promise<void> {
  const query = request.originalUrl.slice(CALLBACK_PATH.length);
  const person = await identityProvider.complete(query, attempt).catch((error: unknown) => {
    log.warn(describeOpenIdFailure(error), 'a single sign-on failed');
    return undefined;
  });
  if (person === undefined) return refuse(response, publicUrl, 'single_sign_on_failed');
  const { refusal, cookies } = await singleSignOn.enter(person, request);
  response.setHeader('Set-Cookie', [attempts.removed(), ...cookies]);
  if (refusal !== undefined) return refuse(response, publicUrl, refusal);
  response.redirect(303, `${publicUrl}${returnTo}`);
}

function refuse(response: Response, publicUrl: string, code: string): void {
  response.redirect(303, `${publicUrl}/sign-in?error=${code}`);
}

/** A path of the gateway's own; anything else is `/`, so that no link here leads to another site. */
function readReturnTo(request: Request, publicUrl: string): string {
  const { returnTo } = request.query;
  if (typeof returnTo !== 'string' || !returnTo.startsWith('/') || returnTo.length > RETURN_TO_LENGTH_MAX) {
    return '/';
  }
  const url = URL.parse(returnTo, publicUrl);
  return url?.origin === publicUrl ? `${url.pathname}${url.search}${url.hash}` : '/';
}
