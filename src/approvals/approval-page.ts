import { html, type SafeHtml } from '../http/html.ts';
import type { Approval, Asker, StoredCall } from './approval.ts';
import { decodeText, isForm, listHeaders } from './approvals.schema.ts';
import type { Present } from './present-record.ts';
import { renderPresent } from './present-view.ts';
import { isUnreadable, layOutJson, listPairs, showText } from './show-text.ts';
import type { Texts } from './texts/en.ts';

/** What the page shows of a call. */
export type ShownCall = {
  readonly approval: Approval;
  readonly call: StoredCall;
  readonly body: Buffer;
  readonly service: string;
  /** Until when the person may decide, as their language writes it. */
  readonly until: string;
  readonly formToken: string;
  readonly action: string;
  /** What the call would change, where it is known. */
  readonly present: Present | undefined;
};

export const CALL_STYLE = `
.call { display: grid; grid-template-columns: minmax(6rem, auto) minmax(0, 1fr); gap: 0.5rem 1.25rem; margin: 0 0 1.25rem; }
.call dt { font-weight: 600; color: var(--soft); }
.call dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
.call pre, .part pre {
  margin: 0; padding: 0.75rem 1rem; background: var(--code); border-radius: 10px; overflow: auto; max-height: 28rem;
  font: 0.875rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; white-space: pre-wrap; overflow-wrap: anywhere;
}
.call table { width: 100%; border-collapse: collapse; font-size: 0.9375rem; }
.call th, .call td { text-align: start; vertical-align: top; padding: 0.25rem 0.75rem 0.25rem 0; overflow-wrap: anywhere; }
.call th { color: var(--soft); font-weight: 600; }
.part { margin: 0 0 1rem; }
.call-changes table { width: 100%; border-collapse: collapse; font-size: 0.9375rem; table-layout: fixed; }
.call-changes th, .call-changes td { text-align: start; vertical-align: top; padding: 0.375rem 0.75rem 0.375rem 0; overflow-wrap: anywhere; white-space: pre-wrap; font-weight: 400; }
.call-changes thead th { color: var(--soft); font-weight: 600; }
.call-changes tbody tr { border-top: 1px solid var(--line); }
.call-changes td:last-child { font-weight: 600; }
.call-changes i { color: var(--soft); font-weight: 400; }
.part summary { cursor: pointer; font-weight: 600; margin-bottom: 0.5rem; width: fit-content; border-radius: 5px; }
.call ul { margin: 0; padding-inline-start: 1.25rem; }
.decision { display: flex; flex-wrap: wrap; gap: 0.75rem; margin: 1.5rem 0 0.75rem; }
.decision button, .decision button.primary { width: auto; min-width: 9rem; }
.effect { background: var(--code); border-radius: 10px; padding: 0.875rem 1rem; }
.effect p { margin: 0 0 0.25rem; }
@media (max-width: 36rem) { .call { grid-template-columns: minmax(0, 1fr); gap: 0.125rem; } .call dd { margin-bottom: 0.75rem; } }
`;

/** The exact call with the buttons that decide about it. Works without a script; nothing of the call is markup. */
export function approvalPage(texts: Texts, shown: ShownCall): SafeHtml {
  const { approval, call, service } = shown;
  const isApproved = approval.state === 'approved';
  const { title, text } = texts.states.approved;
  return html`<h1>${isApproved ? title : texts.title(service)}</h1>
<p class="lead">${isApproved ? text : texts.lead}</p>
<dl class="call">
<dt>${texts.who}</dt><dd>${renderAsker(texts, call.asker)}</dd>
<dt>${texts.service}</dt><dd>${service} <small>(${approval.provider})</small></dd>
${approval.accountName !== null && html`<dt>${texts.account}</dt><dd>${showText(approval.accountName)}</dd>`}
${call.host !== null && html`<dt>${texts.host}</dt><dd><code>${call.host}</code></dd>`}
<dt>${texts.method}</dt><dd><code>${approval.method}</code></dd>
<dt>${texts.path}</dt><dd><code>${showText(call.path || '/')}</code></dd>
<dt>${texts.query}</dt><dd>${renderQuery(texts, call.query)}</dd>
<dt>${texts.fields}</dt><dd>${renderFields(texts, call)}</dd>
<dt>${texts.body}</dt><dd>${call.bodyBytes === 0 ? texts.noBody : texts.bytes(call.bodyBytes)}</dd>
</dl>
${shown.present && renderPresent(texts, shown.present)}
${call.bodyBytes > 0 && renderBody(texts, call, shown.body)}
<p class="hint">${texts.unseen}</p>
${!isApproved && renderEffect(texts, approval, call)}
${renderDecision(texts, shown)}`;
}

