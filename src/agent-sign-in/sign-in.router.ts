import express, {
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
  type Router,
} from 'express';
import { z } from 'zod';
import { maskToNetwork } from '../http/client-address.ts';
import { type ErrorLog, HttpError, logFailure, toHttpError } from '../http/errors.ts';
import { refuseMethod, refuseOtherMethods } from '../http/other-methods.ts';
import { spendRequest } from '../http/rate-limits.ts';
import { getRequestContext } from '../http/request-context.ts';
import type { AdmittedPerson } from '../identity/verification/key-sets.ts';
import type { VerifiedUser } from '../identity/verification/user-rights.ts';
import { isUuid } from '../lib/ids.ts';
import type { RateLimiter } from '../lib/rate-limit.ts';
import { readMembership } from '../mandates/membership.ts';
import { readTokenRights } from '../mandates/token-rights.ts';
import { writeAccountId } from './account-id.ts';
import { ISSUER_PATH, RETURN_PATH, SIGN_IN_PATH } from './addresses.ts';
import { allow, type DecisionDependencies } from './allow.ts';
import type { AuthorizationServer, Interaction } from './authorization-server.ts';
import { beginSignIn, comeBackFromOpenId, type WaysDependencies } from './begin-sign-in.ts';
import { assertMandateGiven } from './rights.ts';
import { createPages, type PagesDependencies } from './sign-in-pages.ts';
import type { OwnSignIn, SignedIn, SignIns } from './sign-ins.ts';

/** A user token and a state. */
const FORM_BYTES_MAX = 16 * 1024;

const QUERY_LENGTH_MAX = 8 * 1024;

const decisionForm = z.object({
  formToken: z.string(),
  decision: z.enum(['allow', 'refuse']),
  access: z.enum(['read', 'all']).default('read'),
});
const returnForm = z.object({
  state: z.string().max(200),
  token: z
    .string()
    .min(1)
    .max(8 * 1024),
});

export type SignInDependencies = DecisionDependencies &
  PagesDependencies &
  WaysDependencies & {
    loadServer(): Promise<AuthorizationServer>;
    loadServerOf(projectId: string): Promise<AuthorizationServer>;
    readonly signIns: SignIns;
    admitUser(person: AdmittedPerson, networkOfCaller: () => string): VerifiedUser | Promise<VerifiedUser>;
    /** Per client address. */
    readonly limiter?: RateLimiter | undefined;
    readonly log: ErrorLog;
  };

