import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe looks at: every rule, or the rules of colours alone. */
type Scope = 'all' | 'colors';

type Finding = { readonly id: string; readonly impact: string | null; readonly nodes: { html: string }[] };

/**
 * What axe finds on the page as it stands that is serious or critical, a line each: rule and elements. It is put in by
 * the debugger, which no content security policy stops.
 */
export async function seriousFindings(page: Page, scope: Scope = 'all'): Promise<string[]> {
  if (await page.evaluate("typeof axe === 'undefined'")) await page.evaluate(SOURCE);
  await finishAnimations(page);
  const runOnly = scope === 'colors' ? ", runOnly: ['color-contrast', 'link-in-text-block']" : '';
  const violations = await page.evaluate<Finding[]>(
    `axe.run(document, { resultTypes: ['violations']${runOnly} }).then(({ violations }) => violations)`,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

/** No colour is still on its way from one scheme to the other. */
async function finishAnimations(page: Page): Promise<void> {
  await page.evaluate(() =>
    Promise.allSettled(
      document
        .getAnimations()
        .filter((each) => each.effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY)
        .map((each) => each.finished),
    ).then(() => undefined),
  );
}

/**
 * What axe finds on the page in both colour schemes: every rule in the light one, and the rules of colours in the dark
 * one, which differs in nothing else. Leaves the page light.
 */
export async function findingsInBothSchemes(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.waitForSelector(`html[data-mantine-color-scheme=${colorScheme}]`);
    const scope = colorScheme === 'light' ? 'all' : 'colors';
    found.push(...(await seriousFindings(page, scope)).map((line) => `${colorScheme}: ${line}`));
  }
  return found;
}
