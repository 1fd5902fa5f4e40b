// Runs after `npm ci`, on whatever Node the machine has: removes what nothing of this project loads (decisions 0016, 0023).
import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const packages = join(process.argv[2] ?? process.cwd(), 'node_modules');

/** Native addons are compiled with Node's C headers, a third of the package `node`. This project compiles none. */
for (const name of foldersIn('node/node_modules')) remove('node/node_modules', name, 'include');

/** Copies for require(), for old browsers and for reading: Vite and the tests load the ES modules of these packages. */
for (const name of foldersIn('@mantine')) remove('@mantine', name, 'cjs');
for (const name of foldersIn('@tanstack'))
  for (const copy of ['dist/cjs', 'build/legacy', 'src']) remove('@tanstack', name, copy);

for (const name of ['@modelcontextprotocol/sdk', 'hono']) remove(name, 'dist/cjs');

for (const name of ['server', 'client', 'core'])
  for (const { name: file } of entriesOf(join(packages, '@modelcontextprotocol', name, 'dist')))
    if (/\.c[jt]s$/.test(file)) remove('@modelcontextprotocol', name, 'dist', file);

/** Copies for require(), which prom-client needs of `api` alone, and for browsers, and the conventions that are not stable yet. */
for (const name of foldersIn('@opentelemetry')) {
  if (name === 'api') continue;
  removeFiles(join(packages, '@opentelemetry', name, 'dist'), /\.c[jt]s$|^index-incubating|^experimental_/);
  remove('@opentelemetry', name, 'dist/platform/browser');
}

for (const copy of ['cjs', 'src']) remove('gpt-tokenizer', copy);
remove('zod/src');
/** Only the parser of GraphQL is used. */
for (const name of ['__dev__', 'execution', 'type', 'utilities', 'validation']) remove('graphql', name);
remove('@sinclair/typebox/build/esm');
/** Playwright's viewer of traces, and the forms of Swagger UI for bundlers. */
remove('playwright-core/lib/vite');
for (const { name } of entriesOf(join(packages, 'swagger-ui-dist')))
  if (/es-bundle/.test(name)) remove('swagger-ui-dist', name);

/** Folders of a package that are for its own developers. */
const OWN_FOLDERS = /^(tests?|__tests__|docs?|examples?|bench|benchmarks?)$/;
/** Source maps lead to sources that are not installed; static archives and Flow's types have no reader here. */
const OWN_FILES = /\.([mc]?[jt]s|css)\.map$|\.a$|\.js\.flow$|^(readme|changelog|history)\b.*\.md$/i;

removeOwn(packages);

/** What packages carry for their own developers. Licences stay. */
function removeOwn(folder) {
  const entries = entriesOf(folder);
  const isPackage = isPackageFolder(folder);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const isOwn = entry.isDirectory()
      ? isPackage && OWN_FOLDERS.test(entry.name)
      : OWN_FILES.test(entry.name);
    if (isOwn) rmSync(path, { recursive: true, force: true });
    else if (entry.isDirectory()) removeOwn(path);
  }
}

function removeFiles(folder, pattern) {
  for (const entry of entriesOf(folder)) {
    if (entry.isDirectory()) removeFiles(join(folder, entry.name), pattern);
    else if (pattern.test(entry.name)) rmSync(join(folder, entry.name));
  }
}

/** Whether the folder stands in `node_modules` or in a scope there. */
function isPackageFolder(folder) {
  const parent = dirname(folder);
  return basename(basename(parent).startsWith('@') ? dirname(parent) : parent) === 'node_modules';
}

function remove(...path) {
  rmSync(join(packages, ...path), { recursive: true, force: true });
}

function foldersIn(path) {
  const entries = entriesOf(join(packages, path));
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** Nothing where the folder is not there: an install without development packages. */
function entriesOf(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
