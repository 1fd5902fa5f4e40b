// Runs after `npm ci`, on whatever Node the machine has: removes what nothing of this project loads (decisions 0016, 0023).
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const packages = join(process.argv[2] ?? process.cwd(), 'node_modules');

/** Native addons are compiled with Node's C headers, a third of the package `node`. This project compiles none. */
for (const name of namesIn('node/node_modules')) remove('node/node_modules', name, 'include');

/** Copies for require(), for old browsers and for reading: Vite loads the ES modules of these packages. */
for (const name of namesIn('@mantine')) remove('@mantine', name, 'cjs');
for (const name of namesIn('@tanstack'))
  for (const copy of ['dist/cjs', 'build/legacy', 'src']) remove('@tanstack', name, copy);

remove('zod/src');
remove('@sinclair/typebox/build/esm');
remove('bintrees/test');
/** Playwright's viewer of traces, and the forms of Swagger UI for bundlers. */
remove('playwright-core/lib/vite');
for (const name of namesIn('swagger-ui-dist').filter((file) => /es-bundle/.test(file)))
  remove('swagger-ui-dist', name);

removeDocuments(packages);

/** Source maps, which lead to sources that are not installed, and what packages tell of themselves. Licences stay. */
function removeDocuments(folder) {
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) removeDocuments(path);
    else if (/\.([mc]?[jt]s|css)\.map$|^(readme|changelog|history)\b.*\.md$/i.test(entry.name))
      rmSync(path, { force: true });
  }
}

function remove(...path) {
  rmSync(join(packages, ...path), { recursive: true, force: true });
}

function namesIn(path) {
  return entriesOf(join(packages, path)).map(({ name }) => name);
}

/** Nothing where the folder is not there: an install without development packages. */
function entriesOf(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
