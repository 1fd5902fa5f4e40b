import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { MANIFEST, siteManifest } from '../../src/web/documents/manifest.ts';

export const SITE_DIST = resolve(import.meta.dirname, '../../site/dist');

/** The built site, read as the gateway reads it. Throws where it is not built. */
export function readBuiltSite() {
  if (!existsSync(join(SITE_DIST, MANIFEST))) throw new Error('The site is not built: npm run build:docs');
  const { files } = siteManifest.parse(JSON.parse(readFileSync(join(SITE_DIST, MANIFEST), 'utf8')));
  const addresses = Object.keys(files);
  const read = (address: string): string => {
    const file = files[address]?.file ?? '';
    const bytes = readFileSync(join(SITE_DIST, file));
    return (file.endsWith('.br') ? brotliDecompressSync(bytes) : bytes).toString();
  };
  return {
    addresses: new Set(addresses),
    pages: addresses.filter((one) => files[one]?.file.endsWith('.html.br')),
    read,
  };
}

/** Addresses of the gateway itself that pages lead to. */
const OF_THE_GATEWAY = /^\/(?:openapi\.json|docs\/(?:try|errors)|logos\/[a-z0-9-]+\.svg)$/;

/** Links of the built pages that lead nowhere, anchors included, as `page -> link`. */
export function findBrokenLinks(site: ReturnType<typeof readBuiltSite>): string[] {
  const anchors = new Map<string, Set<string>>();
  const links = new Map<string, string[]>();
  for (const page of site.pages) {
    const text = site.read(page);
    anchors.set(
      page,
      new Set([...text.matchAll(/\sid="?([^"\s>]+)/g)].map(([, id = '']) => unescapeHtml(id))),
    );
    links.set(
      page,
      [...text.matchAll(/\s(?:href|src)="([^"]*)"/g)].map(([, link = '']) => unescapeHtml(link)),
    );
  }
  const isThere = (page: string, link: string): boolean => {
    if (/^(?:https?:|mailto:|data:)/.test(link)) return true;
    const { pathname, hash } = new URL(link, `http://site/docs${page === '' ? '' : `/${page}`}`);
    if (OF_THE_GATEWAY.test(pathname)) return true;
    if (pathname !== '/docs' && !pathname.startsWith('/docs/')) return false;
    const address = pathname.slice('/docs/'.length);
    if (!site.addresses.has(address)) return false;
    const anchor = decodeURIComponent(hash.slice(1));
    return anchor === '' || anchors.get(address)?.has(anchor) !== false;
  };
  return [...links].flatMap(([page, all]) =>
    [...new Set(all)].filter((link) => !isThere(page, link)).map((link) => `${page} -> ${link}`),
  );
}

/** Elements that load something when a page opens, from elsewhere than the page's own origin. */
export function findOutsideRequests(site: ReturnType<typeof readBuiltSite>): string[] {
  return site.pages.flatMap((page) =>
    [
      ...site
        .read(page)
        .matchAll(
          /<(?:script|link|img|iframe|source|video|audio)\b[^>]*\s(?:src|href)="(?:https?:)?\/\/[^"]*"/g,
        ),
    ].map(([element]) => `${page}: ${element}`),
  );
}

function unescapeHtml(text: string): string {
  return text
    .replaceAll('&#38;', '&')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&#x27;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
