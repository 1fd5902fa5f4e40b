import { spawnSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const HEADLESS_SHELL = 'chromium-headless-shell';
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
  return [env.CHROMIUM_PATH ?? '', ...onPath(NAMES, env), ...places].find(isExecutable);
}

/**
 * Path of Debian's headless shell: Chromium without what is around its pages, which takes half of the processor and
 * reports no network errors. Undefined where there is none, and where `CHROMIUM_PATH` names another browser.
 */
export function findHeadlessShell({ env = process.env }: BrowserSearch = {}): string | undefined {
  return env.CHROMIUM_PATH ? undefined : onPath([HEADLESS_SHELL], env).find(isExecutable);
}

/** What tests find their browsers by. Throws as `ensureChromium` does. */
export function browserEnvironment(): { CHROMIUM_PATH: string; HEADLESS_SHELL_PATH: string } {
  const whole = ensureChromium();
  return { HEADLESS_SHELL_PATH: findHeadlessShell() ?? whole, CHROMIUM_PATH: whole };
}

function onPath(names: readonly string[], env: NodeJS.ProcessEnv): string[] {
  return (env.PATH ?? '').split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
}

/**
 * Finds a Chromium or installs Debian's packages, which only root can. Throws with the command to run by hand: browser
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
  console.log('No Chromium found: installing Debian’s packages for the browser tests …');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const run = (...args: string[]) =>
    spawnSync('apt-get', args, { stdio: ['ignore', 'inherit', 'inherit'], env }).status === 0;
  run('update', '-qq');
  const add = (...names: string[]) => run('install', '-y', '-qq', '--no-install-recommends', ...names);
  if (!add('chromium', HEADLESS_SHELL)) add('chromium');
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
