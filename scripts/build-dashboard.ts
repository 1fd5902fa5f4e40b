import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = resolve(import.meta.dirname, '..');
const DASHBOARD = join(ROOT, 'src/web/dashboard');
const LOCALES = join(ROOT, 'locales/dashboard');
/** Files outside of the dashboard that its build takes in, in the order of their paths. */
export const SHARED_FILES = [
  'docs/clients.md',
  'src/connect/pages/brand-shades.ts',
  'src/diagnosis/finding-texts.ts',
  'src/http/error-codes.ts',
  'src/http/error-tables/authorization.ts',
  'src/http/error-tables/callers.ts',
  'src/http/error-tables/entry.ts',
  'src/http/error-tables/objects.ts',
  'src/http/error-tables/request.ts',
  'src/http/error-tables/resources.ts',
  'src/http/error-tables/service.ts',
  'src/http/page-style.ts',
  'src/webhooks/message/verified-reasons.ts',
  'src/webhooks/receipts/replayable.ts',
] as const;
export const DASHBOARD_DIST = join(DASHBOARD, 'dist');
/** Within the result: the assets of the build before. */
const FORMER = 'former';
/** Beside the result: what it was made of. */
const STAMP = 'sources.sha256';

/**
 * Builds the dashboard unless what is there was made of the present sources and packages. Gives back whether it built.
 * Throws when the packages are missing or the sources are faulty.
 */
export async function ensureDashboard(): Promise<boolean> {
  if (isDashboardCurrent()) return false;
  const digest = digestOfSources();
  const startedAtMs = performance.now();
  console.error('Building the dashboard, whose sources have changed; this takes some seconds.');
  // With another value, such as jest's `test`, libraries would bring their development half along.
  const nodeEnv = process.env.NODE_ENV;
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  // Several processes may build at once: each into a folder of its own, and the last one's stays.
  const folder = join(DASHBOARD, `dist.${process.pid}`);
  try {
    await build({
      configFile: join(DASHBOARD, 'vite.config.ts'),
      build: { outDir: folder },
      logLevel: 'warn',
    });
    writeFileSync(join(folder, STAMP), digest);
    // Another process may have built the same meanwhile, and something may read that already.
    if (readIfThere(join(DASHBOARD_DIST, STAMP)) !== digest) replaceFolder(folder, DASHBOARD_DIST);
  } finally {
    if (nodeEnv === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = nodeEnv;
    rmSync(folder, { recursive: true, force: true });
  }
  console.error(`Built the dashboard in ${((performance.now() - startedAtMs) / 1000).toFixed(1)} s.`);
  return true;
}

/** Whether what is built was made of the present sources and packages. */
export function isDashboardCurrent(): boolean {
  return readIfThere(join(DASHBOARD_DIST, STAMP)) === digestOfSources();
}

function replaceFolder(from: string, to: string): void {
  const assets = join(to, 'assets');
  // Pages that are open ask for the scripts of the build that they came with.
  if (existsSync(assets)) renameSync(assets, join(from, FORMER));
  rmSync(to, { recursive: true, force: true });
  try {
    renameSync(from, to);
  } catch (error) {
    // Another process was faster, with the same sources.
    if (!existsSync(join(to, STAMP))) throw error;
  }
}

/** Of every source file, its path and content, and of the packages that the build takes in. */
function digestOfSources(): string {
  const hash = createHash('sha256').update(packageVersions());
  const names = [DASHBOARD, LOCALES]
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !/^dist[./]/.test(path.slice(DASHBOARD.length + 1)) && !path.endsWith('.md'))
    .concat(SHARED_FILES.map((path) => join(ROOT, path)))
    .sort();
  for (const path of names) {
    const content = readFileSync(path);
    hash.update(`${path.slice(ROOT.length)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

function packageVersions(): string {
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return JSON.stringify(devDependencies);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Whether the development packages are installed, without which nothing can be built. */
export function canBuildDashboard(): boolean {
  try {
    createRequire(import.meta.url).resolve('vite/package.json');
    return true;
  } catch {
    return false;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await ensureDashboard();
