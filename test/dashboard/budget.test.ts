import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DASHBOARD_DIST } from '../../src/web/dashboard.router.ts';
import { buildDashboard } from '../support/dashboard.ts';

type Chunk = {
  readonly file: string;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
};

const BUDGET_KB = 225;
/** Pages with fields, menus and charts at once: over the budget, and not to grow. */
const HEAVY_KB = 260;
const HEAVY =
  /\/me-page|integrations?-page|set-up|console-page|connections?-page|calls?-page|activity-page|custom-providers?-page/;
const KB = 1000;
const ENTRY = 'index.html';
const LANGUAGES = ['en', 'de', 'es'];
/** The texts that a page loads are those of its folder, except here. */
const TEXTS_OF: Readonly<Record<string, readonly string[]>> = {
  calls: ['calls', 'connections'],
  connections: ['connections', 'integrations'],
  providers: ['integrations'],
  me: ['me', 'sign-in'],
};

let manifest: Record<string, Chunk>;

beforeAll(() => {
  buildDashboard();
  manifest = JSON.parse(readFileSync(join(DASHBOARD_DIST, 'manifest.json'), 'utf8'));
});

/** A chunk's files and those of everything that it imports at once. */
function filesOf(name: string, found = new Set<string>(), seen = new Set<string>()): Set<string> {
  const chunk = manifest[name];
  if (chunk === undefined || seen.has(name)) return found;
  seen.add(name);
  for (const file of [chunk.file, ...(chunk.css ?? [])]) found.add(file);
  for (const imported of chunk.imports ?? []) filesOf(imported, found, seen);
  return found;
}

function sizeKb(files: Iterable<string>): number {
  const bytes = [...files].map(
    (file) => gzipSync(readFileSync(join(DASHBOARD_DIST, file)), { level: 9 }).length,
  );
  return bytes.reduce((sum, size) => sum + size, 0) / KB;
}

/** What the page's texts weigh in the largest of the languages, of which a browser loads one. */
function textsKb(page: string): number {
  const folder = page.split('/')[2] ?? '';
  const areas = ['frame', ...(TEXTS_OF[folder] ?? [folder])];
  const sizes = LANGUAGES.map((language) => {
    const names = areas.map((area) =>
      language === 'en' ? `src/texts/en/${area}.ts` : `../../../locales/dashboard/${language}/${area}.json`,
    );
    expect(names.filter((name) => manifest[name] === undefined)).toEqual([]);
    return sizeKb(names.flatMap((name) => [...filesOf(name)]));
  });
  return Math.max(...sizes);
}

it(`no page of the dashboard loads more than ${BUDGET_KB} kB at first, compressed, and one with editors ${HEAVY_KB}`, () => {
  const pages = (manifest[ENTRY]?.dynamicImports ?? []).filter((name) => name.startsWith('src/pages/'));
  const sizes = pages.map((page) => ({
    page,
    kb: Math.round((sizeKb(new Set([ENTRY, ...filesOf(ENTRY), ...filesOf(page)])) + textsKb(page)) * 10) / 10,
  }));
  expect(pages.length).toBeGreaterThan(10);
  expect(sizes.filter(({ page, kb }) => kb > (HEAVY.test(page) ? HEAVY_KB : BUDGET_KB))).toEqual([]);
});
