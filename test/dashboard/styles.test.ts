import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const SOURCE = resolve(import.meta.dirname, '../../src/web/dashboard/src');
const MANTINE = resolve(import.meta.dirname, '../../node_modules/@mantine/core/styles');

type File = { readonly path: string; readonly text: string };

const files: File[] = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((path) => ({ path, text: readFileSync(join(SOURCE, path), 'utf8') }));

/** Names of the components whose styles a file brings. */
function stylesOf(text: string): string[] {
  return [...text.matchAll(/^import '@mantine\/core\/styles\/(\w+)\.layer\.css';$/gm)].map(
    ([, name]) => name ?? '',
  );
}

/** Components of Mantine that a file uses and that have styles of their own. */
function styledComponentsOf(text: string): string[] {
  const imports = [...text.matchAll(/^import \{([^}]*)\} from '@mantine\/core';$/gm)];
  return imports
    .flatMap(([, names = '']) => names.split(',').map((name) => name.trim()))
    .filter((name) => existsSync(join(MANTINE, `${name}.layer.css`)));
}

it('every file brings the styles of the Mantine components that it uses, or the theme does', () => {
  const shared = new Set(stylesOf(files.find(({ path }) => path === 'theme/styles.ts')?.text ?? ''));
  expect(shared.size).toBeGreaterThan(10);
  const unstyled = files.flatMap(({ path, text }) => {
    const own = new Set(stylesOf(text));
    return styledComponentsOf(text)
      .filter((name) => !shared.has(name) && !own.has(name))
      .map((name) => `${path}: ${name}`);
  });
  expect(unstyled).toEqual([]);
});

it('every script that is loaded late is waited for: none is imported but by lazyPart and loadScript', () => {
  const bare = files.flatMap(({ path, text }) => {
    const all = [...text.matchAll(/(?<!typeof )\bimport\(\s*'/g)];
    const waitedFor = [...text.matchAll(/\b(?:lazyPart|loadScript)\(\s*\(\) =>\s*import\(\s*'/g)];
    return all.length === waitedFor.length ? [] : [path];
  });
  expect(bare).toEqual([]);
  expect(files.filter(({ text }) => text.includes('lazyPart(')).length).toBeGreaterThan(20);
});
