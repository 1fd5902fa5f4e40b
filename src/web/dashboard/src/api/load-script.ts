import { lookForNewBuild, reloadOnce } from './build.ts';
import {
  answers,
  hasAnsweredLately,
  reportReachable,
  reportStuck,
  reportUnreachable,
  untilReachable,
} from './reachability.ts';

const PAUSE_MS = 2_000;
const PAUSE_MS_MAX = 30_000;
const FAILURES_BEFORE_RELOAD = 2;

/** Of Chromium, Firefox and Safari in this order, then what Vite says of a style sheet. */
const MISSING =
  /^(Failed to fetch dynamically imported|error loading dynamically imported|Importing a module script failed|Unable to preload CSS)/;

/**
 * Runs an `import()`, again and again until its script is there: offline, while the gateway restarts, and where a proxy
 * lost one file. After an upgrade the page is loaded again instead. Rejects only for faults of the script itself.
 */
export async function loadScript<M>(load: () => Promise<M>): Promise<M> {
  for (let failures = 0; ; failures += 1) {
    try {
      if (failures > 0) await loadMissingStyles();
      await untilAnswered();
      const loaded = await load();
      if (failures > 0) reportReachable();
      return loaded;
    } catch (error) {
      if (!(error instanceof Error && MISSING.test(error.message))) throw error;
      await untilWorthTrying(failures + 1);
    }
  }
}

/**
 * Waits until the gateway answers. Browsers keep a script that failed as failed for as long as the page is there (Chromium
 * 143 does), so none may be asked for while it cannot be had.
 */
async function untilAnswered(): Promise<void> {
  if (hasAnsweredLately() || (await answers())) return;
  reportUnreachable();
  await untilReachable();
}

/** Style sheets that could not be had. The element alone does not tell: one that is on its way has no sheet either. */
const missing = new Set<HTMLLinkElement>();

/** Waits for the style sheets of the document where one could not be had. Called once, before any other is asked for. */
export function loadStyles(): Promise<void> {
  // Scripts of the document run when its style sheets have come or failed.
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]'))
    if (link.sheet === null) missing.add(link);
  const noteFailure = ({ target }: Event) => {
    if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') missing.add(target);
  };
  addEventListener('error', noteFailure, true);
  return loadScript(loadMissingStyles);
}

async function untilWorthTrying(failures: number): Promise<void> {
  await untilAnswered();
  const build = await lookForNewBuild();
  if (build !== undefined) reloadOnce(build, 'outdated');
  else if (failures >= FAILURES_BEFORE_RELOAD) reloadOnce('incomplete', 'incomplete');
  else reportStuck('incomplete');
  await new Promise((resolve) => setTimeout(resolve, Math.min(PAUSE_MS * failures, PAUSE_MS_MAX)));
}

/** Vite asks for a style sheet once, and takes it for loaded the next time. */
async function loadMissingStyles(): Promise<void> {
  await Promise.all([...missing].map(loadStylesAgain));
}

function loadStylesAgain(failed: HTMLLinkElement): Promise<void> {
  missing.delete(failed);
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.crossOrigin = '';
  link.href = failed.href;
  link.nonce = failed.nonce;
  failed.replaceWith(link);
  return new Promise((resolve, reject) => {
    link.addEventListener('load', () => resolve());
    link.addEventListener('error', () => reject(new Error(`Unable to preload CSS for ${link.href}`)));
  });
}
