import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { ensureChromium } from '../../scripts/find-chromium.ts';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // Pages live for seconds, in which code optimized to its end does not repay the threads that make it.
  '--js-flags=--no-opt',
];

/**
 * A Chromium without a window: Debian's headless shell where there is one, which is cheaper. `npm test` says where they
 * are; a test run by hand looks for the whole browser.
 */
export function startBrowser(moreFlags: readonly string[] = []): Promise<Browser> {
  return launch(process.env.HEADLESS_SHELL_PATH ?? ensureChromium(), moreFlags);
}

/** The whole of Chromium, for what the headless shell lacks, such as Network Error Logging. */
export function startWholeBrowser(moreFlags: readonly string[] = []): Promise<Browser> {
  return launch(ensureChromium(), moreFlags);
}

function launch(executablePath: string, moreFlags: readonly string[]): Promise<Browser> {
  return chromium.launch({ executablePath, args: [...FLAGS, ...moreFlags] });
}

/** A flag for `startBrowser`: hosts of this pattern (`*.tenants.test`) are at the server of the URL, whatever their port. */
export function hostsAt(pattern: string, url: string): string {
  return `--host-resolver-rules=MAP ${pattern} ${new URL(url).host}`;
}

/** A page beside busy programs takes its time: a step that never comes ends a test anyway. */
const STEP_MS_MAX = 120_000;

/** A user's browser of its own, whose pages have as much time as any test. */
export async function openContext(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(STEP_MS_MAX);
  return context;
}

/** The only page of such a browser. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(STEP_MS_MAX);
  return page;
}
