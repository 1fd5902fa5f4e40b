import type { Provider } from '../../catalog/schema/provider.schema.ts';
import { html, type SafeHtml } from '../../http/html.ts';
import type { Tenant } from '../../oauth/tenants.ts';
import type { Texts } from '../texts/language.ts';
import { renderLogo } from './logo.ts';
import { foldText, hideUnless, matchesQuery, searchForm, searchScript } from './search-list.ts';

type TenantsPage = {
  readonly provider: Provider;
  /** Path of the integration's logo. */
  readonly logo: string;
  readonly tenants: readonly Tenant[];
  /** Where choice and search are sent: the page's own address. */
  readonly action: string;
  readonly query: string;
  readonly isUnchosen: boolean;
};

/** Fewer are seen at a glance. */
const SEARCH_FROM = 7;
/** More do not stand on the page: the search asks the server for the others. */
const SHOWN_MAX = 200;

/**
 * The page on which a user chooses one of the sites, organisations or accounts that a grant reaches. Every entry is a
 * button. The search is a form that works without JavaScript; with it, a list that stands on the page as a whole follows
 * every key.
 */
export function tenantsPage(texts: Texts, page: TenantsPage, nonce: string): SafeHtml {
  const { provider, logo, tenants, action, query, isUnchosen } = page;
  const { tenants: words } = texts;
  const hasSearch = tenants.length >= SEARCH_FROM;
  const isWhole = tenants.length <= SHOWN_MAX;
  const isFound = (tenant: Tenant) => matchesQuery(wordsOf(tenant), query);
  const found = tenants.filter(isFound);
  const shown = isWhole ? tenants : found.slice(0, SHOWN_MAX);
  return html`<div class="subject">${renderLogo(logo)}<h1>${words.titles[provider.tenants?.kind ?? 'account']}</h1></div>
<p class="lead">${words.lead(provider.name)}</p>
${isUnchosen && html`<p class="error" role="alert">${words.unchosen}</p>`}
${hasSearch && searchForm(words, { action, query, kept: {}, count: found.length })}
${found.length > shown.length && html`<p class="matches">${words.more(shown.length)}</p>`}
<form method="post" action="${action}" class="choices">
<ul>${shown.map((tenant) => entry(tenant, isFound(tenant)))}</ul>
<p class="more"><button type="submit" name="cancel" value="1" class="quiet">${words.cancel}</button></p>
</form>
${hasSearch && isWhole && searchScript(nonce)}`;
}

function entry(tenant: Tenant, isShown: boolean): SafeHtml {
  const { id, name, detail } = tenant;
  const small = [detail, name === null || detail !== null ? undefined : id].filter((part) => part != null);
  return html`<li data-words="${wordsOf(tenant)}"${hideUnless(isShown)}>
<button type="submit" name="tenant" value="${id}" class="choice">
<span><strong dir="auto">${name ?? id}</strong>${small.length > 0 && html` <small dir="auto">${small.join(' · ')}</small>`}</span></button></li>`;
}

function wordsOf({ id, name, detail }: Tenant): string {
  return foldText(`${name ?? ''} ${detail ?? ''} ${id}`);
}
