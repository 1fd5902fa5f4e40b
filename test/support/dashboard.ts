import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Page, Request, Route } from 'playwright-core';
import { isDashboardCurrent } from '../../scripts/build-dashboard.ts';
import { until } from './until.ts';

const SCRIPT = fileURLToPath(new URL('../../scripts/build-dashboard.ts', import.meta.url));

/** Builds the dashboard once for its present sources, in a Node of its own: Vite does not run within jest. */
export function buildDashboard(): void {
  if (isDashboardCurrent()) return;
  execFileSync(process.execPath, [SCRIPT], { stdio: ['ignore', 'ignore', 'pipe'] });
}

/**
 * Adds to `faults` what the browser refuses (Content-Security-Policy, Trusted Types), what the page throws, and what
 * React caught, in whose place the dashboard says that the page has a fault.
 */
export function noteFaults(page: Page, faults: string[]): void {
  page.on('console', (message) => {
    if (/Content.Security|Trusted|React error/i.test(message.text())) faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
}

/** Answers a request of a page as the API does when it fails. */
export function answerWithFault(route: Route, title: string): Promise<void> {
  const body = JSON.stringify({ status: 500, code: 'internal_error', title });
  return route.fulfill({ status: 500, contentType: 'application/problem+json', body });
}

/** These stay open until something happens. */
export const STREAMS = /\/tail$|[?&]wait=/;

/** What pages are made of: scripts, and answers of the API that come to an end. */
export const isPart = (request: Request): boolean =>
  !STREAMS.test(request.url()) && (request.url().includes('/v1/') || request.resourceType() === 'script');

/** The requests of a page that have not ended, of those that are wanted, until `stop`. */
export function watchRequests(page: Page, isWanted: (request: Request) => boolean) {
  const pending = new Set<Request>();
  const begin = (request: Request) => {
    if (isWanted(request)) pending.add(request);
  };
  const end = (request: Request) => pending.delete(request);
  page.on('request', begin).on('requestfinished', end).on('requestfailed', end);
  const stop = () => page.off('request', begin).off('requestfinished', end).off('requestfailed', end);
  return { pending, stop };
}

/** What an answer or a script makes the page ask next, it asks some frames later. */
const UNTIL_RENDERED = `(async () => {
  for (let frames = 0; frames < 10; frames += 1) {
    await new Promise((done) => requestAnimationFrame(done));
    if (document.querySelector('main [aria-busy=true]')) frames = 0;
  }
})()`;

/**
 * Resolves once none of these requests is pending and the page shows what they brought. Unlike Playwright's `networkidle`
 * it comes after each step within a page, and also where a stream stays open or a busy machine leaves no half second.
 */
export async function settle(page: Page, pending: ReadonlySet<unknown>): Promise<void> {
  do {
    await until(() => pending.size === 0);
    await page.evaluate(UNTIL_RENDERED);
  } while (pending.size > 0);
}

/**
 * Opens a page and waits until it has its scripts and all that it asks of the API, however long that takes on a busy
 * machine, where Playwright's `networkidle` comes in a pause.
 */
export async function settled<Result>(page: Page, open: () => Promise<Result>): Promise<Result> {
  const { pending, stop } = watchRequests(page, isPart);
  try {
    const opened = await open();
    await settle(page, pending);
    return opened;
  } finally {
    stop();
  }
}

/** Pages of no project: a page is made again only when another was there before. */
const PLAIN_PAGES = ['/gateway', '/me'] as const;
/** Beyond this the old page counts as replaced, whatever is still there of it. */
const REPLACED_MS_MAX = 5_000;

/**
 * Opens an address of the dashboard. Where the page shows the dashboard already, its router goes there with nothing kept
 * of what the API answered before: the same as loading the address, but for the scripts, which take most of that time.
 */
export async function visit(page: Page, address: string): Promise<void> {
  const isInside = page.url().startsWith('http') && (await page.evaluate(HAS_ROUTER));
  if (!isInside) {
    await page.goto(address);
    return;
  }
  // The router takes an address with an origin for another site, which the browser loads.
  const { pathname, search, hash } = new URL(address, page.url());
  const target = `${pathname}${search}${hash}`;
  const elsewhere = PLAIN_PAGES.find((path) => !target.startsWith(path));
  await page.evaluate(`(async () => {
    const go = async (href) => {
      // The router has gone there before React has replaced the page, on which a test would go on.
      const before = document.querySelector('main > *');
      await __TSR_ROUTER__.navigate({ href, ignoreBlocker: true });
      const endMs = performance.now() + ${REPLACED_MS_MAX};
      while (before?.isConnected && performance.now() < endMs)
        await new Promise((done) => requestAnimationFrame(done));
    };
    if (location.pathname !== ${JSON.stringify(elsewhere)}) await go(${JSON.stringify(elsewhere)});
    __TSR_ROUTER__.options.context.queryClient.clear();
    await go(${JSON.stringify(target)});
  })()`);
}

const HAS_ROUTER = "typeof __TSR_ROUTER__ !== 'undefined' && document.querySelector('nav') !== null";
