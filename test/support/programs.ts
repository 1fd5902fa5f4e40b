import { readFile, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

const ROOT = join(import.meta.dirname, '../..');
/** Below the root, where Node finds the packages that bundles leave out; always there, so that Node's own cache holds. */
const BUNDLES = join(ROOT, 'node_modules/.cache/test-programs');
/** What tests start again and again in processes of their own. */
const PROGRAMS = ['src/main.ts', 'src/operator.ts', 'test/polls/poll-process.ts'] as const;

type EditModule = (path: string, text: string) => string;
type Program = (typeof PROGRAMS)[number];

/** The path of a program to start: its bundle, or the source itself where jest's global set-up has made none. */
export function programPath(program: Program): string {
  return process.env.GATEWAY_TEST_PROGRAMS === undefined ? join(ROOT, program) : bundleOf(program);
}

/**
 * Makes a file of each program's own modules: a start then takes a third less of the processor than loading some seven
 * hundred files does. Packages stay as they are. `edit` may change a module's text, for runs that want other limits.
 */
export async function bundlePrograms(edit: EditModule = (_path, text) => text): Promise<void> {
  const mark = String(process.pid);
  await build({
    entryPoints: PROGRAMS.map((program) => join(ROOT, program)),
    outdir: BUNDLES,
    entryNames: `[name].${mark}`,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node24',
    logLevel: 'warning',
    plugins: [keepPlaces(edit)],
  });
  // Another run may be starting programs from them.
  for (const program of PROGRAMS) await rename(bundleOf(program, `.${mark}`), bundleOf(program));
}

function bundleOf(program: Program, mark = ''): string {
  return join(BUNDLES, `${basename(program, '.ts')}${mark}.mjs`);
}

/** Modules find files and workers beside themselves. */
const keepPlaces = (edit: EditModule): Plugin => ({
  name: 'keep-places',
  setup({ onLoad, onResolve }) {
    // Inlined, the packages that it imports would be loaded by every program.
    onResolve({ filter: /\/open-telemetry\.ts$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path),
      external: true,
    }));
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const contents = edit(path, await readFile(path, 'utf8'))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href));
      return { contents, loader: 'ts' };
    });
  },
});
