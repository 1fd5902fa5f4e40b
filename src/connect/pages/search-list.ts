import { html, raw, type SafeHtml } from '../../http/html.ts';

/** The words of a search: what the field is for, what the button says, and how many entries match. */
export type SearchTexts = {
  readonly search: string;
  readonly searchButton: string;
  readonly matches: (count: number) => string;
  readonly noMatch: (words: string) => string;
  readonly showAll: string;
};

type Search = {
  /** Where the search is sent. */
  readonly action: string;
  readonly query: string;
  /** Further fields of the search's address. */
  readonly kept: Readonly<Record<string, string>>;
  readonly count: number;
};

/** The search of a list: a form that works without JavaScript. */
export function searchForm(texts: SearchTexts, { action, query, kept, count }: Search): SafeHtml {
  const status = count === 0 ? texts.noMatch(query) : texts.matches(count);
  return html`<search><form method="get" action="${action}" class="search" id="search">
${Object.entries(kept).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<label class="unseen" for="q">${texts.search}</label>
<input id="q" name="q" type="search" value="${query}" placeholder="${texts.search}" maxlength="100"
 autocomplete="off" spellcheck="false">
<button type="submit">${texts.searchButton}</button>
</form></search>
<p class="matches" role="status" id="matches" data-one="${texts.matches(1)}" data-many="${texts.matches(2)}"
 data-none="${texts.noMatch('{}')}">${status}</p>
${query !== '' && html`<p class="matches"><a href="?${new URLSearchParams(kept).toString()}">${texts.showAll}</a></p>`}`;
}

/** True where every word of the query occurs in `words`, which `foldText` has made. The script does the same. */
export function matchesQuery(words: string, query: string): boolean {
  return foldText(query)
    .split(/\s+/)
    .every((word) => words.includes(word));
}

/** Without case and accents. */
export function foldText(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/** An entry that does not match is there but hidden, for the script to show it again. */
export function hideUnless(isShown: boolean): SafeHtml | false {
  return !isShown && raw(' hidden');
}

/** Lets the list follow every key. For a page that holds all entries, as `.choices li` with `data-words`. */
export function searchScript(nonce: string): SafeHtml {
  return html`<script nonce="${nonce}">${raw(SEARCH_SCRIPT)}</script>`;
}

/** The same where the server has the list: it is asked shortly after the last key, and its answer takes the list's place. */
export function serverSearchScript(nonce: string): SafeHtml {
  return html`<script nonce="${nonce}">${raw(SERVER_SEARCH_SCRIPT)}</script>`;
}

const SERVER_SEARCH_SCRIPT = `
const form = document.getElementById('search');
const field = document.getElementById('q');
let waiting, asked = new AbortController();
async function search() {
  asked.abort();
  asked = new AbortController();
  const fields = new URLSearchParams(new FormData(form));
  try {
    const response = await fetch('?' + fields, { signal: asked.signal });
    if (!response.ok) return form.submit();
    const found = new DOMParser().parseFromString(await response.text(), 'text/html');
    for (const id of ['list', 'matches']) document.getElementById(id).replaceWith(found.getElementById(id));
  } catch (error) {
    if (error.name !== 'AbortError') form.submit();
  }
}
field.addEventListener('input', () => {
  clearTimeout(waiting);
  waiting = setTimeout(search, 200);
});
`;

const SEARCH_SCRIPT = `
const field = document.getElementById('q');
const status = document.getElementById('matches');
const choices = [...document.querySelectorAll('.choices li')];
const sections = [...document.querySelectorAll('.choices section')];
function search() {
  const words = field.value.normalize('NFD').replace(/\\p{M}/gu, '').toLowerCase().split(/\\s+/);
  for (const choice of choices) choice.hidden = !words.every((word) => choice.dataset.words.includes(word));
  for (const section of sections) section.hidden = section.querySelector('li:not([hidden])') === null;
  const count = choices.filter((choice) => !choice.hidden).length;
  const { one, many, none } = status.dataset;
  const told = count === 0 ? none.replace('{}', () => field.value) : count === 1 ? one : many.replace(/\\d+/, count);
  if (status.textContent !== told) status.textContent = told;
}
document.querySelector('#search button').hidden = true;
document.getElementById('search').addEventListener('submit', (event) => event.preventDefault());
field.addEventListener('input', search);
// A browser that goes back, or reloads, fills the field again.
addEventListener('pageshow', search);
`;
