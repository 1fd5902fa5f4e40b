import type { Provider } from '../src/catalog/schema/provider.schema.ts';
import { AUTH_WORDS } from './generate-providers-page.ts';

/** The filters of the page, by the member of a row that each compares. */
const FILTERS = [
  ['category', 'Category'],
  ['auth', 'Authentication'],
  ['status', 'Status'],
  ['evidence', 'Evidence'],
] as const;
const TRAITS = [
  ['webhooks', 'Webhooks'],
  ['polls', 'Polls'],
  ['hosts', 'Further hosts'],
] as const;

/** Between the values of a cell that has several; none of them holds it. */
const SEPARATOR = ' · ';

const STYLE = `:root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}
body{margin:0 auto;max-width:75rem;padding:1.5rem}
form{display:flex;flex-wrap:wrap;gap:.75rem;align-items:end;margin:1rem 0}
label{display:grid;font-size:.8rem;gap:.2rem}label.trait{display:flex;align-items:center;font-size:.9rem;min-height:2.2rem}
input,select,button{font:inherit;padding:.3rem .5rem;max-width:100%}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #8884;vertical-align:top}
[hidden]{display:none}#count{position:sticky;top:0;margin:0;padding:.4rem .6rem;background:Canvas;font-weight:600}
@media(max-width:52rem){body{padding:1rem}label:not(.trait),label:not(.trait)>*{width:100%}
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}tr:not([hidden]){display:block;border-bottom:1px solid #8884;padding:.5rem 0}
td{display:inline;border:0;padding:0 .4rem 0 0;overflow-wrap:anywhere}td:first-child{display:block;font-weight:600}
td:nth-child(n+3):not(:empty)::before{content:"· "}}`;

const FILTER_NAMES = JSON.stringify(FILTERS.map(([name]) => name));

const SCRIPT = `const form = document.querySelector('form');
const count = document.getElementById('count');
const rows = [...document.querySelectorAll('tbody tr')].map((tr) => {
  const [name, id, category, auth, status, evidence, has] = [...tr.cells].map((cell) => cell.textContent);
  const words = (name + ' ' + id).toLowerCase();
  const values = (text) => text.split('${SEPARATOR}');
  return { tr, words, category: [category], auth: values(auth), status: [status.split(' ')[0]], evidence: [evidence], has: values(has) };
});
function show() {
  const chosen = new FormData(form);
  const words = chosen.get('search').toLowerCase().split(/\\s+/);
  let found = 0;
  for (const row of rows) {
    const isFound = words.every((word) => row.words.includes(word)) &&
      ${FILTER_NAMES}.every((name) => !chosen.get(name) || row[name].includes(chosen.get(name))) &&
      chosen.getAll('has').every((trait) => row.has.includes(trait));
    row.tr.hidden = !isFound;
    if (isFound) found += 1;
  }
  count.textContent = found + ' of ' + rows.length + ' providers';
  const given = [...chosen].filter(([, value]) => value !== '');
  history.replaceState(null, '', '#' + new URLSearchParams(given));
}
function restore() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const field of form.elements) {
    if (field.type === 'checkbox') field.checked = given.getAll('has').includes(field.value);
    else if (field.name) field.value = given.get(field.name) ?? '';
  }
  show();
}
form.hidden = false;
form.addEventListener('input', show);
form.addEventListener('reset', () => setTimeout(show));
form.addEventListener('submit', (event) => event.preventDefault());
addEventListener('hashchange', restore);
restore();`;

/**
 * The text of docs/providers.html: the providers with filters, in one file that loads nothing else. Without script it is
 * the whole table. A link to it keeps the filters.
 */
export function providersFilterPage(providers: readonly Provider[]): string {
  const rows = providers.map(rowOf);
  const selects = FILTERS.map(([name, title]) => {
    const values = [...new Set(rows.flatMap((row) => row[name]))].filter((value) => value !== '').sort();
    const options = values.map((value) => `<option>${escapeHtml(value)}</option>`).join('');
    return `<label>${title}<select name="${name}"><option value="">All</option>${options}</select></label>`;
  });
  const traits = TRAITS.map(
    ([name, title]) =>
      `<label class="trait"><input type="checkbox" name="has" value="${name}">${title}</label>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Providers of Integration Gateway</title>
<style>${STYLE}</style>
<main>
<h1>Providers</h1>
<p>What the gateway’s catalog has. None of it says that the live provider was tried. Evidence is where the facts come from.</p>
<form hidden><label>Search<input type="search" name="search" placeholder="Name or id"></label>${selects.join('')}${traits.join('')}<button type="reset">Remove all filters</button></form>
<p id="count" aria-live="polite">${rows.length} providers</p>
<table><thead><tr><th>Name</th><th>Id</th><th>Category</th><th>Authentication</th><th>Status</th><th>Evidence</th><th>Has</th></tr></thead><tbody>
${rows.map(tableRow).join('\n')}
</tbody></table>
</main>
<script>${SCRIPT}</script>
</html>
`;
}

type Row = ReturnType<typeof rowOf>;

function tableRow({ id, name, category, auth, status, date, evidence, has, docs }: Row): string {
  const text = escapeHtml(name);
  const title = docs === '' ? text : `<a href="${escapeHtml(docs)}" rel="noopener">${text}</a>`;
  const state = [status, date].filter(Boolean).join(' ');
  const cells = [id, category, auth.join(SEPARATOR), state, evidence, has.join(SEPARATOR)].map(escapeHtml);
  return `<tr><td>${[title, ...cells].join('<td>')}</td>`;
}

function rowOf({ id, name, category, auth, grants, status, statusDate, evidence, ...more }: Provider) {
  const { webhooks, polls, hosts, docsUrl } = more;
  const isThere: Readonly<Record<(typeof TRAITS)[number][0], boolean>> = {
    webhooks: webhooks.supported,
    polls: Object.keys(polls).length > 0,
    hosts: Object.keys(hosts).length > 0,
  };
  return {
    id,
    name,
    category,
    auth: [...new Set([auth, ...grants.map((grant) => grant.auth)])].map((kind) => AUTH_WORDS[kind]),
    status,
    date: statusDate ?? '',
    evidence: (evidence ?? '').replace('-', ' '),
    has: TRAITS.map(([trait]) => trait).filter((trait) => isThere[trait]),
    docs: docsUrl ?? '',
  };
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
