import { parseArgs } from 'node:util';
import { type BrowserContext, type CDPSession, chromium } from 'playwright-core';
import { ensureChromium } from '../scripts/find-chromium.ts';
import { buildDashboard } from '../test/support/dashboard.ts';
import { OPERATOR, provision } from '../test/support/gateway.ts';
import { createDataDir } from '../test/support/gateway-environment.ts';
import { spawnGateway } from '../test/support/spawn-gateway.ts';

/**
 * What the dashboard's catalog costs a browser's main thread on a processor four times slower, until the forty popular
 * providers are on the screen: `node bench/catalog-page.ts [--runs 7] [--slower 4] [--warm]`. Each run is a browser that has
 * nothing of the page, or with `--warm` one that has shown it three times. Counted is the thread's own time on the
 * processor (`timeDomain: threadTicks`), so that other work on the machine counts little; the throttle spends such time
 * too. Beside it stands the time from the navigation on. The page itself tells when they are there: to look from outside,
 * or with every frame, costs the thread as much as the page does.
 */
const CATALOG = 'integrations/new';
const POPULAR = 40;
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '7' },
    slower: { type: 'string', default: '4' },
    page: { type: 'string', default: CATALOG },
    warm: { type: 'boolean', default: false },
  },
});
const PARTS = ['TaskDuration', 'ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration'] as const;
type Costs = Readonly<Record<(typeof PARTS)[number], number>> & {
  readonly nodes: number;
  /** From the navigation to the frame that shows them. */
  readonly elapsedMs: number;
};
/** Chromium compiles at the first, keeps what it compiled at the second, and takes that at the third. */
const VISITS_BEFORE = values.warm ? 3 : 0;
const [WANTED, COUNT] = values.page === CATALOG ? ['main li strong', POPULAR] : ['main h1', 1];
const TELL_WHEN_DRAWN = `new MutationObserver((changes, observer) => {
  if (document.querySelectorAll('${WANTED}').length < ${COUNT}) return;
  observer.disconnect();
  // After the frame that shows them.
  requestAnimationFrame(() => setTimeout(() => tellDrawn(performance.now())));
}).observe(document, { childList: true, subtree: true })`;

buildDashboard();
const data = await createDataDir();
const gateway = await spawnGateway({ dataDir: data.path });
const project = await provision(gateway);
const browser = await chromium.launch({
  executablePath: process.env.HEADLESS_SHELL_PATH ?? ensureChromium(),
  args: ['--headless', '--no-sandbox', '--disable-gpu'],
});
try {
  const signedIn = await browser.newContext({ baseURL: gateway.url });
  const { email, password } = OPERATOR;
  const headers = { origin: gateway.url };
  await signedIn.request.post('/v1/sessions', { data: { email, password }, headers });
  const storageState = await signedIn.storageState();
  const address = `/p/${project.id}/${values.page}`;
  const runs: Costs[] = [];
  for (let run = 0; run < Number(values.runs); run += 1) {
    const context = await browser.newContext({ storageState, baseURL: gateway.url });
    for (let visit = 0; visit < VISITS_BEFORE; visit += 1) await visitBefore(context, address);
    runs.push(await measure(context, address));
    await context.close();
  }
  const median = (part: keyof Costs) =>
    runs.map((run) => run[part]).toSorted((left, right) => left - right)[runs.length >> 1] ?? Number.NaN;
  for (const part of PARTS) console.log(`${part} ${(median(part) * 1000).toFixed(0)} ms`);
  console.log(`drawn after ${median('elapsedMs').toFixed(0)} ms`);
  console.log(
    `${values.warm ? 'warm' : 'cold'}, nodes ${median('nodes')}, ${values.slower} times slower, median of ${runs.length}`,
  );
} finally {
  await browser.close();
  await gateway.stop();
  await data.remove();
}

async function visitBefore(context: BrowserContext, address: string): Promise<void> {
  const page = await context.newPage();
  await page.goto(address, { waitUntil: 'networkidle' });
  await page
    .locator(WANTED)
    .nth(COUNT - 1)
    .waitFor();
  await page.close();
}

async function measure(context: BrowserContext, address: string): Promise<Costs> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await session.send('Emulation.setCPUThrottlingRate', { rate: Number(values.slower) });
  const drawn = Promise.withResolvers<number>();
  await page.exposeFunction('tellDrawn', drawn.resolve);
  await page.addInitScript(TELL_WHEN_DRAWN);
  const before = await readMetrics(session);
  await page.goto(address, { waitUntil: 'commit' });
  const elapsedMs = await drawn.promise;
  const after = await readMetrics(session);
  const [task, script, layout, style] = PARTS.map((part) => (after[part] ?? 0) - (before[part] ?? 0));
  return {
    ...{ TaskDuration: task ?? 0, ScriptDuration: script ?? 0 },
    ...{ LayoutDuration: layout ?? 0, RecalcStyleDuration: style ?? 0 },
    ...{ nodes: after.Nodes ?? 0, elapsedMs },
  };
}

async function readMetrics(session: CDPSession): Promise<Readonly<Record<string, number>>> {
  const { metrics } = await session.send('Performance.getMetrics');
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
}
