import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** A page of the site: its address below `/docs`, and the file that it is made of. */
export type SourcePage = { readonly slug: string; readonly file: string };

/** The order of the side bar: groups of addresses. What no group names comes under the last one. */
export const GROUPS: readonly { readonly label: string; readonly slugs: readonly string[] }[] = [
  { label: 'Begin', slugs: ['first-hour', 'concepts', 'glossary', 'comparison'] },
  {
    label: 'Guides by task',
    slugs: [
      'guides',
      'guides/add-a-provider',
      'guides/two-accounts-of-one-user',
      'guides/limit-what-users-may-do',
      'guides/why-calls-fail',
      'guides/receive-changes',
      'guides/erase-a-user',
      'guides/rotate-the-encryption-key',
      'import-from-nango',
    ],
  },
  {
    label: 'In your application',
    slugs: [
      'sdk',
      'user-tokens',
      'node-client',
      'proxy',
      'clients',
      'receiving-events',
      'events',
      'organizations',
    ],
  },
  { label: 'Agents', slugs: ['agents', 'mcp', 'mandates', 'approvals'] },
  { label: 'Providers', slugs: ['providers', 'provider-files', 'reviewing-providers'] },
  { label: 'When something is wrong', slugs: ['error-codes', 'diagnosis'] },
  {
    label: 'Operations',
    slugs: ['operations', 'configuration', 'deploying', 'capacity', 'performance', 'faults'],
  },
  { label: 'Security', slugs: ['security', 'api-keys', 'reporting'] },
  {
    label: 'The project',
    slugs: [
      'stability',
      'changelog',
      'architecture',
      'decisions',
      'dependencies',
      'contributing',
      'good-first-issues',
    ],
  },
];

/** Pages that stand outside of docs/. */
const ELSEWHERE: readonly SourcePage[] = [
  { slug: 'contributing', file: 'CONTRIBUTING.md' },
  { slug: 'changelog', file: 'CHANGELOG.md' },
  { slug: 'reporting', file: 'SECURITY.md' },
];

/** The catalog's list has a page of its own here, with a filter. */
const REPLACED: ReadonlySet<string> = new Set(['providers']);

/** Every page that is written by hand or generated into the repository. */
export function listSourcePages(root: string): SourcePage[] {
  const files = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
  const pages = files
    .filter((name) => name.endsWith('.md'))
    .map((name) => ({ slug: slugOf(name), file: `docs/${name}` }));
  return [...pages.filter(({ slug }) => !REPLACED.has(slug)), ...ELSEWHERE].toSorted((a, b) =>
    a.slug < b.slug ? -1 : 1,
  );
}

/** `guides/README.md` is the page of its folder. */
function slugOf(name: string): string {
  return name.replace(/\.md$/, '').replace(/\/README$/, '');
}

/** Pages that no group names; decisions are listed by their own index. */
export function listUngrouped(pages: readonly SourcePage[]): string[] {
  const grouped = new Set(GROUPS.flatMap(({ slugs }) => slugs));
  return pages.map(({ slug }) => slug).filter((slug) => !grouped.has(slug) && !slug.startsWith('decisions/'));
}
