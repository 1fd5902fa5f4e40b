import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

/** Where Debian's package is unpacked to: nothing of it is installed, and no server is started. */
const CACHE = resolve(import.meta.dirname, '../node_modules/.cache/promtool');

/**
 * Path of Prometheus' `promtool`: on the PATH, or of Debian's package, which is fetched once. Throws with the command to
 * run by hand: the rules are checked by every run of the tests.
 */
export function ensurePromtool(): string {
  const found = findPromtool() ?? unpackPackage();
  if (found !== undefined) return found;
  throw new Error(
    'The rules for Prometheus are checked with promtool. Install it (Debian: sudo apt-get install -y prometheus; macOS: ' +
      'brew install prometheus), then run npm test again.',
  );
}

function findPromtool(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const paths = [...folders.map((folder) => join(folder, 'promtool')), join(CACHE, 'usr/bin/promtool')];
  return paths.find((path) => spawnSync(path, ['--version']).status === 0);
}

function unpackPackage(): string | undefined {
  if (!existsSync('/usr/bin/apt-get')) return undefined;
  console.log('No promtool found: fetching Debian’s package for the check of the rules …');
  rmSync(CACHE, { recursive: true, force: true });
  mkdirSync(CACHE, { recursive: true });
  const run = (command: string, ...args: string[]) =>
    spawnSync(command, args, { cwd: CACHE, stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
  if (process.getuid?.() === 0) run('apt-get', 'update', '-qq');
  if (!run('apt-get', 'download', '-qq', 'prometheus')) return undefined;
  const file = readdirSync(CACHE).find((name) => name.endsWith('.deb'));
  if (file === undefined || !run('dpkg-deb', '-x', file, '.')) return undefined;
  rmSync(join(CACHE, file));
  return findPromtool();
}
