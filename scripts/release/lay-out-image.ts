import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ensureDashboard } from '../build-dashboard.ts';
import { DOCKERFILE } from './images.ts';
import { ROOT, releaseFolder } from './packages.ts';
import { runProgram } from './run-program.ts';

/**
 * `npm run image:layout -- --to <folder>`: does by hand what the Dockerfile has copied, for machines without a container engine, and
 * says how large it is. <folder>/root is what the image has above its base.
 */
const MEGABYTE = 1_000_000;
const IMAGE_BYTES_MAX = 250 * MEGABYTE;
/** Of gcr.io/distroless/cc-debian13: glibc, libstdc++, OpenSSL, certificates, time zones; rounded up. */
const BASE_BYTES = 30 * MEGABYTE;

const folder = releaseFolder();
const tree = join(folder, 'root');
const app = join(tree, 'app');
rmSync(tree, { recursive: true, force: true });
mkdirSync(app, { recursive: true });
await ensureDashboard();
const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && line !== '*' && !line.startsWith('!'));
const places: Record<string, (path: string) => string> = {
  node: () => process.execPath,
  dependencies: (path) => join(installDependencies(), relative('/app', path)),
  dashboard: (path) => join(ROOT, relative('/app', path)),
};

const lastStage =
  readFileSync(DOCKERFILE, 'utf8')
    .split(/^FROM /m)
    .at(-1) ?? '';
for (const [, stage, paths = ''] of lastStage.matchAll(/^COPY (?:--from=(\w+) )?(.+)$/gm)) {
  const sources = paths.split(' ');
  const target = sources.pop() ?? '';
  for (const source of sources) {
    const from = stage === undefined ? join(ROOT, source) : (places[stage]?.(source) ?? source);
    const into = target.startsWith('/') ? join(tree, target) : join(app, target);
    const to = target.endsWith('/') ? join(into, source) : into;
    cpSync(from, to, { recursive: true, filter: (path) => stage !== undefined || !isIgnored(path) });
  }
}
const parts = { node: join(tree, 'usr'), node_modules: join(app, 'node_modules'), app: app };
for (const [name, path] of Object.entries(parts)) console.log(`${name}: ${inMegabytes(sizeOf(path))}`);
const size = sizeOf(tree) + BASE_BYTES;
console.log(
  `with ${inMegabytes(BASE_BYTES)} of the base: ${inMegabytes(size)} of ${inMegabytes(IMAGE_BYTES_MAX)}`,
);
process.exit(size <= IMAGE_BYTES_MAX ? 0 : 1);

/** The stage of the same name; what is there from a run before with this lock file is taken. */
function installDependencies(): string {
  const stage = join(folder, 'dependencies');
  const lock = readFileSync(join(ROOT, 'package-lock.json'), 'utf8');
  if (readIfThere(join(stage, 'done')) === lock) return stage;
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(join(stage, 'scripts'), { recursive: true });
  for (const name of ['package.json', 'package-lock.json', '.npmrc', 'scripts/remove-unused-files.mjs'])
    cpSync(join(ROOT, name), join(stage, name));
  runProgram('npm', ['ci', '--omit=dev', '--omit=optional', '--ignore-scripts'], stage);
  runProgram(process.execPath, ['scripts/remove-unused-files.mjs'], stage);
  cpSync(join(ROOT, 'package-lock.json'), join(stage, 'done'));
  return stage;
}

function isIgnored(path: string): boolean {
  const own = relative(ROOT, path);
  return ignored.some((prefix) => own === prefix || own.startsWith(`${prefix}/`));
}

function sizeOf(path: string): number {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

function inMegabytes(bytes: number): string {
  return `${Math.round(bytes / MEGABYTE)} MB`;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
