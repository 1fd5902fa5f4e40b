import express, {
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
  type Router,
} from 'express';
import { z } from 'zod';
import { type Brand, brandBanner, brandStyle, findLogoOrigin } from '../connect/pages/brand.ts';
import { chooseLanguage } from '../connect/texts/language.ts';
import { isOwnForm } from '../http/bound-browser.ts';
import { maskToNetwork } from '../http/client-address.ts';
import { type ErrorLog, HttpError, logFailure, toHttpError } from '../http/errors.ts';
import { html, type PageReply, raw, sendPage } from '../http/html.ts';
import { refuseOtherMethods } from '../http/other-methods.ts';
import type { Principal } from '../http/principal.ts';
import { spendRequest } from '../http/rate-limits.ts';
import { getRequestContext } from '../http/request-context.ts';
import { isUuid } from '../lib/ids.ts';
import type { RateLimiter } from '../lib/rate-limit.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Providers } from '../providers/custom-providers.ts';
import type { Approval } from './approval.ts';
import { approvalPage, CALL_STYLE, wordsPage } from './approval-page.ts';
import { readBody } from './approvals.router.ts';
import type { ApprovalsStore } from './approvals.store.ts';
import type { Decide } from './decide.ts';
import type { OwnPage, PageSessions } from './page-sessions.ts';
import type { FindPresent } from './present-record.ts';
import type { SealedCalls } from './sealed-calls.ts';
import { DE } from './texts/de.ts';
import { EN, type Texts } from './texts/en.ts';
import { ES } from './texts/es.ts';

const PATH = '/approvals/';
const FORM_BYTES_MAX = 4 * 1024;
const TEXTS: Readonly<Record<string, Texts>> = { en: EN, de: DE, es: ES };

const formBody = z.object({ formToken: z.string(), decision: z.enum(['approved', 'rejected']) });

export type ApprovalPageDependencies = {
  readonly db: Db;
  readonly approvals: ApprovalsStore;
  readonly sealed: SealedCalls;
  readonly sessions: PageSessions;
  readonly decide: Decide;
  readonly providers: Pick<Providers, 'find'>;
  findBrand(projectId: string): Promise<Brand | undefined>;
  /** The application's page that signs the person in. */
  findApprovalPage(projectId: string): Promise<string | null>;
  readonly findPresent: FindPresent;
  /** Per client address. */
  readonly limiter?: RateLimiter | undefined;
  readonly publicUrl: string;
  readonly log: ErrorLog;
};

/**
 * The page on which a person reads a call and decides. Its address holds no secret and is in an agent's hands: what opens it
 * is the cookie of a browser that the application has sent here by a link of its own.
 */
export function createApprovalPageRouter(deps: ApprovalPageDependencies): Router {
  const router = express.Router({ caseSensitive: true });
  const form = express.urlencoded({ extended: false, limit: FORM_BYTES_MAX, parameterLimit: 10 });
  const pages = createPages(deps);

  const open: RequestHandler = async (request, response) => {
    if (request.method === 'HEAD') return void response.status(200).end();
    const key = String(request.params.key);
    if (isUuid(key)) return show(request, response, key);
    const opened = deps.sessions.isToken(key) ? await deps.sessions.open(request, key) : undefined;
    if (opened === undefined) return pages.words(request, response, 410, (texts) => texts.linkUsed);
    if (opened.cookie !== undefined) response.append('Set-Cookie', opened.cookie);
    // The link's token leaves the address bar and the history.
    response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
    response.redirect(303, `${PATH}${opened.id}`);
  };

  async function show(request: Request, response: Response, id: string): Promise<void> {
    const own = await deps.sessions.findOwn(request, id);
    const approval = await deps.approvals.findOfAnyProject(deps.db, id);
    if (own === undefined || approval === undefined) return pages.closed(request, response, approval);
    await pages.standing(request, response, approval, own);
  }

  const submit: RequestHandler = async (request, response) => {
    const id = String(request.params.key);
    const own = isUuid(id) ? await deps.sessions.findOwn(request, id) : undefined;
    const approval = own && (await deps.approvals.findOfAnyProject(deps.db, id));
    if (own === undefined || approval === undefined) return pages.closed(request, response, approval);
    const fields = formBody.safeParse(request.body);
    if (!fields.success || !isOwnForm(request, own, fields.data.formToken))
      throw new HttpError('csrf_rejected');
    const person = principalOf(approval, request, response);
    await deps.db
      .transaction((trx) => deps.decide(trx, approval, fields.data.decision, person))
      // Too late: the page says what has become of it.
      .catch((error: unknown) => {
        if (!(error instanceof HttpError && error.code === 'approval_decided')) throw error;
      });
    response.redirect(303, `${PATH}${approval.id}`);
  };

  const renderErrorPage: ErrorRequestHandler = (thrown, request, response, next) => {
    if (response.headersSent) return next(thrown);
    const error = toHttpError(thrown);
    if (error.code === 'method_not_allowed') return next(error);
    logFailure(deps.log, error, getRequestContext(response).requestId);
    response.set({ ...error.headers, 'Gateway-Error': error.code });
    pages.words(request, response, error.status, (texts) => texts.failed).catch(next);
  };

  router.use((request, response, next) => {
    if (!request.path.startsWith(PATH)) return next();
    // A template, since the path may hold a link's token.
    getRequestContext(response).route = `${PATH}{key}`;
    if (deps.limiter)
      spendRequest(deps.limiter, `address:${maskToNetwork(request.ip ?? 'unknown')}`, response);
    next();
  });
  router.get(`${PATH}:key`, open);
  router.post(`${PATH}:key`, form, submit);
  router.all(`${PATH}:key`, refuseOtherMethods(`${PATH}{key}`, ['GET', 'POST']));
  router.use(PATH, renderErrorPage);
  return router;
}

