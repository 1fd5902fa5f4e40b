import type { Provider } from '../../catalog/schema/provider.schema.ts';
import { html, type SafeHtml } from '../../http/html.ts';
import type { Texts } from '../texts/language.ts';
import type { Face } from './face.ts';
import { renderLogo } from './logo.ts';
import {
  foldText,
  hideUnless,
  matchesQuery,
  searchForm,
  searchScript,
  serverSearchScript,
} from './search-list.ts';

/** An integration that a user may choose. */
export type Choice = Face & {
  readonly integrationId: string;
  readonly provider: Provider;
  /** What distinguishes it from the provider's other ones; empty where it is the only one. */
  readonly distinction: string;
  /** How many accounts are connected to it. */
  readonly connections: number;
};

/** What of a project's integrations stands on a page, the most connected first. */
export type ChoiceList = {
  readonly choices: readonly Choice[];
  /** All that the project has stand on the page, also those that are not searched for. */
  readonly isWhole: boolean;
  /** How many there are: of those that are searched for, where the list is not whole. */
  readonly found: number;
  /** How many stand on the pages before. */
  readonly from: number;
};

type ChoosePage = ChoiceList & {
  /** What was sent before names none of them. */
  readonly isUnchosen?: boolean;
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
/** Stand above the groups. */
const MOST_USED_MAX = 6;

type IsFound = (choice: Choice) => boolean;

/**
 * The page on which a user chooses what to connect. The search is a form that works without JavaScript; with it, the
 * list follows every key.
 */
export function choosePage(texts: Texts, page: ChoosePage, nonce: string): SafeHtml {
  const { choose, cancel } = texts;
  const { choices, action, query, isWhole } = page;
  const heading = html`<h1>${choose.title}</h1>`;
  const cancelling = html`<p class="leave"><button type="submit" name="cancel" value="1" class="quiet">${cancel}</button></p>`;
  if (choices.length === 0 && query === '') {
    return html`${heading}<p class="lead">${choose.empty}</p><form method="post" action="${action}">${cancelling}</form>`;
  }
  const isFound: IsFound = (choice) => !isWhole || matches(texts, choice, query);
  const hasSearch = !isWhole || choices.length >= SEARCH_FROM;
  const count = isWhole ? choices.filter(isFound).length : page.found;
  return html`${heading}
<p class="lead">${choose.lead}</p>
${page.isUnchosen && html`<p class="error" role="alert">${texts.tenants.unchosen}</p>`}
${hasSearch && searchForm(choose, { action: action.split('?')[0] ?? '', query, kept: page.kept, count })}
<form method="post" action="${action}" class="choices">
<div id="list">${isWhole ? wholeList(texts, page, isFound) : partOfList(texts, page)}</div>
${cancelling}
</form>
${hasSearch && (isWhole ? searchScript(nonce) : serverSearchScript(nonce))}`;
}

function wholeList(texts: Texts, page: ChoosePage, isFound: IsFound): SafeHtml | SafeHtml[] {
  return page.choices.length < GROUPS_FROM
    ? listOf(texts, page.choices, isFound, true)
    : groups(texts, page, isFound);
}

/** One of several pages, with the way to the others. */
function partOfList(texts: Texts, { choices, from, found, query, kept }: ChoosePage): SafeHtml {
  const addressOf = (start: number) => {
    const fields = new URLSearchParams(kept);
    if (query !== '') fields.set('q', query);
    if (start > 0) fields.set('from', String(start));
    return `?${fields}`;
  };
  const end = from + choices.length;
  const { part, next, first } = texts.choose;
  return html`${found > choices.length && html`<p class="matches">${part(from + 1, end, found)}</p>`}
${listOf(texts, choices, () => true, true)}
${end < found && html`<p class="more"><a href="${addressOf(end)}">${next}</a></p>`}
${from > 0 && html`<p class="more"><a href="${addressOf(0)}">${first}</a></p>`}`;
}

function groups(texts: Texts, { choices, tag }: ChoosePage, isFound: IsFound): SafeHtml[] {
  const title = (category: Choice['provider']['category']) => texts.categories[category];
  const mostUsed = choices.filter(({ connections }) => connections > 0).slice(0, MOST_USED_MAX);
  const others = choices.filter((choice) => !mostUsed.includes(choice));
  const byCategory = [...Map.groupBy(others, ({ provider }) => provider.category)]
    .toSorted(([left], [right]) => title(left).localeCompare(title(right), tag))
    .map(([category, group]) => ({ id: `category-${category}`, heading: title(category), group }));
  const first = { id: 'most-used', heading: texts.choose.mostUsed, group: mostUsed };
  return [...(mostUsed.length > 0 ? [first] : []), ...byCategory].map(
    ({ id, heading, group }) => html`<section aria-labelledby="${id}"${hideUnless(group.some(isFound))}>
<h2 id="${id}">${heading}</h2>
${listOf(texts, group, isFound, id === first.id)}
</section>`,
  );
}

/** What does not match is there but hidden, for the script to show it again. */
function listOf(
  texts: Texts,
  choices: readonly Choice[],
  isFound: IsFound,
  showsCategory: boolean,
): SafeHtml {
  return html`<ul>${choices.map((choice) => {
    const { integrationId, provider, name, logo, distinction } = choice;
    const words = [
      name !== provider.name && provider.name,
      showsCategory && texts.categories[provider.category],
      distinction,
    ].filter(Boolean);
    return html`<li data-words="${buildSearchWords(texts, choice)}"${hideUnless(isFound(choice))}>
<button type="submit" name="integrationId" value="${integrationId}" class="choice">
${renderLogo(logo)}<span><strong>${name}</strong>
${words.length > 0 && html`<small>${words.join(' · ')}</small>`}</span></button></li>`;
  })}</ul>`;
}

function matches(texts: Texts, choice: Choice, query: string): boolean {
  return matchesQuery(buildSearchWords(texts, choice), query);
}

/** What a choice is found by. */
export function buildSearchWords(
  texts: Pick<Texts, 'categories'>,
  { name, provider, distinction }: Pick<Choice, 'name' | 'provider' | 'distinction'>,
): string {
  const { id, category } = provider;
  const ownName = name === provider.name ? '' : `${name} `;
  return foldText(`${ownName}${provider.name} ${id} ${texts.categories[category]} ${distinction}`);
}
