import express, {
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
  type Router,
} from 'express';
import { maskToNetwork } from '../http/client-address.ts';
import { type ErrorLog, logFailure, toHttpError } from '../http/errors.ts';
import { createTurns } from '../http/in-turn.ts';
import { refuseOtherMethods } from '../http/other-methods.ts';
import { spendRequest } from '../http/rate-limits.ts';
import { getRequestContext } from '../http/request-context.ts';
import { sha256 } from '../lib/opaque-tokens.ts';
import type { RateLimiter } from '../lib/rate-limit.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Authorization } from './authorization.ts';
import type { AuthorizeDependencies } from './authorize.ts';
import { createBrowserBinding, isSameBrowser } from './browser-binding.ts';
import { createCallbackRouter } from './callback.router.ts';
import type { ReadClientIdentity } from './client-identity.ts';
import type { ConnectFlow } from './connect-flow.ts';
import type { NoteConnectFailure } from './connect-pages.ts';
import { createConnectReplies } from './connect-replies.ts';
import { type ConnectSession, hasEnded } from './connect-session.ts';
import type { ConnectSessionsStore } from './connect-sessions.store.ts';
import { readFields } from './entered-values.ts';
import type { OAuth1Authorization } from './oauth1-authorization.ts';
import type { Brand } from './pages/brand.ts';
import { SESSION_EXPIRED } from './refusals.ts';
import { createRepeatedForms, matchForm } from './repeated-forms.ts';
import { createSessionPageRouter } from './session-page.router.ts';
import { createSessionSteps } from './session-steps.ts';
import { createTenantsRouter, TENANTS_PATH } from './tenants.router.ts';
import { findLanguage } from './texts/language.ts';
import { SESSIONS_PATH } from './way-on.ts';

const TOKEN = /^[A-Za-z0-9_-]{43}$/;
const FORM_BYTES_MAX = 64 * 1024;

type ConnectRouterDependencies = AuthorizeDependencies & {
  db: Db;
  sessions: ConnectSessionsStore;
  flow: ConnectFlow;
  authorization: Authorization;
  oauth1: OAuth1Authorization;
  findBrand(projectId: string): Promise<Brand | undefined>;
  noteFailure: NoteConnectFailure;
  /** Per client address. */
  limiter?: RateLimiter;
  publicUrl: string;
  readClientIdentity: ReadClientIdentity;
  log: ErrorLog;
};

/**
 * What an end user's browser sees: the hosted page behind a session's link, and the callback. Every answer is a page
 * or a redirect, never JSON.
 */
export function createConnectRouter(deps: ConnectRouterDependencies): Router {
  const { db, sessions, flow, publicUrl } = deps;
  const reply = createConnectReplies(deps);
  const repeated = createRepeatedForms(deps);
  const router = express.Router({ caseSensitive: true });
  const inTurn = createTurns();
  const form = express.urlencoded({ extended: false, limit: FORM_BYTES_MAX, parameterLimit: 60 });

  /** The session behind the link, if it still may be used; otherwise the page that says why not is sent. */
  async function requireUsable(request: Request, response: Response): Promise<ConnectSession | undefined> {
    const token = String(request.params.token);
    const found = TOKEN.test(token) ? await sessions.findByTokenOfAnyProject(db, sha256(token)) : undefined;
    if (found === undefined) return void (await reply.failure(response, 404, 'not_found'));
    if (hasEnded(found)) {
      if (isSameBrowser(request, found, publicUrl)) {
        const isForm = request.method === 'POST';
        const again = isForm ? await repeated.outcomeOf(found, matchForm(request.body)) : undefined;
        if (again) return void (await reply.replyOutcome(response, found, again.provider, again.outcome));
        response.set('Gateway-Error', 'session_used');
        const target = await flow.targetOf(found);
        return void (await reply.standing(response, found, target?.provider, 410));
      }
      const error = found.isExpired ? 'session_expired' : 'session_used';
      return void (await reply.failure(response, 410, error, found));
    }
    if (!found.isExpired) return found;
    // The application waits for this session, and learns that it has ended.
    await reply.replyOutcome(response, found, undefined, SESSION_EXPIRED);
  }

  /** The page for a session that has ended since it was found usable. */
  async function replySessionEnded(request: Request, response: Response): Promise<void> {
    if ((await requireUsable(request, response)) !== undefined)
      throw new Error('a usable session takes no new step');
  }

  const steps = createSessionSteps({ ...deps, reply, replySessionEnded });

  const open: RequestHandler = async (request, response, next) => {
    // Link checkers ask with HEAD: that must not use up the link.
    if (request.method === 'HEAD') return void response.status(200).end();
    const session = await requireUsable(request, response);
    if (session === undefined) return;
    if (!isSameBrowser(request, session, publicUrl)) {
      const lifetimeSeconds = (session.expiresAt.getTime() - Date.now()) / 1000;
      const binding = createBrowserBinding(session.id, publicUrl, lifetimeSeconds);
      const isBound = await sessions.bindBrowser(db, session, binding.hash);
      if (!isBound) return reply.failure(response, 410, 'session_used', session);
      response.append('Set-Cookie', binding.cookie);
    }
    const { locale } = request.query;
    const language = typeof locale === 'string' ? findLanguage(locale) : undefined;
    // The matched language's tag, not the text in the URL, which may be anything.
    if (language !== undefined) await sessions.setLocale(db, session, language.tag);
    await steps.proceed({ request, response, next }, session);
  };

  const submit: RequestHandler = async (request, response, next) => {
    const session = await requireUsable(request, response);
    if (session !== undefined)
      await steps.submit({ request, response, next }, session, readFields(request.body));
  };

  /** An end user reads what is thrown here in a browser: a page, not a problem document. */
  const renderErrorPage: ErrorRequestHandler = (thrown, _request, response, next) => {
    if (response.headersSent) return next(thrown);
    const error = toHttpError(thrown);
    // No page and no form sends other methods.
    if (error.code === 'method_not_allowed') return next(error);
    logFailure(deps.log, error, getRequestContext(response).requestId);
    response.set(error.headers);
    reply.failure(response, error.status, error.code).catch(next);
  };

  router.use(createConnectGuard(deps));
  router.get('/connect/:token', open);
  router.post('/connect/:token', form, inTurn(submit));
  router.all('/connect/:token', refuseOtherMethods('/connect/{token}', ['GET', 'POST']));
  router.use(createSessionPageRouter({ ...deps, reply, form, steps, repeated }));
  router.use(createTenantsRouter({ ...deps, reply, form, repeated }));
  router.use(createCallbackRouter({ ...deps, reply }));
  router.use(renderErrorPage);
  return router;
}

/** Names the route of a request for the log, and counts it against the limit of its address. */
function createConnectGuard(deps: Pick<ConnectRouterDependencies, 'limiter'>): RequestHandler {
  return (request, response, next) => {
    const isLink = request.path.startsWith('/connect/');
    if (!isLink && !request.path.startsWith('/oauth/callback')) return next();
    // Templates, since the path holds the session's token.
    const prefix = [TENANTS_PATH, SESSIONS_PATH].find((path) => request.path.startsWith(path));
    const link = prefix === undefined ? '/connect/{token}' : `${prefix}{id}`;
    getRequestContext(response).route = isLink ? link : '/oauth/callback';
    if (deps.limiter)
      spendRequest(deps.limiter, `address:${maskToNetwork(request.ip ?? 'unknown')}`, response);
    next();
  };
}
