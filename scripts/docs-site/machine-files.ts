import type { SitePage } from './rewrite-page.ts';
import { toMachineText } from './rewrite-page.ts';

/** llms-full.txt is read into one context; the rest is a link away. */
const FULL_BYTES_MAX = 400_000;

/** The pages that say most for their length, in the order in which llms-full.txt has them. */
const FULL_SLUGS = [
  'first-hour',
  'concepts',
  'guides',
  'guides/add-a-provider',
  'guides/two-accounts-of-one-user',
  'guides/limit-what-users-may-do',
  'guides/why-calls-fail',
  'guides/receive-changes',
  'sdk',
  'user-tokens',
  'node-client',
  'proxy',
  'receiving-events',
  'mandates',
  'approvals',
  'agents',
  'mcp',
  'organizations',
  'api',
  'api/connect',
  'api/connections',
  'api/integrations',
  'glossary',
  'operations',
  'security',
];

type Group = { readonly label: string; readonly slugs: readonly string[] };

/** The index by https://llmstxt.org: a link and a sentence for each page, as Markdown. */
export function makeIndexText(
  pages: ReadonlyMap<string, SitePage>,
  groups: readonly Group[],
  providerCount: number,
): string {
  const sections = groups.map(({ label, slugs }) => {
    const lines = slugs.flatMap((slug) => {
      const page = pages.get(slug);
      return page === undefined ? [] : [`- [${page.title}](/docs/${slug}.md): ${page.description}`];
    });
    return `## ${label}\n\n${lines.join('\n')}`;
  });
  return `# Integration Gateway

> A self-hosted gateway: your users connect their third-party accounts, and your application calls the providers' own APIs through one
> proxy address with the user's JWT. One process, one Postgres.

Every page below /docs is also Markdown at its address with .md behind it. /docs/llms-full.txt has the most important ones in one
file, /openapi.json the management API, and /docs/providers/<id>.md a page for each of ${providerCount} providers.

${sections.join('\n\n')}
`;
}

/** Whole pages one after another, as long as they fit. */
export function makeFullText(pages: ReadonlyMap<string, SitePage>): string {
  let text = '';
  for (const slug of FULL_SLUGS) {
    const page = pages.get(slug);
    if (page === undefined) continue;
    const next = `${text}<!-- /docs/${slug} -->\n${toMachineText(page)}\n`;
    if (Buffer.byteLength(next) > FULL_BYTES_MAX) break;
    text = next;
  }
  return text;
}
