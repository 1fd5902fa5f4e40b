import type { components } from '../../../../../clients/node/src/api.ts';
import { request } from '../api/client.ts';

export type Connection = components['schemas']['Connection'];

/** What is to be connected: a new account of an integration, or the account of a connection again. */
export type ConnectTarget = ({ readonly integrationId: string } | { readonly connectionId: string }) & {
  /** What an application says by API key of each connection, where the operator is asked for it. */
  readonly variables?: Readonly<Record<string, string>>;
};

/** Why no account was connected: an error code of the hosted connect page, or `popup_closed`. */
export class ConnectFailure extends Error {
  override readonly name = 'ConnectFailure';
  readonly code: string;
  /** The connect session, whose record says more; undefined where none was made. */
  readonly sessionId: string | undefined;

  constructor(code: string, sessionId?: string) {
    super(code);
    this.code = code;
    this.sessionId = sessionId;
  }
}

type Session = components['schemas']['ConnectSession'];
type Outcome = { readonly completionCode: string } | { readonly error: string };

const WIDTH = 520;
const HEIGHT = 760;
const LOOK_MS = 500;
/** Messages of a page that closes itself come shortly after the window reads as closed. */
const GRACE_MS = 2_000;

/** Opens an empty window; undefined where the browser blocks it. Only straight from a click. */
export function openPopup(): Window | undefined {
  const left = Math.round(screenX + (outerWidth - WIDTH) / 2);
  const top = Math.round(screenY + (outerHeight - HEIGHT) / 2);
  const popup = open(
    'about:blank',
    '_blank',
    `popup,width=${WIDTH},height=${HEIGHT},left=${left},top=${top}`,
  );
  return popup === null || popup.closed ? undefined : popup;
}

export type SessionOptions = {
  readonly language: string;
  /** Whether the operator may have several accounts of the integration, as in a list of them; else one is replaced. */
  readonly allowMultiple: boolean;
};

/** A session for the operator's own test user, whose closing page hands its code to this origin. */
export function createSession(
  target: ConnectTarget,
  { language, allowMultiple }: SessionOptions,
): Promise<Session> {
  const body = { ...target, locale: language, allowMultiple };
  return request<Session>('POST', '/connect-sessions', { body });
}

/** Waits for the closing page's message, and completes. Throws ConnectFailure, or the API's refusal. */
export async function finishSession(
  session: Session,
  popup: Window | undefined,
  signal: AbortSignal,
): Promise<Connection> {
  const outcome = await awaitOutcome(session, popup, signal);
  if ('error' in outcome) throw new ConnectFailure(outcome.error, session.id);
  return request<Connection>('POST', '/connect-sessions/{id}/complete', {
    path: { id: session.id },
    body: outcome,
    header: { 'idempotency-key': session.id },
  });
}

const CHANNEL = 'integration-gateway:connect';

/**
 * The connect page tells its opener, and since it is of this origin, also a channel: a provider's page may have cut the
 * opener off, and a link opens a tab that has none. Other windows' messages are recognized by their origin and session.
 */
function awaitOutcome(session: Session, popup: Window | undefined, abandoned: AbortSignal): Promise<Outcome> {
  const done = new AbortController();
  const { signal } = done;
  const origin = new URL(session.url).origin;
  const channel = new BroadcastChannel(CHANNEL);
  const outcome = new Promise<Outcome>((resolve, reject) => {
    const fail = (code: string) => reject(new ConnectFailure(code, session.id));
    const onMessage = ({ origin: from, data }: MessageEvent) => {
      if (from !== origin || data?.type !== CHANNEL || data.sessionId !== session.id) return;
      resolve(data.status === 'success' ? { completionCode: data.completionCode } : { error: data.error });
    };
    addEventListener('message', onMessage, { signal });
    channel.addEventListener('message', onMessage, { signal });
    if (popup) watchClosed(popup, () => fail('popup_closed'), signal);
    const leftMs = Math.max(0, Date.parse(session.expiresAt) - Date.now());
    const timer = setTimeout(fail, leftMs, 'session_expired');
    signal.addEventListener('abort', () => clearTimeout(timer));
    abandoned.addEventListener('abort', () => fail('popup_closed'), { signal });
  });
  return outcome.finally(() => {
    done.abort();
    channel.close();
  });
}

/**
 * A provider's page can cut the window off from this one, and it reads as closed then; so it counts as closed when this
 * page has the focus again and nothing came for a while.
 */
function watchClosed(popup: Window, onClosed: () => void, signal: AbortSignal): void {
  let closedMs = 0;
  const timer = setInterval(() => {
    closedMs = popup.closed && document.hasFocus() ? closedMs + LOOK_MS : 0;
    if (closedMs > GRACE_MS) onClosed();
  }, LOOK_MS);
  signal.addEventListener('abort', () => clearInterval(timer));
}
