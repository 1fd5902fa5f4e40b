import { html, raw, type SafeHtml } from '../http/html.ts';
import type { Texts } from './texts/en.ts';

export type ShownConnection = {
  readonly id: string;
  readonly service: string;
  /** Path of the provider's logo. */
  readonly logo: string;
  readonly account: string | null;
  readonly isActive: boolean;
  /** As the person's language writes it; null: never. */
  readonly lastUsed: string | null;
  /** Whose it is, where it is not the person's own. */
  readonly organization: string | null;
  /** The person may connect it again, and remove it. */
  readonly isManaged: boolean;
};

export type ShownAgent = { readonly id: string; readonly name: string | null; readonly readsOnly: boolean };

export type PortalPage = {
  readonly application: string;
  readonly connections: readonly ShownConnection[];
  readonly agents: readonly ShownAgent[];
  readonly formToken: string;
  readonly action: string;
  /** There are more than are shown. */
  readonly hasMore: boolean;
  /** What came of what the person did. */
  readonly done: string | undefined;
};

export const PORTAL_STYLE = `
h3 { font-size: 1rem; margin: 1.25rem 0 0.5rem; }
.portal { list-style: none; margin: 0 0 1.5rem; padding: 0; }
.portal > li { border-top: 1px solid var(--line); padding: 1rem 0; }
.portal h2 { font-size: 1.0625rem; margin: 0; display: flex; align-items: center; gap: 0.625rem; overflow-wrap: anywhere; }
.portal dl { display: grid; grid-template-columns: minmax(6rem, auto) minmax(0, 1fr); gap: 0.25rem 1.25rem; margin: 0.75rem 0; }
.portal dt { color: var(--soft); } .portal dd { margin: 0; overflow-wrap: anywhere; }
.portal .acts { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: center; }
.portal form button, .portal form button.primary { width: auto; }
.portal summary { cursor: pointer; width: fit-content; border-radius: 5px; }
`;

/** What is connected, and what may use it. Works without a script, but for the way back from connecting again. */
export function portalPage(texts: Texts, page: PortalPage, nonce: string): SafeHtml {
  const { application, connections, agents, done } = page;
  return html`<h1>${texts.title}</h1>
<p class="lead">${texts.lead(application)}</p>
${done !== undefined && html`<p role="status">${done}</p>`}
${connections.length === 0 ? html`<p>${texts.none}</p>` : html`<ul class="portal">${connections.map((one) => renderConnection(texts, page, one))}</ul>`}
${page.hasMore && html`<p>${texts.more(connections.length)}</p>`}
<h2>${texts.users}</h2>
<p>${texts.application(application)}</p>
<h3>${texts.agents}</h3>
${agents.length === 0 ? html`<p>${texts.noAgents}</p>` : html`<ul class="portal">${agents.map((one) => renderAgent(texts, page, one))}</ul>`}
<form method="post" action="${page.action}" id="finish" hidden>${hidden(page)}
<input type="hidden" name="act" value="finish"><input type="hidden" name="id"><input type="hidden" name="code">
<input type="hidden" name="error"><input type="hidden" name="of"><button type="submit">${texts.finish}</button></form>
<script nonce="${nonce}">${raw(FINISH_SCRIPT)}</script>`;
}

/** The way back has its code in the fragment, which no server sees and the history must not keep. */
const FINISH_SCRIPT = `(() => {
  const values = new URLSearchParams(location.hash.slice(1));
  const session = values.get('connect_session');
  if (session === null) return;
  const form = document.getElementById('finish');
  form.elements.id.value = session;
  form.elements.code.value = values.get('completion_code') ?? '';
  form.elements.error.value = values.get('error') ?? '';
  form.elements.of.value = new URLSearchParams(location.search).get('of') ?? '';
  history.replaceState(null, '', location.pathname);
  form.submit();
})();`;

function hidden({ formToken }: PortalPage): SafeHtml {
  return html`<input type="hidden" name="formToken" value="${formToken}">`;
}

function act(page: PortalPage, name: string, id: string, button: SafeHtml): SafeHtml {
  return html`<form method="post" action="${page.action}">${hidden(page)}<input type="hidden" name="act" value="${name}">
<input type="hidden" name="id" value="${id}">${button}</form>`;
}

function renderConnection(texts: Texts, page: PortalPage, one: ShownConnection): SafeHtml {
  const { id, service, account, isManaged, isActive } = one;
  // Of several accounts at one service each button says which it is about.
  const name = account === null ? service : `${service}, ${account}`;
  const again = html`<button type="submit"${!isActive && raw(' class="primary"')} aria-label="${texts.reconnectOf(name)}">${texts.reconnect}</button>`;
  const remove = html`<p>${texts.confirmText}</p><button type="submit" aria-label="${texts.removeOf(name)}">${texts.confirm}</button>`;
  return html`<li><h2><img class="logo" src="${one.logo}" alt="" width="28" height="28" loading="lazy">${service}</h2>
<dl><dt>${texts.account}</dt><dd dir="auto">${account ?? texts.unknownAccount}</dd>
<dt>${texts.lastUsed}</dt><dd>${one.lastUsed ?? texts.never}</dd></dl>
${one.organization !== null && html`<p>${texts.shared(one.organization)}</p>`}
${!isActive && html`<p><strong>${texts.broken}</strong></p>`}
${isManaged && html`<div class="acts">${act(page, 'reconnect', id, again)}<details><summary>${texts.remove}</summary>${act(page, 'remove', id, remove)}</details></div>`}</li>`;
}

function renderAgent(texts: Texts, page: PortalPage, { id, name, readsOnly }: ShownAgent): SafeHtml {
  const shown = name ?? texts.unnamed;
  const button = html`<button type="submit" aria-label="${texts.withdrawOf(shown)}">${texts.withdraw}</button>`;
  return html`<li><p><strong dir="auto">${shown}</strong> (${readsOnly ? texts.reads : texts.changes})</p>
<div class="acts">${act(page, 'withdraw', id, button)}</div></li>`;
}
