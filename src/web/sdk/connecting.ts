import type { Api } from './api.ts';
import { ConnectError, GatewayError } from './errors.ts';
import type { ConnectOptions } from './gateway.ts';
import { awaitOutcome, awaitStart, openPopup } from './popup.ts';
import {
  forgetPopup,
  forgetReturn,
  type Return,
  rememberedPopup,
  rememberPopup,
  takeReturn,
} from './returning.ts';
import type { Tabs } from './tabs.ts';
import type { Connection, ConnectSession } from './wire.ts';

type Surroundings = { readonly api: Api; readonly tabs: Tabs; readonly home: string | undefined };

/** Authorizations of this page: those that it begins, and one that it was opened to end. */
export function createConnecting({ api, tabs, home }: Surroundings) {
  const completing = createCompleting({ api, tabs });
  const comeBack = typeof document === 'undefined' ? undefined : takeReturn();
  const returned = comeBack === undefined ? Promise.resolve(undefined) : completing.finish(comeBack);
  // The application gets the failure from completeRedirect.
  returned.catch(() => undefined);
  /** Sessions whose popups belong to this tab. */
  const ownSessions = new Set<string>();
  if (typeof document !== 'undefined') closeOwnPopups(tabs, ownSessions);
  /** The popup in which the user reads why the attempt before has failed. */
  let explaining: Window | undefined;

  async function authorize(target: object, options: ConnectOptions): Promise<Connection> {
    const {
      mode = 'auto',
      returnUrl = home,
      signal,
      integrationId,
      allowMultiple,
      tenant,
      owner,
      tags,
    } = options;
    signal?.throwIfAborted();
    const body = { ...target, integrationId, allowMultiple, tenant, owner, tags };
    // Before anything else: browsers let a window through only while they handle the click.
    explaining?.close();
    const popup = mode === 'redirect' ? undefined : openPopup();
    if (popup === undefined) {
      const canLeave = mode === 'redirect' || (mode === 'auto' && returnUrl !== undefined);
      // The gateway's pages refuse to be framed.
      if (!canLeave || parent !== window) throw new ConnectError('popup_blocked');
      return leave(api, { ...body, returnUrl: returnUrl ?? location.href.replace(/#.*/s, '') }, signal);
    }
    try {
      const request = { ...body, returnUrl, display: 'popup' };
      const asked = api.call<ConnectSession>('POST', 'connect-sessions', request);
      const session = await awaitStart(asked, { popup, signal });
      if (popup.closed) throw new ConnectError('popup_closed');
      ownSessions.add(session.id);
      rememberPopup(session.id);
      popup.location.replace(session.url);
      const gatewayOrigin = new URL(session.url).origin;
      const outcome = await awaitOutcome({ popup, session, gatewayOrigin, tabs, signal });
      if ('error' in outcome) {
        explaining = popup;
        throw new ConnectError(outcome.error);
      }
      if ('completionCode' in outcome) return await completing.complete(session.id, outcome.completionCode);
      return await api.call<Connection>('GET', `connections/${encodeURIComponent(outcome.connectionId)}`);
    } finally {
      forgetPopup();
      if (popup !== explaining) popup.close();
    }
  }

  return { authorize, returned };
}

/** Ends authorizations whose user has come back. */
function createCompleting({ api, tabs }: Omit<Surroundings, 'home'>) {
  /** A new connection was never updated; one that existed before was, by this authorization. */
  function announce(connection: Connection): Connection {
    const isNew = connection.createdAt === connection.updatedAt;
    const type = isNew ? 'connection.created' : 'connection.reauthorized';
    tabs.announce({ type, connectionId: connection.id });
    return connection;
  }

  /** Only the user who began may end it: the code and the token of that same user. Sent twice, it counts once. */
  async function complete(sessionId: string, completionCode: string): Promise<Connection> {
    const path = `connect-sessions/${encodeURIComponent(sessionId)}/complete`;
    try {
      const headers = { 'idempotency-key': sessionId };
      return announce(await api.callOrThrow<Connection>('POST', path, { completionCode }, headers));
    } catch (error) {
      const code = error instanceof GatewayError ? error.code : '';
      throw code === 'account_mismatch' || code === 'session_expired' ? new ConnectError(code) : error;
    }
  }

  /** Ends what was begun on a page before this one, or in the tab that waits while this is its popup. */
  async function finish({ sessionId, completionCode, error }: Return): Promise<Connection> {
    tabs.listen((message) => {
      if (message.type === 'heard' && message.sessionId === sessionId) window.close();
    });
    try {
      if (completionCode === null) throw new ConnectError(error ?? 'provider_error');
      const connection = await complete(sessionId, completionCode);
      forgetReturn();
      tabs.post({ type: 'returned', sessionId, connectionId: connection.id });
      return connection;
    } catch (failure) {
      const reason = reasonOf(failure);
      if (reason !== undefined) {
        forgetReturn();
        tabs.post({ type: 'returned', sessionId, error: reason });
      }
      throw failure;
    }
  }

  return { complete, finish };
}

/**
 * A popup that comes back to the application by its return URL would stay as a second copy of it: this page was
 * reloaded, or busy, or the provider's page has cut the popup off. It may come after this tab has done its part.
 */
function closeOwnPopups(tabs: Tabs, ownSessions: Set<string>): void {
  const ofReloadedPage = rememberedPopup();
  if (ofReloadedPage !== undefined) ownSessions.add(ofReloadedPage);
  tabs.listen((message) => {
    if (message.type !== 'returned' || !ownSessions.has(message.sessionId)) return;
    if (message.sessionId === ofReloadedPage) forgetPopup();
    tabs.post({ type: 'heard', sessionId: message.sessionId });
  });
}

async function leave(api: Api, body: object, signal: AbortSignal | undefined): Promise<Connection> {
  const asked = api.call<ConnectSession>('POST', 'connect-sessions', body);
  const session = await awaitStart(asked, { signal });
  location.assign(session.url);
  // This page is gone, unless its user goes back and the browser has kept it as it was.
  return new Promise((_resolve, reject) => {
    addEventListener('pageshow', ({ persisted }) => {
      if (persisted) reject(new ConnectError('popup_closed'));
    });
  });
}

/** Why an authorization has failed for good; undefined where a reload of the page may still complete it. */
function reasonOf(failure: unknown): string | undefined {
  if (failure instanceof ConnectError) return failure.reason;
  return failure instanceof GatewayError && !failure.retryable ? failure.code : undefined;
}
