import type { Response } from 'express';
import { sendsUsersToProvider } from '../catalog/facts/auth-kinds.ts';
import { ERRORS, isErrorCode } from '../http/error-codes.ts';
import type { Tenant } from '../oauth/tenants.ts';
import type { Outcome } from './conclude.ts';
import type { Target } from './connect-flow.ts';
import {
  type ConnectPagesDependencies,
  chooseFailureReason,
  createConnectPages,
  type EndedProvider,
  type Frame,
} from './connect-pages.ts';
import type { ConnectSession } from './connect-session.ts';
import type { FieldFault } from './pages/asked-variables.ts';
import { type ChoiceList, choosePage } from './pages/choose-page.ts';
import { findFace } from './pages/face.ts';
import { fieldsFor } from './pages/form-fields.ts';
import { formPage } from './pages/form-page.ts';
import { type HandOver, successPage, type WayOn } from './pages/outcome-page.ts';
import { tenantsPage } from './pages/tenants-page.ts';
import { CANCELLED, type Refusal } from './refusals.ts';
import type { FailureReason, Language, Texts } from './texts/language.ts';
import { findWayOn, SESSIONS_PATH } from './way-on.ts';

type TenantsReply = {
  readonly session: ConnectSession;
  readonly target: Pick<Target, 'provider' | 'integration'>;
  readonly tenants: readonly Tenant[];
  /** Nothing was chosen, or something that is not on the page. */
  readonly isUnchosen?: boolean;
};

type FormReply = {
  readonly session: ConnectSession;
  readonly target: Target;
  readonly entered?: Record<string, string>;
  readonly faults?: Record<string, FieldFault>;
  /** Why what was entered is refused as a whole. */
  readonly refusal?: Refusal;
};

/**
 * The answers of the connect pages and the callback. None is ever cached, framed, or shown to another site. Browsers
 * hold every redirect after a form to the page's form-action, so a form that leads on to a provider, or back to the
 * application, leaves it open.
 */
export function createConnectReplies(deps: ConnectPagesDependencies) {
  const { frameFor, send, note, sendFailure } = createConnectPages(deps);

  /** A failure that is shown to the end user and not reported to the application. */
  async function failure(
    response: Response,
    status: number,
    error: string,
    session?: ConnectSession,
  ): Promise<void> {
    note(response, { error }, session);
    const frame = await frameFor(response, session);
    const isCallback = response.req.path.startsWith('/oauth/callback');
    const wayOn: WayOn = {
      application: '',
      ...(session && wayOnFrom(session, frame)),
      ...(isCallback && { address: response.req.path }),
    };
    sendFailure(response, frame, { status, error, provider: '', wayOn });
  }

  const wayOnFrom = (session: ConnectSession, { brand }: Frame, error?: string): WayOn =>
    findWayOn(session, {
      application: brand?.name ?? '',
      publicUrl: deps.publicUrl,
      error,
      nowMs: Date.now(),
    });

  /** The names of categories in the user's language, which a search finds too. */
  async function findCategories(response: Response, session: ConnectSession): Promise<Texts['categories']> {
    return (await frameFor(response, session)).language.texts.categories;
  }

  /** How a session of this browser that is over stands, for one who loads its page again. */
  async function standing(
    response: Response,
    session: ConnectSession,
    provider: EndedProvider | undefined,
    status = 200,
  ): Promise<void> {
    const frame = await frameFor(response, session);
    const name = provider?.name ?? '';
    if (session.state === 'failed') {
      const error = session.errorCode ?? 'session_used';
      const wayOn = wayOnFrom(session, frame, error);
      const failed = { error, provider: name, wayOn, ...(name === '' && ofNoProvider(error)) };
      return sendFailure(response, frame, { status: status === 200 ? statusOf(error) : status, ...failed });
    }
    const { outcome } = frame.language.texts;
    const words =
      session.state === 'completed'
        ? { title: outcome.connectedTitle, lead: outcome.connectedLead(name) }
        : { title: outcome.returningTitle, lead: outcome.returningLead(name) };
    send(response, frame, {
      status,
      title: words.title,
      body: (nonce) => successPage(frame.language.texts, words, { wayOn: wayOnFrom(session, frame) }, nonce),
    });
  }

  async function choices(
    response: Response,
    session: ConnectSession,
    list: ChoiceList & { readonly isUnchosen: boolean },
  ): Promise<void> {
    const frame = await frameFor(response, session);
    const { texts, tag } = frame.language;
    const { query, originalUrl } = response.req;
    const kept = typeof query.locale === 'string' ? { locale: query.locale } : {};
    const wanted = readQuery(query.q);
    send(response, frame, {
      status: list.isUnchosen ? 422 : 200,
      title: texts.choose.title,
      body: (nonce) => choosePage(texts, { ...list, action: originalUrl, query: wanted, kept, tag }, nonce),
      formAction: 'any',
    });
  }

  /** The page that asks for one of several tenants. */
  async function tenants(response: Response, reply: TenantsReply): Promise<void> {
    const { session, target, isUnchosen = false } = reply;
    const { provider } = target;
    const { logo } = findFace(provider, target.integration);
    const frame = await frameFor(response, session);
    const { texts } = frame.language;
    const { query, path } = response.req;
    const wanted = readQuery(query.q);
    send(response, frame, {
      status: isUnchosen ? 422 : 200,
      title: texts.tenants.titles[provider.tenants?.kind ?? 'account'],
      body: (nonce) =>
        tenantsPage(
          texts,
          { provider, logo, tenants: reply.tenants, action: path, query: wanted, isUnchosen },
          nonce,
        ),
      formAction: session.returnUrl === null ? 'self' : 'any',
    });
  }

  async function form(response: Response, reply: FormReply): Promise<void> {
    const { session, target, entered, faults, refusal } = reply;
    const { provider } = target;
    if (refusal !== undefined) note(response, refusal, session, provider);
    const frame = await frameFor(response, session);
    const { texts } = frame.language;
    const face = findFace(provider, target.integration);
    const identity = await deps.readClientIdentity(target);
    const fields = fieldsFor(texts, provider, { ...target, identity }, { entered, faults });
    send(response, frame, {
      status: faults !== undefined || refusal !== undefined ? 422 : 200,
      title: texts.form.title(face.name),
      body: () =>
        formPage(frame.language, {
          provider,
          face,
          fields,
          action: response.req.originalUrl,
          refusal: refusal && refusalText(texts, refusal, provider.name),
        }),
      formAction: sendsUsersToProvider(provider) || session.returnUrl !== null ? 'any' : 'self',
    });
  }

  /**
   * Back to the application: by redirect where it named an address, else by message from the closing page. A popup
   * tries the message first, and the address where no opener acknowledges it.
   */
  async function replyOutcome(
    response: Response,
    session: ConnectSession,
    provider: EndedProvider | undefined,
    outcome: Outcome,
  ): Promise<void> {
    if (!outcome.ok) note(response, outcome, session, provider);
    const handOver = handOverOf(session, outcome);
    if (handOver.returnTo !== undefined && session.display === 'page') {
      response.set('Cache-Control', 'no-store').redirect(303, handOver.returnTo);
      return;
    }
    const frame = await frameFor(response, session);
    const name = provider?.name ?? '';
    const { path, method } = response.req;
    // An opened link that has expired may stand in another browser, for which that address is no use.
    const isThere = method === 'POST' || path.startsWith('/oauth/callback');
    const wayOn = {
      ...wayOnFrom(session, frame, outcome.ok ? undefined : outcome.error),
      ...(isThere && { address: `${SESSIONS_PATH}${session.id}` }),
    };
    if (!outcome.ok) {
      const status = statusOf(outcome.error);
      return sendFailure(response, frame, { ...outcome, status, provider: name, handOver, wayOn });
    }
    const words = successWords(frame.language, session, name);
    send(response, frame, {
      status: 200,
      title: words.title,
      body: (nonce) => successPage(frame.language.texts, words, { handOver, wayOn }, nonce),
    });
  }

  return { failure, findCategories, choices, form, tenants, standing, replyOutcome };
}

