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

type Failure = Readonly<{
  reason: FailureReason;
  /** Empty where none is concerned. */
  provider: string;
  /** What the application gets. */
  error: string;
  providerCode?: string | undefined;
  requestId: string;
}>;

/** The page that ends a successful authorization. */
export function successPage(
  texts: Texts,
  words: { readonly title: string; readonly lead: string },
  handOver: HandOver | undefined,
  nonce: string,
): SafeHtml {
  return html`<div class="outcome">
<span class="mark good" aria-hidden="true"><svg viewBox="0 0 24 24"><path d="M5 12.5l4.5 4.5L19 7.5"/></svg></span>
<h1>${words.title}</h1>
<p class="lead">${words.lead}</p>
${handOver && renderReturn(texts, handOver)}
</div>
${handOver && renderClosing(handOver, nonce)}`;
}

/** Why there is no connection, what to do about it, and the codes for support. */
export function failurePage(
  texts: Texts,
  failure: Failure,
  handOver: HandOver | undefined,
  nonce: string,
): SafeHtml {
  const { title, text, remedy } = texts.failures[failure.reason];
  return html`<div class="outcome">
<span class="mark bad" aria-hidden="true"><svg viewBox="0 0 24 24"><path d="M12 5v9M12 18.5v.01"/></svg></span>
<h1>${title}</h1>
<p class="lead">${text(failure.provider)}</p>
<div class="advice"><h2>${texts.outcome.whatToDo}</h2><p>${remedy(failure.provider)}</p></div>
${handOver && renderReturn(texts, handOver)}
</div>
${details(texts, failure)}
${handOver && renderClosing(handOver, nonce)}`;
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

/** A link back, where there is a page to go to; a button instead of it, where a script finds that this is a popup. */
function renderReturn({ outcome }: Texts, { returnTo }: HandOver): SafeHtml {
  return html`${returnTo !== undefined && html`<a class="button" id="back" href="${returnTo}">${outcome.backToApplication}</a>`}
<button type="button" id="close" hidden>${outcome.closeWindow}</button>`;
}

function renderClosing(handOver: HandOver, nonce: string): SafeHtml {
  return html`${jsonScript('outcome', handOver)}<script nonce="${nonce}">${raw(CLOSING_SCRIPT)}</script>`;
}

/**
 * To the opener, at the session's exact origin and nowhere else. A provider's page may have cut the opener off (COOP),
 * or it is no page of the application's: where no opener acknowledges the message (`heard`, from the SDK), on to
 * `returnTo`. The dashboard, which is of this very origin, also hears it by a channel that no other origin can listen
 * to, and so without an opener.
 */
const CLOSING_SCRIPT = `
const { message, origin, returnTo, staysOpen } = JSON.parse(document.getElementById('outcome').textContent);
const element = (id) => document.getElementById(id);
if (origin === location.origin) {
  const channel = new BroadcastChannel('integration-gateway:connect');
  channel.postMessage(message);
  channel.close();
}
if (origin !== null && window.opener !== null) {
  window.opener.postMessage(message, origin);
  element('back')?.remove();
  element('close').hidden = false;
  element('close').addEventListener('click', () => window.close());
  if (returnTo !== undefined) {
    const onward = setTimeout(() => location.replace(returnTo), 1500);
    addEventListener('message', ({ source, origin: from, data }) => {
      if (source !== window.opener || from !== origin || data?.type !== 'integration-gateway:heard') return;
      clearTimeout(onward);
      if (!staysOpen) window.close();
    });
  } else if (!staysOpen) setTimeout(() => window.close(), 300);
} else if (returnTo !== undefined) {
  location.replace(returnTo);
}
`;
