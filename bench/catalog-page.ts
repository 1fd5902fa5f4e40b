import { parseArgs } from 'node:util';
import { type BrowserContext, type CDPSession, chromium } from 'playwright-core';
import { ensureChromium } from '../scripts/find-chromium.ts';
import { buildDashboard } from '../test/support/dashboard.ts';
import { OPERATOR, provision } from '../test/support/gateway.ts';
import { createDataDir } from '../test/support/gateway-environment.ts';
import { spawnGateway } from '../test/support/spawn-gateway.ts';

/**
 * What the dashboard's catalog costs a browser's main thread on a processor four times slower, until the forty popular
 * providers are on the screen: `node bench/catalog-page.ts [--runs 7] [--slower 4]`. Each run is a browser that has nothing of
 * the page. Counted is the thread's own time on the processor (`timeDomain: threadTicks`), so that other work on the
 * machine counts little; the throttle spends such time too. The page itself tells when they are there: to look from outside
 * costs the thread as much as the page does.
 */
const CATALOG = 'integrations/new';
const POPULAR = 40;
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '7' },
    slower: { type: 'string', default: '4' },
    page: { type: 'string', default: CATALOG },
  },
});
const PARTS = ['TaskDuration', 'ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration'] as const;
type Costs = Readonly<Record<(typeof PARTS)[number], number>> & { readonly nodes: number };

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
    runs.push(await measure(context, address));
    await context.close();
  }
  const median = (part: keyof Costs) =>
    runs.map((run) => run[part]).toSorted((left, right) => left - right)[runs.length >> 1] ?? Number.NaN;
  for (const part of PARTS) console.log(`${part} ${(median(part) * 1000).toFixed(0)} ms`);
  console.log(`nodes ${median('nodes')}, ${values.slower} times slower, median of ${runs.length}`);
} finally {
  await browser.close();
  await gateway.stop();
  await data.remove();
}

async function measure(context: BrowserContext, address: string): Promise<Costs> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await session.send('Emulation.setCPUThrottlingRate', { rate: Number(values.slower) });
  const drawn = Promise.withResolvers<void>();
  await page.exposeFunction('tellDrawn', () => drawn.resolve());
  const [wanted, count] = values.page === CATALOG ? ['main li strong', POPULAR] : ['main h1', 1];
  await page.addInitScript(`(function look() {
    if (document.querySelectorAll('${wanted}').length < ${count}) requestAnimationFrame(look);
    // After the frame that shows them.
    else requestAnimationFrame(() => setTimeout(tellDrawn));
  })()`);
  const before = await readMetrics(session);
  await page.goto(address, { waitUntil: 'commit' });
  await drawn.promise;
  const after = await readMetrics(session);
  const [task, script, layout, style] = PARTS.map((part) => (after[part] ?? 0) - (before[part] ?? 0));
  return {
    ...{ TaskDuration: task ?? 0, ScriptDuration: script ?? 0 },
    ...{ LayoutDuration: layout ?? 0, RecalcStyleDuration: style ?? 0 },
    nodes: after.Nodes ?? 0,
  };
}

async function readMetrics(session: CDPSession): Promise<Readonly<Record<string, number>>> {
  const { metrics } = await session.send('Performance.getMetrics');
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
}
