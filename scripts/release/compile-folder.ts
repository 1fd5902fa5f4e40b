import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build, type Plugin } from 'esbuild';

/**
 * Node strips no types below node_modules, so that a package holds JavaScript: each `.ts` file of `folder` becomes a `.js` file at
 * the same place below `target`, with a source map, and other files are copied. Files that `isLeftOut` names by their path are left out.
 */
export async function compileFolder(
  root: string,
  folder: string,
  target: string,
  isLeftOut: (path: string) => boolean = () => false,
): Promise<void> {
  const files = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !isLeftOut(path));
  const isSource = (path: string) => path.endsWith('.ts') && !path.endsWith('.d.ts');
  await build({
    absWorkingDir: root,
    entryPoints: files.filter(isSource),
    outbase: root,
    outdir: target,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    sourcemap: true,
    logLevel: 'warning',
    plugins: [keepImports],
  });
  for (const path of files.filter((path) => !isSource(path))) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    copyFileSync(join(root, path), join(target, path));
  }
}

/** Each file stays one: what it imports is left as it is, but for the ending. */
const keepImports: Plugin = {
  name: 'keep-imports',
  setup({ onResolve }) {
    onResolve({ filter: /.*/ }, ({ path, kind }) => {
      if (kind === 'entry-point') return undefined;
      const isOwn = path.startsWith('.') && path.endsWith('.ts');
      return { path: isOwn ? path.replace(/\.ts$/, '.js') : path, external: true };
    });
  },
};
