import { type Browser, chromium } from 'playwright-core';
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