/** The user of the approval: the application has vouched for who sits at this browser. */
function principalOf(approval: Approval, request: Request, response: Response): Principal {
  const { projectId, endUserId, userId } = approval;
  const { requestId } = getRequestContext(response);
  return {
    ...{ kind: 'end_user', projectId, endUserId, subject: userId, requestId },
    sourceAddress: request.ip,
  };
}

type Words = { readonly title: string; readonly text: string };

function createPages(deps: ApprovalPageDependencies) {
  async function send(
    request: Request,
    response: Response,
    page: Pick<PageReply, 'status' | 'layout'> & { readonly locale?: string | null },
    parts: (texts: Texts, tag: string) => { readonly title: string; readonly body: PageReply['body'] },
    projectId?: string,
  ): Promise<void> {
    const language = chooseLanguage([page.locale], request.headers['accept-language']);
    const texts = TEXTS[language.tag] ?? EN;
    const brand = projectId === undefined ? undefined : await deps.findBrand(projectId);
    const { title, body } = parts(texts, language.tag);
    sendPage(response, {
      status: page.status,
      layout: page.layout ?? 'card',
      title: brand === undefined ? title : `${title} – ${brand.name}`,
      body,
      ...{ lang: language.tag, dir: language.dir },
      ...(brand && { banner: brandBanner(brand), imageOrigin: findLogoOrigin(brand) }),
      head: (nonce) =>
        html`<style nonce="${nonce}">${raw(CALL_STYLE)}</style>${brand && brandStyle(brand, nonce)}`,
    });
  }

  function words(request: Request, response: Response, status: number, choose: (texts: Texts) => Words) {
    return send(request, response, { status }, (texts) => {
      const chosen = choose(texts);
      return { title: chosen.title, body: () => wordsPage(chosen) };
    });
  }

  /** For a browser that is not known: where the person is, if the application has said so. The same for what is not there. */
  async function closed(request: Request, response: Response, approval: Approval | undefined): Promise<void> {
    const page = approval && (await deps.findApprovalPage(approval.projectId));
    const href = page && approval && withParameter(page, approval.id);
    await send(request, response, { status: 403 }, (texts) => ({
      title: texts.closed.title,
      body: () => wordsPage(texts.closed, href ? { href, label: texts.closed.goOn } : undefined),
    }));
  }

  /** The call with its buttons, or what has become of it. */
  async function standing(request: Request, response: Response, approval: Approval, own: OwnPage) {
    const { locale } = own.session;
    const { projectId, state, callSealed } = approval;
    const call = callSealed === null ? undefined : deps.sealed.open(approval, callSealed);
    const body = call && (await readBody(deps, approval, call));
    if (call === undefined || body === undefined) {
      const ended = state === 'pending' || state === 'approved' ? 'expired' : state;
      const choose = (texts: Texts) => texts.states[ended];
      return send(
        request,
        response,
        { status: 200, locale },
        (texts) => ({ title: choose(texts).title, body: () => wordsPage(choose(texts)) }),
        projectId,
      );
    }
    const provider = await deps.providers.find(projectId, approval.provider, null);
    const service = provider?.name ?? approval.provider;
    const present =
      state === 'pending' ? await deps.findPresent(approval, call, body).catch(() => undefined) : undefined;
    await send(
      request,
      response,
      { status: 200, layout: 'wide', locale },
      (texts, tag) => ({
        title: state === 'approved' ? texts.states.approved.title : texts.title(service),
        body: () =>
          approvalPage(texts, {
            ...{ approval, call, body, service, present, formToken: own.formToken },
            action: `${PATH}${approval.id}`,
            until: new Intl.DateTimeFormat(tag, { timeStyle: 'long', timeZone: 'UTC' }).format(
              approval.expiresAt,
            ),
          }),
      }),
      projectId,
    );
  }

  return { words, closed, standing };
}

function withParameter(page: string, id: string): string {
  const url = new URL(page);
  url.searchParams.set('approval', id);
  return url.href;
}
