import { html, raw, type SafeHtml } from '../../http/html.ts';
import { isLoopbackHost } from '../../lib/loopback-hosts.ts';
import type { Texts } from '../texts/en.ts';

export type ShownConsent = {
  readonly application: string;
  /** What the person is called there. */
  readonly user: string;
  /** As its document has it; null: it has no name. */
  readonly clientName: string | null;
  /** Where the client's document stands; null: it has registered itself. */
  readonly clientHost: string | null;
  readonly redirectUri: string;
  readonly sentences: readonly (readonly string[])[];
  readonly action: string;
  readonly formToken: string;
};

export const CONSENT_STYLE = `
.facts { margin: 0 0 1.25rem; }
.facts dt { font-weight: 600; color: var(--soft); margin-top: 0.75rem; }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.facts ul { margin: 0.25rem 0 0; padding-inline-start: 1.25rem; }
.facts p { margin: 0.5rem 0 0; }
fieldset { border: 0; margin: 0 0 1.25rem; padding: 0; }
legend { font-weight: 600; color: var(--soft); padding: 0; margin-bottom: 0.5rem; }
fieldset label { display: grid; grid-template-columns: 1.125rem 1fr; gap: 0.625rem; align-items: start; margin: 0 0 0.625rem; font-weight: 400; }
fieldset input { width: 1.125rem; min-height: 0; height: 1.125rem; margin: 0.2rem 0 0; padding: 0; accent-color: var(--accent); }
.ways button { width: 100%; }
.ways + .hint, form + .hint { margin-top: 1rem; }
`;

/**
 * A decision counts once: the answer to a second press would take the place of the way on to the client. A browser that was
 * stopped, or comes back, may send it again.
 */
const ONCE_SCRIPT = `
let isSent = false;
const allowAgain = () => { isSent = false; };
addEventListener('pageshow', allowAgain);
addEventListener('submit', (event) => {
  if (isSent) return event.preventDefault();
  isSent = true;
  setTimeout(allowAgain, 10_000);
});
`;

/** One page: who asks, what it may do, and how much of that the person allows. Works without a script; reading alone is chosen. */
export function consentPage(texts: Texts, shown: ShownConsent, nonce: string): SafeHtml {
  const { clientName, clientHost, sentences } = shown;
  return html`<h1>${texts.title(clientName ?? clientHost ?? texts.unnamed)}</h1>
<p class="lead">${texts.lead(shown.application, shown.user)}</p>
<form method="post" action="${shown.action}">
<input type="hidden" name="formToken" value="${shown.formToken}">
<dl class="facts">
<dt>${texts.client}</dt><dd><strong>${clientName ?? texts.unnamed}</strong>, ${clientHost === null ? texts.noAddress : texts.address(clientHost)}</dd>
<dt>${texts.goesTo}</dt><dd>${describeTarget(texts, shown.redirectUri)}</dd>
<dt>${texts.may}</dt><dd>${sentences.map(
    (list, index) =>
      html`${index > 0 && html`<p>${texts.also}</p>`}<ul>${list.map((sentence) => html`<li>${sentence}</li>`)}</ul>`,
  )}</dd>
</dl>
<fieldset>
<legend>${texts.choice}</legend>
<label><input type="radio" name="access" value="read" checked><span>${texts.readOnly}</span></label>
<label><input type="radio" name="access" value="all"><span>${texts.all}</span></label>
</fieldset>
<div class="ways">
<button type="submit" name="decision" value="allow" class="primary">${texts.allow}</button>
<button type="submit" name="decision" value="refuse">${texts.refuse}</button>
</div>
</form>
<p class="hint">${clientHost === null ? texts.nothingProved : texts.unproved} ${texts.withdraw}</p>
<script nonce="${nonce}">${raw(ONCE_SCRIPT)}</script>`;
}

/** A page of a few words, with what support asks for. */
export function wordsPage(
  texts: Texts,
  words: { readonly title: string; readonly text: string; readonly code: string; readonly requestId: string },
): SafeHtml {
  return html`<h1>${words.title}</h1>
<p class="lead">${words.text}</p>
<details class="technical"><summary>${texts.details}</summary><dl>
<dt>${texts.code}</dt><dd><code>${words.code}</code></dd>
<dt>${texts.requestId}</dt><dd><code>${words.requestId}</code></dd>
</dl></details>`;
}

/** Programs on the person's computer can pass for any other there (RFC 8252 section 8.6), so that the page says it. */
function describeTarget(texts: Texts, redirectUri: string): string {
  const url = URL.parse(redirectUri);
  if (url === null) return redirectUri;
  if (url.protocol === 'https:') return url.host;
  if (url.protocol !== 'http:') return texts.program(url.protocol.slice(0, -1));
  return isLoopbackHost(url.hostname) ? texts.thisComputer : url.host;
}
