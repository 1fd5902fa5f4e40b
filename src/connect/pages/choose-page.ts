import type { Provider } from '../../catalog/schema/provider.schema.ts';
import { html, type SafeHtml } from '../../http/html.ts';
import type { Texts } from '../texts/language.ts';
import { renderLogo } from './logo.ts';
import { foldText, hideUnless, matchesQuery, searchForm, searchScript } from './search-list.ts';

/** An integration that a user may choose. */
export type Choice = {
  readonly integrationId: string;
  readonly provider: Provider;
  /** What distinguishes it from the provider's other ones; empty where it is the only one. */
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
${hasSearch(choices) && searchForm(choose, { action: action.split('?')[0] ?? '', query, kept: page.kept, count: choices.filter(isFound).length })}
<form method="post" action="${action}" class="choices">
${choices.length < GROUPS_FROM ? listOf(texts, choices, isFound, true) : groups(texts, page, isFound)}
</form>
${hasSearch(choices) && searchScript(nonce)}`;
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
${renderLogo(provider)}<span><strong>${provider.name}</strong>
${words.length > 0 && html`<small>${words.join(' · ')}</small>`}</span></button></li>`;
  })}</ul>`;
}

function matches(texts: Texts, choice: Choice, query: string): boolean {
  return matchesQuery(wordsOf(texts, choice), query);
}

function wordsOf(texts: Texts, { provider, distinction }: Choice): string {
  return foldText(`${provider.name} ${provider.id} ${texts.categories[provider.category]} ${distinction}`);
}
