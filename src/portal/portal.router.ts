import express, {
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
  type Router,
} from 'express';
import { z } from 'zod';
import { describeClient } from '../agent-sign-in/consent.ts';
import type { ConsentsStore } from '../agent-sign-in/consents.store.ts';
import { logoPath } from '../catalog/loading/logos.ts';
import { type Brand, brandBanner, brandStyle, findLogoOrigin } from '../connect/pages/brand.ts';
import { chooseLanguage, findLanguage, isFailureReason } from '../connect/texts/language.ts';
import type { Connection } from '../connections/connection.ts';
import type { ConnectionsStore } from '../connections/connections.store.ts';
import { isOwnForm } from '../http/bound-browser.ts';
import { maskToNetwork } from '../http/client-address.ts';
import { type ErrorLog, HttpError, logFailure, toHttpError } from '../http/errors.ts';
import { html, type PageReply, raw, sendPage } from '../http/html.ts';
import { refuseOtherMethods } from '../http/other-methods.ts';
import type { PrincipalOf } from '../http/principal.ts';
import { spendRequest } from '../http/rate-limits.ts';
import { getRequestContext } from '../http/request-context.ts';
import { isUuid } from '../lib/ids.ts';
import type { RateLimiter } from '../lib/rate-limit.ts';
import type { Db } from '../platform/postgres/database.ts';
import { listOwners } from '../projects/membership.ts';
import type { Providers } from '../providers/custom-providers.ts';
import { ACTS, type createPortalActs, type PortalResult } from './portal-acts.ts';
import type { OwnPortal, PortalBrowsers } from './portal-browsers.ts';
import { PORTAL_STYLE, portalPage, type ShownConnection } from './portal-page.ts';
import { PORTAL_PATH } from './portal-sessions.router.ts';
import type { PortalSession } from './portal-sessions.store.ts';
import { DE } from './texts/de.ts';
import { EN, type Texts } from './texts/en.ts';
import { ES } from './texts/es.ts';

const FORM_BYTES_MAX = 4 * 1024;
const CONNECTIONS_MAX = 200;
const TEXTS: Readonly<Record<string, Texts>> = { en: EN, de: DE, es: ES };

/** What the page may say of what was done: texts of `done`, named in its address. */
const DONE = ['removed', 'withdrawn', 'connected', 'failed'] as const satisfies (keyof Texts['done'])[];

const formBody = z.object({
  formToken: z.string(),
  act: z.enum(ACTS),
  id: z.string().max(100),
  code: z.string().max(200).default(''),
  error: z.string().max(100).default(''),
  of: z.string().max(100).default(''),
});

export type PortalRouterDependencies = {
  readonly db: Db;
  readonly browsers: PortalBrowsers;
  readonly acts: ReturnType<typeof createPortalActs>;
  readonly connections: Pick<ConnectionsStore, 'list'>;
  readonly consents: Pick<ConsentsStore, 'list'>;
  readonly providers: Pick<Providers, 'find'>;
  findBrand(projectId: string): Promise<Brand | undefined>;
  /** Per client address. */
  readonly limiter?: RateLimiter | undefined;
  readonly publicUrl: string;
  readonly log: ErrorLog;
};

/** The page on which a person sees what they have connected. Its link opens it in one browser, whose cookie it is from then on. */
export function createPortalRouter(deps: PortalRouterDependencies): Router {
  const router = express.Router({ caseSensitive: true });
  const form = express.urlencoded({ extended: false, limit: FORM_BYTES_MAX, parameterLimit: 10 });
  const pages = createPages(deps);

  const open: RequestHandler = async (request, response) => {
    if (request.method === 'HEAD') return void response.status(200).end();
    const key = String(request.params.key);
    if (isUuid(key)) {
      const own = await deps.browsers.findOwn(request, key);
      return own === undefined ? pages.ended(request, response) : pages.show(request, response, own);
    }
    const opened = deps.browsers.isToken(key) ? await deps.browsers.open(request, key) : undefined;
    if (opened === undefined) return pages.ended(request, response);
    if (opened.cookie !== undefined) response.append('Set-Cookie', opened.cookie);
    // The link's token leaves the address bar and the history.
    response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
    response.redirect(303, `${PORTAL_PATH}${opened.id}`);
  };

  const submit: RequestHandler = async (request, response) => {
    const id = String(request.params.key);
    const own = isUuid(id) ? await deps.browsers.findOwn(request, id) : undefined;
    if (own === undefined) return pages.ended(request, response);
    const fields = formBody.safeParse(request.body);
    if (!fields.success || !isOwnForm(request, own, fields.data.formToken))
      throw new HttpError('csrf_rejected');
    const page = `${deps.publicUrl}${PORTAL_PATH}${own.session.id}`;
    const result = await deps.acts(personOf(own.session, request, response), { ...fields.data, page });
    response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
    response.redirect(303, wayOn(own.session, result));
  };

  const renderErrorPage: ErrorRequestHandler = (thrown, request, response, next) => {
    if (response.headersSent) return next(thrown);
    const error = toHttpError(thrown);
    if (error.code === 'method_not_allowed') return next(error);
    logFailure(deps.log, error, getRequestContext(response).requestId);
    response.set({ ...error.headers, 'Gateway-Error': error.code });
    pages.failed(request, response, error.status).catch(next);
  };

  router.use((request, response, next) => {
    if (!request.path.startsWith(PORTAL_PATH)) return next();
    // A template, since the path may hold a link's token.
    getRequestContext(response).route = `${PORTAL_PATH}{key}`;
    if (deps.limiter)
      spendRequest(deps.limiter, `address:${maskToNetwork(request.ip ?? 'unknown')}`, response);
    next();
  });
  router.get(`${PORTAL_PATH}:key`, open);
  router.post(`${PORTAL_PATH}:key`, form, submit);
  router.all(`${PORTAL_PATH}:key`, refuseOtherMethods(`${PORTAL_PATH}{key}`, ['GET', 'POST']));
  router.use(PORTAL_PATH, renderErrorPage);
  return router;
}

