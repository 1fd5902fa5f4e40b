import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { templateValues } from '../catalog/facts/template-values.ts';
import { refuseOtherMethods } from '../http/other-methods.ts';
import { hasOwnCallback } from '../integrations/integration-wire.ts';
import { sha256 } from '../lib/opaque-tokens.ts';
import {
  type CallbackParameters,
  queryOfPostedResponse,
  readAuthorizationResponse,
  readCallbackParameters,
} from '../oauth/callback-parameters.ts';
import { echoesRequestedValues, isFromIssuer } from '../oauth/callback-proof.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Authorization } from './authorization.ts';
import { isSameBrowser, readBrowserBinding } from './browser-binding.ts';
import type { Conclude, Concluded } from './conclude.ts';
import type { ConnectFlow, Target } from './connect-flow.ts';
import type { ConnectReplies } from './connect-replies.ts';
import { type ConnectSession, hasEnded } from './connect-session.ts';
import type { ConnectSessionsStore } from './connect-sessions.store.ts';
import type { OAuth1Authorization } from './oauth1-authorization.ts';
import { findBarrier, type Refusal, refusalOfAuthorization, SESSION_EXPIRED } from './refusals.ts';
import { redirectToTenants } from './tenants.router.ts';

const CALLBACK_PATHS = ['/oauth/callback', '/oauth/callback/:integrationId'];

/** A code of 8 KiB, percent-encoded where it has to be, with an ID token beside it. */
const POSTED_RESPONSE_BYTES_MAX = 32 * 1024;

/** Of the address that a posted response is turned into: the server takes 16 KiB, and the browser sends cookies with it. */
const REDIRECTED_QUERY_LENGTH_MAX = 12 * 1024;

type CallbackRouterDependencies = {
  db: Db;
  sessions: ConnectSessionsStore;
  flow: ConnectFlow;
  authorization: Authorization;
  oauth1: OAuth1Authorization;
  conclude: Conclude;
  reply: ConnectReplies;
  publicUrl: string;
};

