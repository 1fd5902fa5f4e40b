import { html, jsonScript, raw, type SafeHtml } from '../../http/html.ts';
import type { FailureReason, Texts } from '../texts/language.ts';

/** What the closing page hands to the page that opened it. */
type ClosingMessage = Readonly<{
  type: 'integration-gateway:connect';
  sessionId: string;
  status: 'success' | 'error';
  completionCode?: string;
  error?: string;
}>;

/** How the application hears of the outcome. */
export type HandOver = Readonly<{
  message: ClosingMessage;
  /** Origin that may receive the message; null: none. */
  origin: string | null;
  /** The application's own page, with the outcome in the fragment: the way where no opener takes the message. */
  returnTo?: string;
  /** There is something to read before the window closes. */
  staysOpen?: boolean;
}>;

/** The way on from a page that ends something. */
export type WayOn = Readonly<{
  /** The application's name; empty where none is known. */
  application: string;
  /** A page of the application's. */
  backTo?: string | undefined;
  /** Where the same session is begun again; `post` where it has to be opened for that. */
  again?: { readonly action: string; readonly method: 'get' | 'post' } | undefined;
  /** What takes the place of the page's address, which may hold a code: a reload tells how things stand. */
  address?: string | undefined;
}>;

type Failure = Readonly<{
  reason: FailureReason;
  /** Empty where none is concerned. */
  provider: string;
  /** What the application gets. */
  error: string;
  providerCode?: string | undefined;
  operatorsWords?: string | undefined;
  requestId: string;
}>;

/** What a page that ends something has beside its words. */
type Ending = { readonly handOver?: HandOver | undefined; readonly wayOn?: WayOn | undefined };

/** The page that ends a successful authorization. */
export function successPage(
  texts: Texts,
  words: { readonly title: string; readonly lead: string },
  { handOver, wayOn }: Ending,
  nonce: string,
): SafeHtml {
  return html`<div class="outcome">
<span class="mark good" aria-hidden="true"><svg viewBox="0 0 24 24"><path d="M5 12.5l4.5 4.5L19 7.5"/></svg></span>
<h1>${words.title}</h1>
<p class="lead">${words.lead}</p>
${renderWayOn(texts, { handOver, wayOn })}
</div>
${renderClosing({ handOver, wayOn }, nonce)}`;
}

/** Why there is no connection, what to do about it, and the codes for support. */
export function failurePage(texts: Texts, failure: Failure, ending: Ending, nonce: string): SafeHtml {
  const { title, text, remedy } = texts.failures[failure.reason];
  return html`<div class="outcome">
<span class="mark bad" aria-hidden="true"><svg viewBox="0 0 24 24"><path d="M12 5v9M12 18.5v.01"/></svg></span>
<h1>${title}</h1>
<p class="lead">${text(failure.provider)}</p>
${failure.operatorsWords !== undefined && html`<p class="lead operators">${failure.operatorsWords}</p>`}
<div class="advice"><h2>${texts.outcome.whatToDo}</h2><p>${remedy(failure.provider)}</p></div>
${renderWayOn(texts, ending)}
</div>
${details(texts, failure)}
${renderClosing(ending, nonce)}`;
}

function details({ outcome }: Texts, { reason, error, providerCode, requestId }: Failure): SafeHtml {
  const rows = [
    [outcome.code, error],
    [outcome.reason, reason === error ? undefined : reason],
    [outcome.providerCode, providerCode],
    [outcome.requestId, requestId],
  ] as const;
  return html`<details class="technical"><summary>${outcome.details}</summary><dl>
${rows.map(([term, value]) => value !== undefined && html`<dt>${term}</dt><dd><code>${value}</code></dd>`)}
</dl></details>`;
}

/**
 * A button to try again and a link back, where there is something to go to; a button that closes instead of the link, where
 * a script finds that this is a popup.
 */
function renderWayOn({ outcome }: Texts, { handOver, wayOn }: Ending): SafeHtml | false {
  if (handOver === undefined && wayOn === undefined) return false;
  const { application, again }: WayOn = wayOn ?? { application: '' };
  const backTo = handOver?.returnTo ?? wayOn?.backTo;
  return html`<div class="ways">
${again && html`<form method="${again.method}" action="${again.action}" id="again"><button type="submit" class="primary">${outcome.tryAgain}</button></form>`}
${backTo !== undefined && html`<a class="button" id="back" href="${backTo}">${outcome.backTo(application)}</a>`}
<button type="button" id="close" hidden>${outcome.closeWindow}</button>
</div>`;
}

function renderClosing({ handOver, wayOn }: Ending, nonce: string): SafeHtml | false {
  if (handOver === undefined && wayOn === undefined) return false;
  const data = { ...handOver, address: wayOn?.address };
  return html`${jsonScript('outcome', data)}<script nonce="${nonce}">${raw(CLOSING_SCRIPT)}</script>`;
}

/**
 * To the opener, at the session's exact origin and nowhere else. A provider's page may have cut the opener off (COOP),
 * or it is no page of the application's: where no opener acknowledges the message (`heard`, from the SDK), on to
 * `returnTo`. The dashboard, which is of this very origin, also hears it by a channel that no other origin can listen
 * to, and so without an opener. An opener that acknowledges a failure waits no longer: nothing would come of trying again.
 */
const CLOSING_SCRIPT = `
const { message, origin = null, returnTo, staysOpen, address } = JSON.parse(document.getElementById('outcome').textContent);
const element = (id) => document.getElementById(id);
if (address !== undefined) history.replaceState(null, '', address);
if (window.opener !== null) {
  if (origin !== null) element('back')?.remove();
  element('close').hidden = false;
  element('close').addEventListener('click', () => window.close());
}
if (message !== undefined && origin === location.origin) {
  const channel = new BroadcastChannel('integration-gateway:connect');
  channel.postMessage(message);
  channel.close();
}
if (origin !== null && window.opener !== null) {
  const onward = returnTo && setTimeout(() => location.replace(returnTo), 1500);
  addEventListener('message', ({ source, origin: from, data }) => {
    if (source !== window.opener || from !== origin || data?.type !== 'integration-gateway:heard') return;
    clearTimeout(onward);
    element('again')?.remove();
    if (!staysOpen) window.close();
  });
  window.opener.postMessage(message, origin);
  if (returnTo === undefined && !staysOpen) setTimeout(() => window.close(), 300);
} else if (returnTo !== undefined) {
  location.replace(returnTo);
}
`;
