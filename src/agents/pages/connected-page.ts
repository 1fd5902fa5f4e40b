import type { Texts } from '../../connect/texts/language.ts';
import { html, raw, type SafeHtml } from '../../http/html.ts';

/** Shows the code of the fragment, and takes it out of the address, which people send to others. */
const SCRIPT = `
const given = new URLSearchParams(location.hash.slice(1));
history.replaceState(null, '', location.pathname);
const session = given.get('connect_session');
const code = given.get('completion_code');
const isDone = /^[0-9a-f-]{36}$/.test(session ?? '') && /^[\\w-]{20,100}$/.test(code ?? '');
document.getElementById(isDone ? 'done' : 'failed').hidden = false;
if (isDone) {
  const field = document.getElementById('code');
  field.value = session + '.' + code;
  field.addEventListener('focus', () => field.select());
  document.getElementById('copy').addEventListener('click', async () => {
    await navigator.clipboard?.writeText(field.value);
    field.focus();
  });
}
`;

/** The last page of connecting for an agent. */
export function connectedPage({ agents, outcome }: Texts, nonce: string): SafeHtml {
  return html`<div class="outcome" id="done" hidden>
<h1>${agents.codeTitle}</h1>
<p class="lead">${agents.codeLead}</p>
<label for="code">${agents.code}</label>
<input id="code" readonly autocomplete="off" spellcheck="false">
<div class="ways"><button type="button" id="copy" class="primary">${agents.copy}</button></div>
<div class="advice"><p>${agents.codeWarning}</p></div>
</div>
<div class="outcome" id="failed" hidden>
<h1>${outcome.failedTitle}</h1>
<p class="lead">${agents.noCode}</p>
</div>
<noscript><p class="lead">${agents.needsScript}</p></noscript>
<script nonce="${nonce}">${raw(SCRIPT)}</script>`;
}
