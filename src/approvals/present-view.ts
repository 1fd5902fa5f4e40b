import { html, type SafeHtml } from '../http/html.ts';
import type { FieldChange } from './diff-record.ts';
import type { Present } from './present-record.ts';
import { isUnreadable, layOutJson, showText } from './show-text.ts';
import type { Texts } from './texts/en.ts';

/** What the record is now, and what the call makes of it. Text alone: a provider and an agent have written it. */
export function renderPresent(texts: Texts, present: Present): SafeHtml | undefined {
  if (present.kind === 'deleted') return renderDeleted(texts, present.text);
  const { changes, same, isCut } = present.diff;
  return html`<div class="part call-changes"><h2>${texts.changes}</h2>
${changes.length === 0 ? html`<p>${texts.noChanges}</p>` : renderChanges(texts, changes)}
${isCut && html`<p>${texts.moreChanges}</p>`}
<p class="hint">${same > 0 && `${texts.sameFields(same)} `}${texts.changesNote}</p></div>`;
}

function renderChanges(texts: Texts, changes: readonly FieldChange[]): SafeHtml {
  return html`<table><thead><tr><th scope="col">${texts.field}</th><th scope="col">${texts.before}</th><th scope="col">${texts.after}</th></tr></thead><tbody>
${changes.map(
  ({ field, before, after }) =>
    html`<tr><th scope="row"><code>${showText(field)}</code></th><td>${before === undefined ? html`<i>${texts.notThere}</i>` : renderValue(texts, before)}</td><td>${renderValue(texts, after)}</td></tr>`,
)}
</tbody></table>`;
}

function renderValue(texts: Texts, value: string): SafeHtml | string {
  if (value === '') return html`<i>${texts.emptyValue}</i>`;
  return isUnreadable(value) ? texts.unreadable : showText(value, { keepLines: true });
}

function renderDeleted(texts: Texts, text: string): SafeHtml | undefined {
  const laidOut = layOutJson(text);
  if (laidOut === undefined) return undefined;
  return html`<details class="part" open><summary>${texts.deletes}</summary><pre tabindex="0" aria-label="${texts.deletes}">${laidOut}</pre>
<p class="hint">${texts.changesNote}</p></details>`;
}