/** Where clients send browsers, and browsers the person: the protocol's endpoints, the way by the application, the consent. */
export function createSignInRouter(deps: SignInDependencies): Router {
  const router = express.Router({ caseSensitive: true });
  const form = express.urlencoded({ extended: false, limit: FORM_BYTES_MAX, parameterLimit: 10 });
  const pages = createPages(deps);
  const network = (request: Request) => () => maskToNetwork(request.ip ?? 'unknown');

  const protocol =
    (methods: readonly string[]): RequestHandler =>
    async (request, response) => {
      if (isOther(request, methods)) return refuseMethod(request, response, methods);
      const server = await deps.loadServer();
      request.url = request.url.slice(ISSUER_PATH.length);
      server.handle(request, response);
    };

  /** At the issuer of a project, below whose path the same is answered. */
  const protocolOfProject =
    (methods: readonly string[]): RequestHandler =>
    async (request, response, next) => {
      const projectId = String(request.params.projectId);
      const isId = isUuid(projectId) && projectId === projectId.toLowerCase();
      if (!isId || (await deps.findAgentSignIn(projectId)) === null) return next();
      if (isOther(request, methods)) return refuseMethod(request, response, methods);
      const server = await deps.loadServerOf(projectId);
      request.url = request.url.slice(`${ISSUER_PATH}/${projectId}`.length);
      server.handle(request, response);
    };

  async function findInteraction(request: Request, response: Response) {
    const server = await deps.loadServer();
    const uid = String(request.params.uid);
    const interaction = await server.findInteraction(request, response, uid);
    if (interaction === undefined) throw new HttpError('agent_sign_in_invalid');
    return { server, interaction, own: await deps.signIns.findOwn(request, uid) };
  }

  const open: RequestHandler = async (request, response) => {
    const { server, interaction, own } = await findInteraction(request, response);
    if (own?.person === 'denied') {
      await deps.signIns.remove(deps.db, own.id);
      return server.finish(request, response, interaction, 'denied');
    }
    if (own?.person !== undefined) return showConsent(request, response, interaction, own, own.person);
    const { location, cookie } = await beginSignIn(deps, request, interaction);
    response.append('Set-Cookie', cookie);
    response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
    response.redirect(303, location);
  };

  /** Rejects where the person's tokens have been revoked or their data erased since they signed in, or a mandate is missing. */
  async function admit(
    request: Request,
    { projectId }: Interaction,
    { subject, issuedAtMs, rights: claims }: SignedIn,
  ): Promise<VerifiedUser> {
    const rights = readTokenRights(claims);
    const membership = readMembership(claims) ?? undefined;
    const person = { projectId, subject, membership, issuedAtMs, rights };
    const user = await deps.admitUser(person, network(request));
    assertMandateGiven(user);
    return user;
  }

  async function showConsent(
    request: Request,
    response: Response,
    interaction: Interaction,
    own: OwnSignIn,
    person: SignedIn,
  ): Promise<void> {
    const user = await admit(request, interaction, person);
    await pages.consent(request, response, {
      interaction,
      user,
      shownAs: person.shownAs ?? user.subject,
      formToken: own.formToken,
      action: `${SIGN_IN_PATH}/${interaction.uid}`,
    });
  }

  const decide: RequestHandler = async (request, response) => {
    const { server, interaction, own } = await findInteraction(request, response);
    const fields = decisionForm.safeParse(request.body);
    const site = request.headers['sec-fetch-site'];
    const isFromPage = site === undefined || site === 'same-origin';
    if (own?.person === undefined || own.person === 'denied') throw new HttpError('agent_sign_in_invalid');
    if (!fields.success || !isFromPage || fields.data.formToken !== own.formToken)
      throw new HttpError('csrf_rejected');
    const { decision, access } = fields.data;
    if (decision === 'refuse') {
      await deps.signIns.remove(deps.db, own.id);
      return server.finish(request, response, interaction, 'denied');
    }
    // Before anything is kept: `allow` makes a row for a person who has none.
    await admit(request, interaction, own.person);
    const { requestId } = getRequestContext(response);
    const consentId = await allow(deps, interaction, own.person, {
      ...{ access, requestId, sourceAddress: request.ip },
      take: (trx) => deps.signIns.remove(trx, own.id),
    });
    if (consentId === undefined) throw new HttpError('agent_sign_in_invalid');
    const accountId = writeAccountId(interaction.projectId, own.person.subject);
    await server.finish(request, response, interaction, { accountId, consentId });
  };

  /** From the application's page, so that no cookie of ours is here: browsers send none with another site's form. */
  const takeToken: RequestHandler = async (request, response) => {
    const fields = returnForm.safeParse(request.body);
    if (!fields.success) throw new HttpError('agent_sign_in_invalid');
    const { state, token } = fields.data;
    const handover = await deps.signIns.accept(state, token, network(request));
    response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
    response.redirect(303, `${RETURN_PATH}?handover=${handover}`);
  };

  const comeBack: RequestHandler = async (request, response) => {
    const { handover } = request.query;
    if (typeof handover !== 'string') throw new HttpError('agent_sign_in_invalid');
    const uid = await deps.signIns.resume(request, handover);
    response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
    response.redirect(303, `${SIGN_IN_PATH}/${uid}`);
  };

  /** By a link of the OpenID provider's, so that the cookie of the browser that was sent there comes along. */
  const comeBackSignedIn: RequestHandler = async (request, response) => {
    const projectId = String(request.params.projectId).toLowerCase();
    const query = URL.parse(request.originalUrl, deps.publicUrl)?.search ?? '';
    if (!isUuid(projectId) || query.length > QUERY_LENGTH_MAX) throw new HttpError('agent_sign_in_invalid');
    const uid = await comeBackFromOpenId(deps, request, projectId, query);
    response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
    response.redirect(303, `${SIGN_IN_PATH}/${uid}`);
  };

  const renderErrorPage: ErrorRequestHandler = (thrown, request, response, next) => {
    if (response.headersSent) return next(thrown);
    const error = toHttpError(thrown);
    if (error.code === 'method_not_allowed') return next(error);
    const { requestId } = getRequestContext(response);
    logFailure(deps.log, error, requestId);
    response.set({ ...error.headers, 'Gateway-Error': error.code });
    pages.words(request, response, error, requestId);
  };

  const at =
    (route: string): RequestHandler =>
    (request, response, next) => {
      getRequestContext(response).route = route;
      if (deps.limiter) spendRequest(deps.limiter, `address:${network(request)()}`, response);
      next();
    };
  const page = `${SIGN_IN_PATH}/:uid`;
  for (const [part, methods] of PROTOCOL) {
    const path = `${ISSUER_PATH}${part}`;
    const ofProject = `${ISSUER_PATH}/:projectId${part}`;
    router.all(path, at(showPath(path)), protocol(methods));
    router.all(ofProject, at(showPath(ofProject)), protocolOfProject(methods));
  }
  router.use(SIGN_IN_PATH, at(`${SIGN_IN_PATH}/{uid}`));
  router.use(RETURN_PATH, at(RETURN_PATH));
  router.get(page, open);
  router.post(page, form, decide);
  router.all(page, refuseOtherMethods(page, ['GET', 'POST']));
  router.post(RETURN_PATH, form, takeToken);
  router.get(RETURN_PATH, comeBack);
  router.all(RETURN_PATH, refuseOtherMethods(RETURN_PATH, ['GET', 'POST']));
  const openidReturn = `${RETURN_PATH}/:projectId`;
  router.get(openidReturn, comeBackSignedIn);
  router.all(openidReturn, refuseOtherMethods(openidReturn, ['GET']));
  router.use([SIGN_IN_PATH, RETURN_PATH], renderErrorPage);
  return router;
}

/** What the library answers below an issuer, by which methods. */
const PROTOCOL = [
  ['/authorize', ['GET']],
  ['/authorize/:uid', ['GET']],
  ['/token', ['POST']],
  ['/revoke', ['POST']],
] as const;

const showPath = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}');

/** The library answers browsers that ask before a request of another origin. */
function isOther({ method, headers }: Request, methods: readonly string[]): boolean {
  if (method === 'OPTIONS') return headers['access-control-request-method'] === undefined;
  return !methods.includes(method === 'HEAD' ? 'GET' : method);
}
