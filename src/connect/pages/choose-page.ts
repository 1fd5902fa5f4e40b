import type { Provider } from '../../catalog/provider.schema.ts';
import { html, raw, type SafeHtml } from '../../http/html.ts';
import type { Texts } from '../texts/language.ts';
import { logoOf } from './logo.ts';

/** An integration that a user may choose. */
export type Choice = {
  readonly integrationId: string;
  readonly provider: Provider;
  /** What tells it from the provider's other ones; empty where it is the only one. */
  readonly distinction: string;
};

type ChoosePage = {
  /** By name. */
  readonly choices: readonly Choice[];
  /** Where the choice is sent: the session's own link. */
  readonly action: string;
  /** What the list is searched for. */
  readonly query: string;
  /** Further fields of the search's address. */
  readonly kept: Readonly<Record<string, string>>;
  readonly tag: string;
};

/** Fewer are seen at a glance. */
const SEARCH_FROM = 7;
const GROUPS_FROM = 13;

/** True where the page has a search, and with it a script. */
function hasSearch(choices: readonly Choice[]): boolean {
  return choices.length >= SEARCH_FROM;
}

/**
 * The page on which a user chooses what to connect. The search is a form that works without JavaScript; with it, the
 * list follows every key.
 */
export function choosePage(texts: Texts, page: ChoosePage, nonce: string): SafeHtml {
  const { choose } = texts;
  const { choices, action, query } = page;
  const heading = html`<h1>${choose.title}</h1>`;
  if (choices.length === 0) return html`${heading}<p class="lead">${choose.empty}</p>`;
  const isFound = (choice: Choice) => matches(texts, choice, query);
  return html`${heading}
<p class="lead">${choose.lead}</p>
${hasSearch(choices) && searchForm(texts, page, choices.filter(isFound).length)}
<form method="post" action="${action}" class="choices">
${choices.length < GROUPS_FROM ? listOf(texts, choices, isFound, true) : groups(texts, page, isFound)}
</form>
${hasSearch(choices) && html`<script nonce="${nonce}">${raw(SEARCH_SCRIPT)}</script>`}`;
}

function searchForm({ choose }: Texts, { query, kept, action }: ChoosePage, count: number): SafeHtml {
  const status = count === 0 ? choose.noMatch(query) : choose.matches(count);
  return html`<search><form method="get" action="${action.split('?')[0]}" class="search" id="search">
${Object.entries(kept).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<label class="unseen" for="q">${choose.search}</label>
<input id="q" name="q" type="search" value="${query}" placeholder="${choose.search}" maxlength="100"
 autocomplete="off" spellcheck="false">
<button type="submit">${choose.searchButton}</button>
</form></search>
<p class="matches" role="status" id="matches" data-one="${choose.matches(1)}" data-many="${choose.matches(2)}"
 data-none="${choose.noMatch('{}')}">${status}</p>
${query !== '' && html`<p class="matches"><a href="?${new URLSearchParams(kept).toString()}">${choose.showAll}</a></p>`}`;
}

function groups(
  texts: Texts,
  { choices, tag }: ChoosePage,
  isFound: (choice: Choice) => boolean,
): SafeHtml[] {
  const title = (category: Choice['provider']['category']) => texts.categories[category];
  return [...Map.groupBy(choices, ({ provider }) => provider.category)]
    .toSorted(([left], [right]) => title(left).localeCompare(title(right), tag))
    .map(
      ([
        category,
        group,
      ]) => html`<section aria-labelledby="category-${category}"${hideUnless(group.some(isFound))}>
<h2 id="category-${category}">${title(category)}</h2>
${listOf(texts, group, isFound, false)}
</section>`,
    );
}

/** What does not match is there but hidden, for the script to show it again. */
function listOf(
  texts: Texts,
  choices: readonly Choice[],
  isFound: (choice: Choice) => boolean,
  showsCategory: boolean,
): SafeHtml {
  return html`<ul>${choices.map((choice) => {
    const { integrationId, provider, distinction } = choice;
    const words = [showsCategory && texts.categories[provider.category], distinction].filter(Boolean);
    return html`<li data-words="${wordsOf(texts, choice)}"${hideUnless(isFound(choice))}>
<button type="submit" name="integrationId" value="${integrationId}" class="choice">
${logoOf(provider)}<span><strong>${provider.name}</strong>
${words.length > 0 && html`<small>${words.join(' · ')}</small>`}</span></button></li>`;
  })}</ul>`;
}

function hideUnless(isShown: boolean): SafeHtml | false {
  return !isShown && raw(' hidden');
}

/** Every word must occur somewhere in name, id, category or distinction. The script does the same. */
function matches(texts: Texts, choice: Choice, query: string): boolean {
  const words = wordsOf(texts, choice);
  return foldText(query)
    .split(/\s+/)
    .every((word) => words.includes(word));
}

function wordsOf(texts: Texts, { provider, distinction }: Choice): string {
  return foldText(`${provider.name} ${provider.id} ${texts.categories[provider.category]} ${distinction}`);
}

/** Without case and accents. */
function foldText(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

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
