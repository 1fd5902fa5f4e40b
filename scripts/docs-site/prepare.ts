import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { listSources } from '../../src/catalog/facts/evidence.ts';
import { builtInProviders } from '../../src/catalog/loading/builtin-providers.ts';
import type { Source } from '../../src/catalog/schema/provider-standing.schema.ts';
import { type ApiDocument, apiDocument } from './api-document.ts';
import { listApiPages, makeApiPages } from './api-pages.ts';
import { makeFullText, makeIndexText } from './machine-files.ts';
import { GROUPS, listSourcePages, listUngrouped } from './pages.ts';
import { listProvidersAsText, makeProviderIndex } from './provider-index.ts';
import { makeProviderPage } from './provider-page.ts';
import { rewritePage, type SitePage, showReasons, toMachineText } from './rewrite-page.ts';

type Folders = { readonly root: string; readonly site: string };

/**
 * Writes what Astro builds: a Markdown file for each page, the same for machines, and the side bar. Everything it writes
 * is made again each time and not committed.
 */
export function prepareSite({ root, site }: Folders): { pages: number } {
  const document = apiDocument.parse(JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8')));
  const sourcePages = listSourcePages(root);
  const slugOfFile = new Map(sourcePages.map(({ slug, file }) => [file, slug]));
  const written = sourcePages.map((page) =>
    rewritePage(page, readFileSync(join(root, page.file), 'utf8'), slugOfFile),
  );
  const providers = builtInProviders({ allowPrivateNetworks: false, hasKnownPatterns: true }).map(
    ({ provider }) => provider,
  );
  const providerPages = providers.map((provider) =>
    makeProviderPage(provider, readSources(root, provider.id)),
  );
  const index = makeProviderIndex(providers);
  const pages = new Map(
    [...written, ...makeApiPages(document), index, ...providerPages].map((page) => [page.slug, page]),
  );

  const content = join(site, 'src/content/docs');
  const publicFolder = join(site, 'public');
  for (const folder of [content, publicFolder]) rmSync(folder, { recursive: true, force: true });
  cpSync(join(site, 'home.mdx'), join(makeFolder(content), 'index.mdx'));
  cpSync(join(site, 'favicon.svg'), join(makeFolder(publicFolder), 'favicon.svg'));
  for (const page of pages.values()) {
    write(join(content, `${page.slug}.md`), toSiteFile(page));
    write(join(publicFolder, `${page.slug}.md`), toMachineText(page));
  }
  write(
    join(publicFolder, 'providers.md'),
    toMachineText({ ...index, body: listProvidersAsText(providers) }),
  );
  const groups = [
    ...GROUPS,
    { label: 'More', slugs: listUngrouped(sourcePages) },
    { label: 'API reference', slugs: listApiPages(document).map(({ slug }) => slug) },
    {
      label: 'Decisions',
      slugs: sourcePages.map(({ slug }) => slug).filter((slug) => slug.startsWith('decisions/')),
    },
  ];
  write(join(publicFolder, 'llms.txt'), makeIndexText(pages, groups, providers.length));
  write(join(publicFolder, 'llms-full.txt'), makeFullText(pages));
  write(
    join(site, 'src/sidebar.json'),
    JSON.stringify(makeSidebar(document, pages, listUngrouped(sourcePages)), null, 2),
  );
  return { pages: pages.size + 1 };
}

function makeSidebar(
  document: ApiDocument,
  pages: ReadonlyMap<string, SitePage>,
  ungrouped: readonly string[],
) {
  const groups = GROUPS.map(({ label, slugs }) => ({
    label,
    collapsed: label === 'The project',
    items: slugs.filter((slug) => pages.has(slug)),
  }));
  const api = { label: 'API reference', collapsed: true, items: listApiPages(document) };
  const more = ungrouped.length === 0 ? [] : [{ label: 'More', collapsed: false, items: ungrouped }];
  return [...groups.slice(0, 5), api, ...groups.slice(5), ...more];
}

/** Sources of the file that say what they confirm; the loaded entry no longer has them. */
function readSources(root: string, id: string): Source[] {
  const file: unknown = parse(readFileSync(join(root, 'src/catalog/providers', `${id}.yaml`), 'utf8'));
  return listSources({ sources: Object(file).sources });
}

function toSiteFile({ title, description, body, headingLevels = 3, slug }: SitePage): string {
  const front = {
    title,
    description,
    ...(headingLevels === 0
      ? { tableOfContents: false }
      : { tableOfContents: { maxHeadingLevel: headingLevels } }),
    // Neighbours in a list of a thousand say nothing.
    ...(/^(providers|decisions)\//.test(slug) && { prev: false, next: false }),
  };
  const lines = Object.entries(front).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return `---\n${lines.join('\n')}\n---\n\n${showReasons(body)}\n`;
}

function makeFolder(folder: string): string {
  mkdirSync(folder, { recursive: true });
  return folder;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

export function countBuiltPages(dist: string): number {
  return readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'))
    .length;
}
