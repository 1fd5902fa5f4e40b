import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** No package gets to run anything of its own while it is installed. */
const SETTINGS = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
const ROOT = resolve(import.meta.dirname, '..');

/**
 * Installs a folder that has a package.json of its own outside the root's install (decision 0016), unless what its
 * lock file names is there already. Throws when npm fails.
 */
export function installPackage(folder: string): void {
  const lock = readFileSync(join(ROOT, folder, 'package-lock.json'));
  const digest = createHash('sha256').update(lock).digest('hex');
  // `npm ci` removes node_modules first, so this file never outlives the packages that it tells of.
  const stamp = join(ROOT, folder, 'node_modules/.installed-lock');
  if (readIfThere(stamp) === digest) return;
  console.error(`Installing the packages of ${folder}/, which is needed once for each of its lock files.`);
  const arguments_ = ['ci', '--prefix', join(ROOT, folder), ...SETTINGS];
  // npm's own output goes to standard error: the last line of standard output belongs to the command that installs.
  const { status, error } = spawnSync('npm', arguments_, { cwd: ROOT, stdio: ['ignore', 2, 2] });
  if (status !== 0)
    throw new Error(`npm ci --prefix ${folder} failed: ${error?.message ?? `exit ${status}`}`);
  writeFileSync(stamp, digest);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) installPackage(process.argv[2] ?? '');