function renderAsker(texts: Texts, { client, actors, declaredClient }: Asker): SafeHtml {
  const names = actors.map(({ id, name }) => showText(name === null ? id : `${name} (${id})`));
  const [first, ...others] = names;
  return html`${first ?? (client === null && texts.unnamed)}${others.map((name) => html`<br>${texts.onBehalfOf(name)}`)}
${client !== null && html`${first !== undefined && html`<br>`}${texts.client(showText(client))}`}
${declaredClient !== null && html`<br>${texts.declared(showText(declaredClient))}`}`;
}

function renderQuery(texts: Texts, query: string): SafeHtml | string {
  if (query === '' || query === '?') return texts.noQuery;
  return html`<code>${showText(query)}</code>${renderPairs(texts, listPairs(query.slice(1)))}`;
}

function renderFields(texts: Texts, call: StoredCall): SafeHtml | string | undefined {
  const fields = listHeaders(call).map(({ name, value }) => [showText(name), showText(value)] as const);
  return fields.length === 0 ? texts.noFields : renderPairs(texts, fields);
}

function renderPairs(
  texts: Texts,
  pairs: readonly (readonly [string, string])[] | undefined,
): SafeHtml | undefined {
  if (pairs === undefined) return undefined;
  return html`<table><thead><tr><th scope="col">${texts.name}</th><th scope="col">${texts.value}</th></tr></thead><tbody>
${pairs.map(([name, value]) => html`<tr><td><code>${name}</code></td><td>${value}</td></tr>`)}
</tbody></table>`;
}

function renderBody(texts: Texts, call: StoredCall, body: Buffer): SafeHtml {
  const text = decodeText(body);
  if (text === null || isUnreadable(text))
    return html`<p>${texts.binary}</p><div class="part"><pre>${body.toString('base64')}</pre></div>`;
  const readable = isForm(call) ? renderPairs(texts, listPairs(text)) : layOutJson(text);
  const asSent = html`<pre tabindex="0" aria-label="${texts.asSent}">${showText(text, { keepLines: true })}</pre>`;
  if (readable === undefined) return html`<div class="part"><h2>${texts.asSent}</h2>${asSent}</div>`;
  const shown =
    typeof readable === 'string'
      ? html`<pre tabindex="0" aria-label="${texts.readable}">${readable}</pre>`
      : html`<div class="call">${readable}</div>`;
  return html`<details class="part" open><summary>${texts.readable}</summary>${shown}</details>
<details class="part"><summary>${texts.asSent}</summary>${asSent}</details>`;
}

function renderEffect(texts: Texts, { mode }: Approval, { entry }: StoredCall): SafeHtml {
  if (mode === 'each') return html`<div class="effect"><p>${texts.each}</p></div>`;
  const methods = entry?.methods?.join(', ') ?? entry?.access ?? '';
  const paths = entry?.paths ?? [];
  return html`<div class="effect call"><div><p>${texts.once}</p><ul>
${paths.length === 0 ? html`<li><code>${methods}</code> ${texts.onceAll}</li>` : paths.map((path) => html`<li><code>${methods} ${showText(path)}</code></li>`)}
</ul></div></div>`;
}

function renderDecision(texts: Texts, { approval, action, formToken, until }: ShownCall): SafeHtml {
  const isApproved = approval.state === 'approved';
  return html`<form method="post" action="${action}">
<input type="hidden" name="formToken" value="${formToken}">
<div class="decision">
<button type="submit" name="decision" value="rejected">${isApproved ? texts.refuseAfterAll : texts.refuse}</button>
${!isApproved && html`<button type="submit" name="decision" value="approved" class="primary">${texts.allow}</button>`}
</div>
</form>
${!isApproved && html`<p class="hint">${texts.until(until)}</p>`}`;
}

/** A page of a few words: what has become of it, or why it cannot be seen here. */
export function wordsPage(
  words: { readonly title: string; readonly text: string },
  way?: { readonly href: string; readonly label: string },
): SafeHtml {
  return html`<h1>${words.title}</h1>
<p class="lead">${words.text}</p>
${way && html`<div class="ways"><a class="button primary" href="${way.href}">${way.label}</a></div>`}`;
}
