import { spawnSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Debian's headless shell first: the same engine without the windows around it takes half of the processor. */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
];
const PACKAGES = ['chromium-headless-shell', 'chromium'];
const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

export type BrowserSearch = {
  readonly env?: NodeJS.ProcessEnv;
  /** Where to look beside the PATH. */
  readonly places?: readonly string[];
  /** Whether a missing browser may be installed: by default where apt-get is and this is root. */
  readonly mayInstall?: boolean;
};

/** Path of an installed Chromium or Chrome; `CHROMIUM_PATH` wins. Undefined where there is none. */
export function findChromium({ env = process.env, places = PLACES }: BrowserSearch = {}): string | undefined {
  const onPath = (env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return [env.CHROMIUM_PATH ?? '', ...onPath, ...places].find(isExecutable);
}

/**
 * Finds a Chromium or installs Debian's package of its headless shell, or of the whole browser where there is none, which only root can. Throws with the command to run by hand: browser
 * tests are part of the suite and are never skipped.
 */
export function ensureChromium(search: BrowserSearch = {}): string {
  const found = findChromium(search) ?? ((search.mayInstall ?? isDebianRoot()) ? install(search) : undefined);
  if (found !== undefined) return found;
  throw new Error(
    'The browser tests need Chromium or Chrome. Install it (Debian: sudo apt-get install -y chromium; macOS: ' +
      'brew install --cask chromium) or name it with CHROMIUM_PATH=/path/to/chromium, then run npm test again.',
  );
}

function isDebianRoot(): boolean {
  return process.getuid?.() === 0 && isExecutable('/usr/bin/apt-get');
}

function install(search: BrowserSearch): string | undefined {
  console.log('No Chromium found: installing Debian’s package for the browser tests …');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const run = (...args: string[]) =>
    spawnSync('apt-get', args, { stdio: ['ignore', 'inherit', 'inherit'], env }).status === 0;
  run('update', '-qq');
  PACKAGES.some((name) => run('install', '-y', '-qq', '--no-install-recommends', name));
  return findChromium(search);
}

function isExecutable(path: string): boolean {
  if (path === '') return false;
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
