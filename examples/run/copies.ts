import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { packPackage } from '../../scripts/release/pack-package.ts';
import { type Example, findFolder } from './catalog.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** The packages of this repository that examples name, and where they are packed. */
const OWN_PACKAGES: Readonly<Record<string, string>> = {
  '@integration-gateway/node': join(ROOT, 'clients/node'),
  '@integration-gateway/sdk': join(ROOT, 'src/web/sdk'),
};
/** No package gets to run anything of its own while it is installed, and none of these needs to. */
const SETTINGS = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

export type Copies = {
  /** A copy of the example's folder in which its packages are installed. */
  readonly prepare: (example: Example) => Promise<string>;
  readonly remove: () => void;
};

/**
 * Copies of examples outside of the repository, as a reader makes them. The gateway's own packages come from tarballs that are packed
 * here, whatever version package.json names, so that an example is always tried with this checkout's.
 */
export function createCopies(): Copies {
  const folder = mkdtempSync(join(tmpdir(), 'examples-'));
  const tarballs = new Map<string, string>();

  function packOnce(name: string, directory: string): string {
    const tarball = tarballs.get(name) ?? packPackage(directory, folder);
    tarballs.set(name, tarball);
    return tarball;
  }

  return {
    prepare: async (example) => {
      const copy = join(folder, example.name);
      const isOwn = (path: string) => !/(?:^|\/)(?:node_modules|\.env)(?:\/|$)/.test(path.slice(ROOT.length));
      cpSync(findFolder(example), copy, { recursive: true, filter: isOwn });
      cpSync(join(ROOT, '.npmrc'), join(copy, '.npmrc'));
      if (!existsSync(join(copy, 'package.json'))) return copy;
      const { dependencies } = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8'));
      const own = Object.entries(OWN_PACKAGES).filter(([name]) => name in dependencies);
      const parts = ['install', ...SETTINGS, ...own.map(([name, directory]) => packOnce(name, directory))];
      // Not by a call that holds this process: connections that it keeps would be closed meanwhile.
      await promisify(execFile)('npm', parts, { cwd: copy });
      return copy;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