/** Where providers send the browser back to. */
export function createCallbackRouter(deps: CallbackRouterDependencies): Router {
  const { db, sessions, flow, reply, publicUrl } = deps;
  const router = express.Router({ caseSensitive: true });
  const posted = express.urlencoded({
    extended: false,
    limit: POSTED_RESPONSE_BYTES_MAX,
    parameterLimit: 60,
  });

  const callback: RequestHandler = async (request, response) => {
    // Asking for the head is safe (RFC 9110 9.2.1): it must not spend the code.
    if (request.method === 'HEAD') return void response.status(200).end();
    const received = readCallbackParameters(queryOf(request.originalUrl));
    if (received === undefined) return reply.failure(response, 400, 'invalid_callback');
    const stateHash = sha256(received.state);
    const session = await sessions.findByState(db, stateHash);
    if (session === undefined) return replyAnswered(request, response, stateHash);
    const browserHash = readBrowserBinding(request, session.id, publicUrl);
    if (browserHash === undefined || !isSameBrowser(request, session, publicUrl)) {
      // The state has been seen by another browser, and with it perhaps the code: neither may be good for anything.
      await sessions.fail(db, session, 'flow_binding_failed');
      return reply.failure(response, 403, 'flow_binding_failed', session);
    }
    const target = await flow.begunTargetOf(session);
    if (target === undefined) return reply.failure(response, 404, 'not_found');
    if (!isOwnCallback(request, target)) return reply.failure(response, 403, 'flow_binding_failed');
    const parameters = readAuthorizationResponse(received, target.provider.callback.codeParameter);
    if (parameters === undefined) return reply.failure(response, 400, 'invalid_callback');
    if (session.isExpired) return failed(response, session, target, SESSION_EXPIRED);
    const barrier = findBarrier(session, target.integration);
    if (barrier !== undefined) return failed(response, session, target, barrier);
    const consumed = await sessions.consumeState(db, stateHash, browserHash);
    if (consumed === undefined) return replyAnswered(request, response, stateHash);
    const outcome = await answerTo(request, response, target, consumed, parameters);
    if (outcome === 'asks') return redirectToTenants(request, response, session, publicUrl);
    if (!outcome.ok) return failed(response, session, target, outcome);
    await reply.replyOutcome(response, session, target.provider, outcome);
  };

  /** A state is good for one answer: to its browser, which loads the page again, the page tells what came of it. */
  async function replyAnswered(request: Request, response: Response, stateHash: Buffer): Promise<void> {
    const session = await sessions.findByAnsweredState(db, stateHash);
    const isOwn = session !== undefined && hasEnded(session) && isSameBrowser(request, session, publicUrl);
    if (!isOwn) return reply.failure(response, 403, 'invalid_state');
    response.set('Gateway-Error', 'invalid_state');
    await reply.standing(response, session, (await flow.targetOf(session))?.provider, 403);
  }

  async function failed(response: Response, session: ConnectSession, target: Target, refusal: Refusal) {
    await sessions.fail(db, session, refusal.error);
    await reply.replyOutcome(response, session, target.provider, refusal);
  }

  async function answerTo(
    request: Request,
    response: Response,
    target: Target,
    consumed: NonNullable<Awaited<ReturnType<ConnectSessionsStore['consumeState']>>>,
    parameters: CallbackParameters,
  ): Promise<Concluded> {
    const variables = templateValues({ before: target.known, entered: consumed.session.variables });
    // Errors carry the issuer as well (RFC 9207 section 2): the refusal of another server is not this one's.
    if (!isFromIssuer(target.provider, variables, parameters.iss))
      return { ok: false, error: 'invalid_callback' };
    if (parameters.error !== undefined) return refusalOfAuthorization(parameters.all);
    if (isApprovalPending(target, parameters)) {
      return { ok: false, error: 'access_denied', reason: 'admin_consent_required' };
    }
    if (!echoesRequestedValues(target.provider, variables, parameters.all))
      return { ok: false, error: 'invalid_callback' };
    const exchanged =
      target.provider.auth === 'oauth1'
        ? await deps.oauth1.finish({ target, parameters, ...consumed })
        : await deps.authorization.finish({ request, response, target, parameters, ...consumed });
    return exchanged.ok ? deps.conclude.conclude(consumed.session, exchanged, target.provider) : exchanged;
  }

  router.get(CALLBACK_PATHS, callback);
  // response_mode=form_post: the cross-site POST carries no Lax cookie, the GET that follows does.
  router.post(CALLBACK_PATHS, posted, async (request, response) => {
    response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
    const query = queryOfPostedResponse(request.body);
    // The browser would be refused behind the redirect, by an answer that is no page.
    if (query.length > REDIRECTED_QUERY_LENGTH_MAX) return reply.failure(response, 400, 'invalid_callback');
    response.redirect(303, `${request.path}?${query}`);
  });
  router.all(CALLBACK_PATHS, refuseOtherMethods('/oauth/callback', ['GET', 'POST']));
  return router;
}

/** True where the user has only asked another person to install the application. */
function isApprovalPending({ provider }: Target, { all }: CallbackParameters): boolean {
  const pending = provider.installation?.pending;
  return pending !== undefined && all[pending.parameter] === pending.value;
}

/** An integration with a callback address of its own is answered there and nowhere else, the others at the shared one. */
function isOwnCallback(request: Request, { integration }: Target): boolean {
  const expected = hasOwnCallback(integration) ? integration.id : undefined;
  return request.params.integrationId === expected;
}

/** Everything behind the first question mark; a later one belongs to a value (RFC 3986 3.4). */
function queryOf(requestTarget: string): string {
  const start = requestTarget.indexOf('?');
  return start < 0 ? '' : requestTarget.slice(start + 1);
}