export type ConnectReplies = ReturnType<typeof createConnectReplies>;

/** Of one who has chosen no service yet. */
function ofNoProvider(error: string): { readonly reason?: FailureReason } {
  return error === CANCELLED.error ? { reason: 'cancelled' } : {};
}

/** What a list is searched for. */
export function readQuery(query: unknown): string {
  return typeof query === 'string' ? query.slice(0, 100) : '';
}

/** Reasons that are the user's own will. */
const WILLED: readonly string[] = ['access_denied', 'cancelled'];

function handOverOf(session: ConnectSession, outcome: Outcome): HandOver {
  const { id, origin, returnUrl } = session;
  return {
    message: {
      type: 'integration-gateway:connect',
      sessionId: id,
      status: outcome.ok ? 'success' : 'error',
      ...(outcome.ok && outcome.completionCode !== undefined && { completionCode: outcome.completionCode }),
      ...(!outcome.ok && { error: outcome.error }),
    },
    origin,
    ...(returnUrl !== null && { returnTo: addressWith(returnUrl, id, outcome) }),
    // An end user who has just pressed "deny" needs no explanation; every other failure does.
    ...(!outcome.ok && !WILLED.includes(outcome.reason ?? outcome.error) && { staysOpen: true }),
  };
}

function successWords({ texts }: Language, session: ConnectSession, provider: string) {
  const { outcome } = texts;
  if (session.returnUrl !== null)
    return { title: outcome.returningTitle, lead: outcome.leadingBackLead(provider) };
  return session.completion === 'link'
    ? { title: outcome.connectedTitle, lead: outcome.connectedLead(provider) }
    : { title: outcome.returningTitle, lead: outcome.returningLead(provider) };
}

function refusalText(
  { failures }: Language['texts'],
  refusal: { readonly error: string; readonly reason?: FailureReason },
  provider: string,
): string {
  const { text, remedy } = failures[refusal.reason ?? chooseFailureReason(refusal.error, provider)];
  return `${text(provider)} ${remedy(provider)}`;
}

/** Servers in front replace pages from 500 on by their own, and the application would never learn of the failure. */
function statusOf(error: string): number {
  const status = isErrorCode(error) ? ERRORS[error].status : 400;
  return status < 500 ? status : 400;
}

/** The registered URL with the outcome in its fragment, which no server and no Referer header ever sees. */
function addressWith(returnUrl: string, sessionId: string, outcome: Outcome): string {
  const parameters = new URLSearchParams({ connect_session: sessionId });
  if (!outcome.ok) parameters.set('error', outcome.error);
  else if (outcome.completionCode !== undefined) parameters.set('completion_code', outcome.completionCode);
  return `${returnUrl}#${parameters}`;
}
