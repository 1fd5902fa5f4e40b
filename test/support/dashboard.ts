import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { isDashboardCurrent } from '../../scripts/build-dashboard.ts';

const SCRIPT = fileURLToPath(new URL('../../scripts/build-dashboard.ts', import.meta.url));

/** Builds the dashboard once for its present sources, in a Node of its own: Vite does not run within jest. */
export function buildDashboard(): void {
  if (isDashboardCurrent()) return;
  execFileSync(process.execPath, [SCRIPT], { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** Any page that is not the one to be tested, since a page is made anew only when another was there before. */
const ELSEWHERE = '/gateway';

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
  await page.evaluate(
    `(async () => {
      await __TSR_ROUTER__.navigate({ href: ${JSON.stringify(ELSEWHERE)} });
      __TSR_ROUTER__.options.context.queryClient.clear();
      await __TSR_ROUTER__.navigate({ href: ${JSON.stringify(address)} });
    })()`,
  );
}

const HAS_ROUTER = "typeof __TSR_ROUTER__ !== 'undefined' && document.querySelector('nav') !== null";
