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

const BUDGET_KIB = 210;
/** With fields, menus and editors open at once: over the budget, and not to grow. */
const HEAVY_KIB = 265;
const HEAVY =
  /integration-page|integrations-page|console-page|connections?-page|calls?-page|activity-page|custom-providers?-page/;
const KIB = 1024;
const ENTRY = 'index.html';
/** The largest of the languages, of which a page loads one. */
const TEXTS = ['src/texts/en.ts', 'src/texts/de.ts', 'src/texts/es.ts'];

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

function sizeKib(files: Iterable<string>): number {
  const bytes = [...files].map(
    (file) => gzipSync(readFileSync(join(DASHBOARD_DIST, file)), { level: 9 }).length,
  );
  return bytes.reduce((sum, size) => sum + size, 0) / KIB;
}

it(`no page of the dashboard loads more than ${BUDGET_KIB} KiB at first, compressed, and one with editors ${HEAVY_KIB}`, () => {
  const texts = TEXTS.map((name) => filesOf(name)).sort((a, b) => sizeKib(b) - sizeKib(a))[0] ?? new Set();
  const pages = (manifest[ENTRY]?.dynamicImports ?? []).filter((name) => name.startsWith('src/pages/'));
  const sizes = pages.map((page) => ({
    page,
    kib: Math.round(sizeKib(new Set([ENTRY, ...filesOf(ENTRY), ...filesOf(page), ...texts])) * 10) / 10,
  }));
  expect(pages.length).toBeGreaterThan(10);
  expect(sizes.filter(({ page, kib }) => kib > (HEAVY.test(page) ? HEAVY_KIB : BUDGET_KIB))).toEqual([]);
});
