import express, {
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
  type Router,
} from 'express';
import { maskToNetwork } from '../http/client-address.ts';
import { type ErrorLog, logFailure, toHttpError } from '../http/errors.ts';
import { refuseOtherMethods } from '../http/other-methods.ts';
import { spendRequest } from '../http/rate-limits.ts';
import { getRequestContext } from '../http/request-context.ts';
import { sha256 } from '../lib/opaque-tokens.ts';
import type { RateLimiter } from '../lib/rate-limit.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Authorization } from './authorization.ts';
import { type AuthorizeDependencies, createAuthorize } from './authorize.ts';
import { createBrowserBinding, isSameBrowser } from './browser-binding.ts';
import { createCallbackRouter } from './callback.router.ts';
import { type ConnectFlow, missingOfApplication, needsForm, validateEntries } from './connect-flow.ts';
import type { NoteConnectFailure } from './connect-pages.ts';
import { createConnectReplies } from './connect-replies.ts';
import type { ConnectSession } from './connect-session.ts';
import type { ConnectSessionsStore } from './connect-sessions.store.ts';
import { NOTHING_ENTERED } from './entered-values.ts';
import type { OAuth1Authorization } from './oauth1-authorization.ts';
import type { Brand } from './pages/brand.ts';
import { LACKS_VARIABLES, SESSION_EXPIRED } from './refusals.ts';
import { createTenantsRouter, redirectToTenants, TENANTS_PATH } from './tenants.router.ts';
import { findLanguage } from './texts/language.ts';

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
  log: ErrorLog;
};

/**
 * What an end user's browser sees: the hosted page behind a session's link, and the callback. Every answer is a page
 * or a redirect, never JSON.
 */
export function createConnectRouter(deps: ConnectRouterDependencies): Router {
  const { db, sessions, flow, publicUrl } = deps;
  const reply = createConnectReplies(deps);
  const router = express.Router({ caseSensitive: true });
  const form = express.urlencoded({ extended: false, limit: FORM_BYTES_MAX, parameterLimit: 60 });

  /** The session behind the link, if it still may be used; otherwise the page that says why not is sent. */
  async function requireUsable(request: Request, response: Response): Promise<ConnectSession | undefined> {
    const token = String(request.params.token);
    const found = TOKEN.test(token) ? await sessions.findByTokenOfAnyProject(db, sha256(token)) : undefined;
    if (found === undefined) return void (await reply.failure(response, 404, 'not_found'));
    const isOver = found.state === 'completed' || found.state === 'failed' || found.state === 'pending';
    if (isOver) {
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

  const authorize = createAuthorize({ ...deps, reply, replySessionEnded });

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
    await proceed(request, response, session, next);
  };

  const proceed = async (request: Request, response: Response, session: ConnectSession, next: () => void) => {
    if (session.state === 'choosing') return redirectToTenants(request, response, session, publicUrl);
    if (session.integrationId === null) {
      return reply.choices(response, session, await flow.choicesOf(session));
    }
    const target = await flow.targetOf(session);
    if (target === undefined) return reply.failure(response, 404, 'not_found');
    if (missingOfApplication(target).length > 0) {
      await sessions.fail(db, session, LACKS_VARIABLES.error);
      return reply.replyOutcome(response, session, target.provider, LACKS_VARIABLES);
    }
    if (needsForm(target)) return reply.form(response, { session, target });
    const refusal = await authorize({ request, response, next }, session, target, NOTHING_ENTERED);
    if (refusal === undefined) return;
    await sessions.fail(db, session, refusal.error);
    await reply.replyOutcome(response, session, target.provider, refusal);
  };

  const submit: RequestHandler = async (request, response, next) => {
    const session = await requireUsable(request, response);
    if (session === undefined) return;
    if (!isSameBrowser(request, session, publicUrl)) {
      return reply.failure(response, 403, 'flow_binding_failed', session);
    }
    const entered = stringsOf(request.body);
    if (session.integrationId === null) return choose(request, response, session, entered.integrationId);
    const target = await flow.targetOf(session);
    if (target === undefined) return reply.failure(response, 404, 'not_found');
    if (missingOfApplication(target).length > 0) return proceed(request, response, session, next);
    const judged = validateEntries(target, entered);
    const again = { session, target, entered };
    if (!judged.ok) return reply.form(response, { ...again, faults: judged.faults });
    const refusal = await authorize({ request, response, next }, session, target, judged);
    if (refusal !== undefined) await reply.form(response, { ...again, refusal });
  };

  async function choose(request: Request, response: Response, session: ConnectSession, integrationId = '') {
    const choices = await flow.choicesOf(session);
    const chosen = choices.find((choice) => choice.integrationId === integrationId);
    if (chosen === undefined) return reply.choices(response, session, choices);
    await sessions.chooseIntegration(db, session, chosen.integrationId);
    response.redirect(303, request.path);
  }

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
  router.post('/connect/:token', form, submit);
  router.all('/connect/:token', refuseOtherMethods('/connect/{token}', ['GET', 'POST']));
  router.use(createTenantsRouter({ ...deps, reply, form }));
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
    const isTenants = request.path.startsWith(TENANTS_PATH);
    const link = isTenants ? `${TENANTS_PATH}{id}` : '/connect/{token}';
    getRequestContext(response).route = isLink ? link : '/oauth/callback';
    if (deps.limiter)
      spendRequest(deps.limiter, `address:${maskToNetwork(request.ip ?? 'unknown')}`, response);
    next();
  };
}

/** Fields that came once, as text; a field that came twice is left out and so reported as missing. */
function stringsOf(body: unknown): Record<string, string> {
  if (typeof body !== 'object' || body === null) return {};
  return Object.fromEntries(
    Object.entries(body).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
