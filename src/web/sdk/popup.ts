import { ConnectError } from './errors.ts';
import type { Tabs } from './tabs.ts';
import type { ConnectSession } from './wire.ts';

/**
 * What a popup ends with: the code that this tab completes with, what the popup itself has completed, or the error that
 * the gateway's page in it explains. That page closes the popup itself where there is nothing to read.
 */
export type Outcome =
  | { readonly completionCode: string }
  | { readonly connectionId: string }
  | { readonly error: string };

const WIDTH = 520;
const HEIGHT = 760;
const LOOK_MS = 500;
const GRACE_MS = 2000;
const LIFETIME_MS = 600_000;
const SLACK_MS = 60_000;

/** Opens an empty window; undefined if the browser blocks it. Browsers allow it straight from a click only. */
export function openPopup(): Window | undefined {
  const left = Math.round(screenX + (outerWidth - WIDTH) / 2);
  const top = Math.round(screenY + (outerHeight - HEIGHT) / 2);
  const size = `popup,width=${WIDTH},height=${HEIGHT},left=${left},top=${top}`;
  const popup = window.open('about:blank', '_blank', size);
  return popup === null || popup.closed ? undefined : popup;
}

/**
 * What this page asks for before its user can go anywhere. Rejects as soon as the application stops waiting, with the
 * signal's reason, or the user closes the window that is still empty: a token or a slow network may keep it so for long.
 */
export function awaitStart<Answer>(
  asked: Promise<Answer>,
  { popup, signal: given }: { popup?: Window; signal: AbortSignal | undefined },
): Promise<Answer> {
  const ended = new AbortController();
  const { signal } = ended;
  const started = new Promise<Answer>((resolve, reject) => {
    asked.then(resolve, reject);
    given?.addEventListener('abort', () => reject(given.reason), { signal });
    const timer = setInterval(() => {
      if (popup?.closed) reject(new ConnectError('popup_closed'));
    }, LOOK_MS);
    signal.addEventListener('abort', () => clearInterval(timer));
  });
  return started.finally(() => ended.abort());
}

/** Waits for the end of an authorization in a popup. Rejects with a ConnectError, or with the signal's reason. */
export function awaitOutcome(input: {
  popup: Window;
  session: ConnectSession;
  gatewayOrigin: string;
  tabs: Tabs;
  signal: AbortSignal | undefined;
}): Promise<Outcome> {
  const { popup, session, gatewayOrigin, tabs, signal: given } = input;
  const ended = new AbortController();
  const { signal } = ended;
  const outcome = new Promise<Outcome>((resolve, reject) => {
    const fail = (reason: string) => reject(new ConnectError(reason));

    const onMessage = ({ origin, source, data }: MessageEvent) => {
      // Any window may send a message: believe the gateway's alone, from the window opened here, about this session.
      if (origin !== gatewayOrigin || source !== popup) return;
      if (data?.type !== 'integration-gateway:connect' || data.sessionId !== session.id) return;
      // Or the page would go on to the return URL, to inform the application there. Completing may take longer than it waits.
      popup.postMessage({ type: 'integration-gateway:heard', sessionId: session.id }, gatewayOrigin);
      if (data.status === 'success') resolve({ completionCode: data.completionCode });
      else resolve({ error: data.error ?? 'provider_error' });
    };
    addEventListener('message', onMessage, { signal });

    const ignoreTabs = tabs.listen((message) => {
      if (message.type !== 'returned' || message.sessionId !== session.id) return;
      if ('error' in message) fail(message.error);
      else resolve({ connectionId: message.connectionId });
    });

    const stopLooking = watchPopupClosed(popup, () => fail('popup_closed'));
    const lifetimeMs = Math.max(Date.parse(session.expiresAt) - Date.now(), LIFETIME_MS);
    const expiry = setTimeout(fail, lifetimeMs + SLACK_MS, 'session_expired');
    given?.addEventListener('abort', () => reject(given.reason), { signal });
    signal.addEventListener('abort', () => {
      ignoreTabs();
      stopLooking();
      clearTimeout(expiry);
    });
  });
  return outcome.finally(() => ended.abort());
}

/**
 * Calls back when the window has been closed. A page with Cross-Origin-Opener-Policy cuts the window off, which then
 * reads as closed although its user is in it; so the window counts as closed only when this page is visible again and
 * no message from the window came in the meantime.
 */
function watchPopupClosed(popup: Window, onLeft: () => void): () => void {
  let leftMs = 0;
  const timer = setInterval(() => {
    leftMs = popup.closed && document.hasFocus() ? leftMs + LOOK_MS : 0;
    if (leftMs > GRACE_MS) onLeft();
  }, LOOK_MS);
  return () => clearInterval(timer);
}
