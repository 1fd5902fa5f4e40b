import type { Response } from 'express';
import { sendPage } from '../http/html.ts';
import type { Outcome } from './conclude.ts';
import type { Target } from './connect-flow.ts';
import type { ConnectSession } from './connect-sessions.store.ts';
import { type ClosingMessage, choosePage, closingPage, fieldsFor, formPage } from './pages.ts';
import { failureText, TEXTS } from './texts.ts';

type Choices = Parameters<typeof choosePage>[0];

type FormReply = {
  /** Where the form is sent: the session's own link. */
  readonly action: string;
  readonly session: ConnectSession;
  readonly target: Target;
  readonly entered?: Record<string, string>;
  readonly errors?: Record<string, string>;
  /** Why what was entered is refused as a whole. */
  readonly refusal?: string;
};

/**
 * The answers of the connect pages and the callback. None is ever cached, framed, or told to another site. Browsers
 * hold every redirect after a form to the page's form-action, so a form that leads on to a provider, or back to the
 * application, leaves it open.
 */
export function createConnectReplies() {
  /** A failure that belongs to no session we could tell anybody about: words only. */
  function failure(response: Response, status: number, code: string): void {
    sendPage(response, {
      status,
      title: TEXTS.failedTitle,
      body: (nonce) => closingPage(TEXTS.failedTitle, failureText(code, ''), undefined, nonce),
    });
  }

  function choices(response: Response, action: string, list: Choices): void {
    sendPage(response, {
      status: 200,
      title: TEXTS.chooseTitle,
      body: () => choosePage(list, action),
      formAction: 'any',
    });
  }

  function form(response: Response, reply: FormReply): void {
    const { action, session, target, entered = {}, errors = {}, refusal } = reply;
    const { provider, known } = target;
    const hasFaults = Object.keys(errors).length > 0 || refusal !== undefined;
    const fields = fieldsFor(provider, known, entered, errors);
    const words = refusal === undefined ? undefined : failureText(refusal, provider.name);
    sendPage(response, {
      status: hasFaults ? 422 : 200,
      title: TEXTS.formTitle(provider.name),
      body: () => formPage(provider, fields, action, words),
      formAction: provider.auth === 'oauth2' || session.returnUrl !== null ? 'any' : 'self',
    });
  }

  /**
   * Back to the application: by redirect where it named an address, else by message from the closing page. A popup
   * tries the message first, and the address where nobody takes it.
   */
  function ended(response: Response, session: ConnectSession, providerName: string, outcome: Outcome): void {
    const returnTo =
      session.returnUrl === null ? undefined : returnAddress(session.returnUrl, session.id, outcome);
    if (returnTo !== undefined && session.display === 'page') {
      response.set('Cache-Control', 'no-store').redirect(303, returnTo);
      return;
    }
    const message: ClosingMessage = {
      type: 'integration-gateway:connect',
      sessionId: session.id,
      status: outcome.ok ? 'success' : 'error',
      ...(outcome.ok && outcome.completionCode !== undefined && { completionCode: outcome.completionCode }),
      ...(!outcome.ok && { error: outcome.error }),
    };
    const title = titleFor(session, outcome);
    sendPage(response, {
      status: 200,
      title,
      body: (nonce) =>
        closingPage(
          title,
          wordsFor(session, providerName, outcome),
          { message, origin: session.origin, ...(returnTo !== undefined && { returnTo }) },
          nonce,
        ),
    });
  }

  return { failure, choices, form, ended };
}

function titleFor(session: ConnectSession, outcome: Outcome): string {
  if (!outcome.ok) return TEXTS.failedTitle;
  return session.completion === 'link' ? TEXTS.connectedTitle : TEXTS.returningTitle;
}

function wordsFor(session: ConnectSession, providerName: string, outcome: Outcome): string {
  if (!outcome.ok) return `${failureText(outcome.error, providerName)} ${TEXTS.closeHint}`;
  const isFinal = session.completion === 'link';
  return isFinal ? TEXTS.connectedLead(providerName) : TEXTS.returningLead(providerName);
}

/** The registered URL with the outcome in its fragment, which no server and no Referer header ever sees. */
export function returnAddress(returnUrl: string, sessionId: string, outcome: Outcome): string {
  const parameters = new URLSearchParams({ connect_session: sessionId });
  if (!outcome.ok) parameters.set('error', outcome.error);
  else if (outcome.completionCode !== undefined) parameters.set('completion_code', outcome.completionCode);
  return `${returnUrl}#${parameters}`;
}
