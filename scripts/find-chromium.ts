import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Path of an installed Chromium or Chrome; `CHROMIUM_PATH` wins. Undefined where there is none. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const onPath = (env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return [env.CHROMIUM_PATH ?? '', ...onPath, ...PLACES].find(isExecutable);
}

/**
 * Finds a Chromium or installs Debian's package, which only root can. Throws with the command to run by hand: browser
 * tests are part of the suite and are never skipped.
 */
export function ensureChromium(): string {
  const found = findChromium();
  if (found !== undefined) return found;
  if (process.getuid?.() === 0 && isExecutable('/usr/bin/apt-get')) {
    console.log('No Chromium found: installing Debian’s package for the browser tests …');
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    spawnSync('apt-get', ['update', '-qq'], { stdio: 'inherit', env });
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], {
      stdio: 'inherit',
      env,
    });
    const installed = findChromium();
    if (installed !== undefined) return installed;
  }
  throw new Error(
    'The browser tests need Chromium or Chrome. Install it (Debian: sudo apt-get install -y chromium; macOS: ' +
      'brew install --cask chromium) or name it with CHROMIUM_PATH=/path/to/chromium, then run npm test again.',
  );
}

function isExecutable(path: string): boolean {
  if (path === '') return false;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
