import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { isAlive } from '../../src/platform/postgres/embedded-pidfile.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Below the root, where Node finds the packages that the bundle leaves out. */
const DIRECTORY = join(ROOT, 'node_modules/.cache/test-gateway');

/**
 * The gateway's own modules in one file, whose path it gives: a start then takes a third less of the processor than
 * loading some seven hundred files does, and the suite starts more than a hundred gateways. Packages stay as they are.
 */
export async function bundleGateway(): Promise<{ path: string; remove: () => Promise<void> }> {
  await mkdir(DIRECTORY, { recursive: true });
  await removeLeftovers();
  const path = join(DIRECTORY, `${process.pid}.mjs`);
  await build({
    entryPoints: [join(ROOT, 'src/main.ts')],
    outfile: path,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node24',
    logLevel: 'warning',
    plugins: [keepPlaces],
  });
  return { path, remove: () => rm(path, { force: true }) };
}

/** Modules find files and workers beside themselves. */
const keepPlaces: Plugin = {
  name: 'keep-places',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const contents = text
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href));
      return { contents, loader: 'ts' };
    });
  },
};

/** A killed run leaves its file behind. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(DIRECTORY)) {
    if (!isAlive(Number.parseInt(name, 10))) await rm(join(DIRECTORY, name), { force: true });
  }
}
