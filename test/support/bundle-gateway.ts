import { readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

const ROOT = join(import.meta.dirname, '../..');
/** Below the root, where Node finds the packages that the bundle leaves out; always there, so that Node's own cache holds. */
const BUNDLE = join(ROOT, 'node_modules/.cache/test-gateway/main.mjs');

/**
 * The gateway's own modules in one file, whose path it gives: a start then takes a third less of the processor than
 * loading some seven hundred files does, and the suite starts more than a hundred gateways. Packages stay as they are.
 */
export async function bundleGateway(): Promise<string> {
  const made = `${BUNDLE}.${process.pid}`;
  await build({
    entryPoints: [join(ROOT, 'src/main.ts')],
    outfile: made,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node24',
    logLevel: 'warning',
    plugins: [keepPlaces],
  });
  // Another run may be starting gateways from it.
  await rename(made, BUNDLE);
  return BUNDLE;
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
