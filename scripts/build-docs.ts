import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { finishSite } from './docs-site/finish.ts';
import { prepareSite } from './docs-site/prepare.ts';
import { installPackage } from './install-package.ts';

const ROOT = resolve(import.meta.dirname, '..');
const SITE = join(ROOT, 'site');
export const SITE_DIST = join(SITE, 'dist');
/** Beside the result: what it was made of. */
const STAMP = join(SITE_DIST, 'sources.sha256');
/** What pages are made of; code of `src` that says facts of providers in another way is rebuilt with `--force`. */
const SOURCES = [
  ...['docs', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'src/catalog/providers', 'scripts/docs-site'],
  ...[
    'site/src/components',
    'site/src/page.ts',
    'site/src/search-weight.ts',
    'site/src/site.css',
    'site/home.mdx',
    'site/favicon.svg',
  ],
  ...['site/astro.config.mjs', 'site/package-lock.json'],
];

/** Builds the documents unless what is there was made of the present sources. Throws where Astro fails. */
export async function ensureDocs(isForced = false): Promise<void> {
  const digest = digestOfSources();
  if (!isForced && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === digest) return;
  const startedAtMs = performance.now();
  installPackage('site');
  const { pages } = prepareSite({ root: ROOT, site: SITE });
  runAstro();
  const fresh = join(SITE, 'dist.new');
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  const bytes = await finishSite(join(SITE, 'build'), fresh);
  rmSync(SITE_DIST, { recursive: true, force: true });
  renameSync(fresh, SITE_DIST);
  writeFileSync(STAMP, digest);
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(0);
  console.error(
    `Built ${pages} pages of documents, ${(bytes / 1e6).toFixed(1)} MB compressed, in ${seconds} s.`,
  );
}

function runAstro(): void {
  const astro = join(SITE, 'node_modules/astro/bin/astro.mjs');
  const { status } = spawnSync(process.execPath, [astro, 'build', '--root', SITE, '--silent'], {
    cwd: SITE,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, ASTRO_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' },
  });
  if (status !== 0) throw new Error(`astro build ended with ${status}`);
}

function digestOfSources(): string {
  const hash = createHash('sha256');
  for (const source of SOURCES) {
    const path = join(ROOT, source);
    const names = statSync(path).isFile()
      ? ['']
      : readdirSync(path, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
          .toSorted();
    for (const name of names) {
      const content = readFileSync(join(path, name));
      hash.update(`${source}/${name}\0${content.length}\0`).update(content);
    }
  }
  return hash.digest('hex');
}

/** `npm run build:docs`: the documents as a site in site/dist, which the gateway serves under `/docs`. */
if (process.argv[1] === fileURLToPath(import.meta.url)) await ensureDocs(process.argv.includes('--force'));
