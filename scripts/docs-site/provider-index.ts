import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import { escapeHtml } from '../../src/lib/escape-html.ts';
import { AUTH_WORDS } from '../generate-providers-page.ts';
import type { SitePage } from './rewrite-page.ts';

/** The list of all providers by category; a script on the page filters it, and without the script it is a list. */
export function makeProviderIndex(providers: readonly Provider[]): SitePage {
  const categories = [...new Set(providers.map(({ category }) => category))].toSorted();
  const groups = categories.map((category) => {
    const items = providers
      .filter((provider) => provider.category === category)
      .map(
        ({ id, name, auth }) =>
          `<li><a href="/docs/providers/${id}">${escapeHtml(name)}</a> <small>${AUTH_WORDS[auth]}</small></li>`,
      );
    return `## ${category}\n\n<ul class="provider-list">\n${items.join('\n')}\n</ul>`;
  });
  const alive = providers.filter(({ status }) => status !== 'ended').length;
  return {
    slug: 'providers',
    title: 'Providers',
    description: `All ${alive} providers of the catalog, each with a page of its own made from its file.`,
    body: `${alive} providers, each with a page made from its file: what one needs there, the set-up steps with this gateway’s addresses,
scopes, webhooks, polls, limits, traps, and how far the facts are confirmed. One that is missing is [a file away](/docs/guides/add-a-provider).

<provider-filter></provider-filter>

${groups.join('\n\n')}`,
    headingLevels: 2,
  };
}

/** The same for machines: a line for each. */
export function listProvidersAsText(providers: readonly Provider[]): string {
  return providers
    .map(
      ({ id, name, category, auth }) =>
        `- [${name}](/docs/providers/${id}.md): ${category}, ${AUTH_WORDS[auth]}`,
    )
    .join('\n');
}
