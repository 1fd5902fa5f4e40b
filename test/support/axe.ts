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
  const runOnly = scope === 'colors' ? ", runOnly: ['color-contrast', 'link-in-text-block']" : '';
  const violations = await page.evaluate<Finding[]>(
    `axe.run(document, { resultTypes: ['violations']${runOnly} }).then(({ violations }) => violations)`,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}
