import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { SHARED_FILES } from '../../scripts/build-dashboard.ts';
import { measureImportDistances } from '../../scripts/import-distance.ts';
import { readStages } from '../../scripts/release/dockerfile-stages.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const DASHBOARD = 'src/web/dashboard';
/** Of types, which are gone before anything is built. */
const OF_TYPES = /^import type [^;]*;/gm;
const IMPORTED = /\b(?:from |import |import\()'(\.[^'?]+)(?:\?raw)?'/g;

const ofRoot = (path: string) => relative(ROOT, path);

/** What the dashboard imports from outside of its folder, without types. */
const imported = readdirSync(join(ROOT, DASHBOARD, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => join(ROOT, DASHBOARD, 'src', name))
  .flatMap((file) =>
    [...readFileSync(file, 'utf8').replaceAll(OF_TYPES, '').matchAll(IMPORTED)].map(([, path = '']) =>
      resolve(dirname(file), path),
    ),
  )
  .filter((path) => !ofRoot(path).startsWith(`${DASHBOARD}/`));
const shared = [...new Set(imported.flatMap((path) => [...measureImportDistances(path).keys()]))]
  .map(ofRoot)
  .toSorted();

it('the dashboard is built again when a file outside of it changes that its pages import', () => {
  expect(shared).not.toEqual([]);
  expect([...SHARED_FILES]).toEqual(shared);
});

describe('a stage of the image', () => {
  const stages = readStages(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'));

  /** What is copied from the repository into a stage and those that it begins with. */
  function listCopied(name: string): string[] {
    const stage = stages.find((one) => one.name === name);
    if (stage === undefined) return [];
    const own = stage.lines.flatMap((line) => /^COPY (?!--from)(.+) \S+$/.exec(line)?.[1]?.split(' ') ?? []);
    return [...listCopied(stage.from), ...own];
  }

  const programs = stages.flatMap(({ name, lines }) =>
    lines.flatMap((line) => {
      const [, program] = /^RUN node (\S+)$/.exec(line) ?? [];
      return name === undefined || program === undefined ? [] : [{ name, program }];
    }),
  );

  it.each(programs)('$name has every file that $program is made of', ({ name, program }) => {
    const needed = [...measureImportDistances(join(ROOT, program)).keys()].map(ofRoot);
    const copied = listCopied(name);
    const missing = [...needed, ...(program.includes('dashboard') ? shared : [])].filter(
      (path) => !copied.some((one) => path === one || path.startsWith(`${one}/`)),
    );
    expect(missing).toEqual([]);
  });

  it('is run for the scripts, the dashboard and the documents', () => {
    expect(programs.map(({ name }) => name)).toEqual(['dependencies', 'dashboard', 'documents']);
  });
});
