import { reportStuck } from './reachability.ts';
import { mayReload } from './unsaved.ts';

const SCRIPTS = /<script\b[^<>]*>/g;
const SOURCE = /\bsrc="([^"]*)"/;
/** For this tab: when the page loaded itself again, by build. */
const RELOADED_FOR = 'dashboard-reloaded-for';

const AGAIN_AFTER_MS = 3_600_000;

let isOutdated = false;

/** The name of the first script, which changes with anything that is built. */
function readOwnEntry(): string {
  return document.querySelector('script[type=module][src]')?.getAttribute('src') ?? '';
}

/** The build that the gateway serves now; undefined where it does not say. */
async function readServedEntry(): Promise<string | undefined> {
  const init: RequestInit = { headers: { accept: 'text/html' }, cache: 'no-store' };
  const text = await fetch('/', init).then(
    (response) => (response.ok ? response.text() : ''),
    () => '',
  );
  const entry = text.match(SCRIPTS)?.find((tag) => tag.includes('type="module"'));
  return entry === undefined ? undefined : SOURCE.exec(entry)?.[1];
}

/** Looks whether the gateway serves another build than this page. The next page then comes whole, by the browser. */
export async function lookForNewBuild(): Promise<string | undefined> {
  const served = await readServedEntry();
  if (served === undefined || served === readOwnEntry()) return undefined;
  isOutdated = true;
  return served;
}

/** For the router: whether the next page has to be loaded as a document. True once, so that no fault of it is a loop. */
export function takeOutdated(): boolean {
  const was = isOutdated;
  isOutdated = false;
  return was;
}

/**
 * Loads the page again, once in this tab for each build, and not while something typed or the answer to it would be lost. Else the bar offers it:
 * with two builds behind one address, a page that reloads itself would never end.
 */
export function reloadOnce(build: string, how: 'incomplete' | 'outdated'): void {
  reportStuck(how);
  if (mayReload() && noteReload(build)) location.reload();
}

/** Whether the reload is the first for it in a while, and noted: one that cannot be noted could be repeated for ever. */
function noteReload(build: string): boolean {
  try {
    const noted = JSON.parse(sessionStorage.getItem(RELOADED_FOR) ?? '{}');
    if (Date.now() - (noted[build] ?? 0) < AGAIN_AFTER_MS) return false;
    sessionStorage.setItem(RELOADED_FOR, JSON.stringify({ ...noted, [build]: Date.now() }));
    return true;
  } catch {
    return false;
  }
}
