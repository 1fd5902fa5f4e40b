import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { finishSite } from './docs-site/finish.ts';
import { prepareSite } from './docs-site/prepare.ts';
import { installPackage } from './install-package.ts';

const ROOT = resolve(import.meta.dirname, '..');
const SITE = join(ROOT, 'site');
export const SITE_DIST = join(SITE, 'dist');

/** `npm run build:docs`: the documents as a site in site/dist, which the gateway serves under `/docs`. Throws where Astro fails. */
export async function buildDocs(): Promise<void> {
  const startedAtMs = performance.now();
  installPackage('site');
  const { pages } = prepareSite({ root: ROOT, site: SITE });
  const astro = join(SITE, 'node_modules/astro/bin/astro.mjs');
  const { status } = spawnSync(process.execPath, [astro, 'build', '--root', SITE, '--silent'], {
    cwd: SITE,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, ASTRO_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' },
  });
  if (status !== 0) throw new Error(`astro build ended with ${status}`);
  const fresh = join(SITE, 'dist.new');
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  const bytes = await finishSite(join(SITE, 'build'), fresh);
  rmSync(SITE_DIST, { recursive: true, force: true });
  renameSync(fresh, SITE_DIST);
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(0);
  console.error(`Built ${pages} pages of documents, ${(bytes / 1e6).toFixed(1)} MB compressed, in ${seconds} s.`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildDocs();
