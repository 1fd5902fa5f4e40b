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
];

/** A Chromium without a window. `npm test` says where it is; a test run by hand looks for it. */
export function startBrowser(moreFlags: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: ensureChromium(), args: [...FLAGS, ...moreFlags] });
}

/** A flag for `startBrowser`: hosts of this pattern (`*.tenants.test`) are at the server of the URL, whatever their port. */
export function hostsAt(pattern: string, url: string): string {
  return `--host-resolver-rules=MAP ${pattern} ${new URL(url).host}`;
}