/** To the provider in the language of the link, or back to the page with what came of it. */
function wayOn({ id, locale }: PortalSession, result: PortalResult): string {
  if (!('goTo' in result)) return `${PORTAL_PATH}${id}?${new URLSearchParams(result)}`;
  return locale === null ? result.goTo : `${result.goTo}?${new URLSearchParams({ locale })}`;
}

/** The user of the link: the application has vouched for who sits at this browser. */
function personOf(session: PortalSession, request: Request, response: Response): PrincipalOf<['end_user']> {
  const { projectId, endUserId, subject, organization } = session;
  const { requestId } = getRequestContext(response);
  return {
    ...{ kind: 'end_user', projectId, endUserId, subject, organization, requestId },
    sourceAddress: request.ip,
  };
}

function createPages(deps: PortalRouterDependencies) {
  type Parts = { readonly title: string; readonly body: PageReply['body'] };

  async function send(
    request: Request,
    response: Response,
    page: { readonly status: number; readonly session?: PortalSession | undefined },
    parts: (texts: Texts, tag: string, brand: Brand | undefined) => Parts,
  ): Promise<void> {
    const { session, status } = page;
    const language = chooseLanguage([session?.locale ?? null], request.headers['accept-language']);
    const brand = session && (await deps.findBrand(session.projectId));
    const { title, body } = parts(TEXTS[language.tag] ?? EN, language.tag, brand);
    sendPage(response, {
      ...{ status, body, lang: language.tag, dir: language.dir, layout: 'card' },
      title: brand === undefined ? title : `${title} – ${brand.name}`,
      // Connecting again goes on at the provider.
      formAction: 'any',
      ...(brand && { banner: brandBanner(brand), imageOrigin: findLogoOrigin(brand) }),
      head: (nonce) =>
        html`<style nonce="${nonce}">${raw(PORTAL_STYLE)}</style>${brand && brandStyle(brand, nonce)}`,
    });
  }

  const words = (request: Request, response: Response, status: number, name: 'ended' | 'failed') =>
    send(request, response, { status }, (texts) => ({
      title: texts[name].title,
      body: () => html`<h1>${texts[name].title}</h1><p class="lead">${texts[name].text}</p>`,
    }));

  async function show(
    request: Request,
    response: Response,
    { session, formToken }: OwnPortal,
  ): Promise<void> {
    const person = personOf(session, request, response);
    const { projectId, endUserId } = session;
    const found = await deps.connections.list(deps.db, {
      ...{ projectIds: [projectId], endUserIds: listOwners(person), limit: CONNECTIONS_MAX + 1 },
    });
    const named = await Promise.all(
      found.slice(0, CONNECTIONS_MAX).map(async (one) => ({
        connection: one,
        service:
          (await deps.providers.find(projectId, one.serviceProvider, null))?.name ?? one.serviceProvider,
      })),
    );
    const consents = await deps.consents.list(deps.db, {
      ...{ projectIds: [projectId], endUserId, limit: CONNECTIONS_MAX },
    });
    const agents = consents.map(({ id, clientId, clientName, access }) => ({
      ...{ id, readsOnly: access === 'read' },
      name: clientName ?? describeClient(clientId, clientName).host,
    }));
    await send(request, response, { status: 200, session }, (texts, tag, brand) => {
      const dates = new Intl.DateTimeFormat(tag, {
        dateStyle: 'medium',
        timeStyle: 'short',
        timeZone: 'UTC',
      });
      const connections = named.map(({ connection, service }) =>
        describe(connection, service, person, (at) => `${dates.format(at)} UTC`),
      );
      const done = DONE.find((name) => name === request.query.done);
      const page = {
        ...{ connections, agents, formToken, action: `${PORTAL_PATH}${session.id}` },
        ...{ application: brand?.name ?? '', hasMore: found.length > CONNECTIONS_MAX },
        done: done && (explainFailure(tag, request.query, connections) ?? texts.done[done]),
      };
      return { title: texts.title, body: (nonce) => portalPage(texts, page, nonce) };
    });
  }

  return {
    show,
    ended: (request: Request, response: Response) => words(request, response, 410, 'ended'),
    failed: (request: Request, response: Response, status: number) =>
      words(request, response, status, 'failed'),
  };
}

/** What is known of an account that could not be connected, in the words of the connect pages. */
function explainFailure(
  tag: string,
  { done, why, of }: Request['query'],
  connections: readonly ShownConnection[],
): string | undefined {
  const service = connections.find(({ id }) => id === of)?.service;
  // Who declined, at the provider or on the form before it, the code does not say.
  if (done !== 'failed' || service === undefined || why === 'access_denied') return undefined;
  const code = String(why);
  const failures = findLanguage(tag)?.texts.failures;
  if (failures === undefined || !isFailureReason(code)) return undefined;
  const { title, text, remedy } = failures[code];
  return `${title}. ${text(service)} ${remedy(service)}`;
}

function describe(
  connection: Connection,
  service: string,
  { organization: own }: PrincipalOf<['end_user']>,
  write: (at: Date) => string,
): ShownConnection {
  const { id, serviceProvider, accountName, accountId, status, lastUsedAt, organization } = connection;
  return {
    ...{ id, service, organization, account: accountName ?? accountId },
    logo: logoPath(serviceProvider),
    isActive: status === 'active',
    lastUsed: lastUsedAt && write(lastUsedAt),
    isManaged: organization === null || own?.isManaged === true,
  };
}
