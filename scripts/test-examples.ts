import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { EXAMPLES, type Example } from '../examples/run/catalog.ts';
import { createCopies } from '../examples/run/copies.ts';
import { startProgram, untilAnswers } from '../examples/run/program.ts';
import { type Stage, startStage } from '../examples/run/stage.ts';
import { walkAgent, walkModel } from '../test/examples/apps/walk-agent.ts';
import { walkMobile } from '../test/examples/apps/walk-mobile.ts';
import { walkPage } from '../test/examples/apps/walk-page.ts';
import { startBrowser } from '../test/support/browser.ts';
import { ensureDashboard } from './build-dashboard.ts';
import { exitWith, printCounts } from './run-jest.ts';

/**
 * `npm run test:examples [-- name…]`: copies each application below examples/apps, installs it as its reader would, starts it by its one
 * command beside a gateway and a demo CRM, and does its main job in a browser. It says which ones it could not run, and the Debian
 * packages that they need. An example that is named must run.
 */
exitWith(async () => {
  const named = process.argv.slice(2);
  const counts = { passed: 0, failed: 0 };
  await ensureDashboard();
  const copies = createCopies();
  const [stage, browser] = await Promise.all([startStage({ ports: { gateway: 0, crm: 0 } }), startBrowser()]);
  try {
    for (const example of EXAMPLES) {
      if (named.length > 0 && !named.includes(example.name)) continue;
      if (!hasToolchain(example)) {
        console.log(`${example.name}: not run, needs ${example.toolchain?.packages}`);
        if (named.includes(example.name)) counts.failed += 1;
        continue;
      }
      const startedMs = Date.now();
      const fault = await tryExample(example, { stage, browser, prepare: copies.prepare });
      const took = `${Math.round((Date.now() - startedMs) / 1000)} s`;
      console.log(
        fault === undefined ? `holds: ${example.name} (${took})` : `failed: ${example.name}\n${fault}`,
      );
      if (fault === undefined) counts.passed += 1;
      else counts.failed += 1;
    }
  } finally {
    await browser.close();
    await stage.close();
    copies.remove();
  }
  printCounts(counts);
  return counts.failed === 0 ? 0 : 1;
});

function hasToolchain({ toolchain }: Example): boolean {
  if (toolchain === undefined) return true;
  const [command = '', ...parts] = toolchain.probe;
  return spawnSync(command, parts).status === 0;
}

type Tools = {
  readonly stage: Stage;
  readonly browser: Browser;
  readonly prepare: (example: Example) => Promise<string>;
};

/** What did not hold, with what the program wrote; undefined where everything did. */
async function tryExample(example: Example, { stage, browser, prepare }: Tools): Promise<string | undefined> {
  let logs = () => '';
  try {
    const folder = await prepare(example);
    const placed = await stage.place(example, 0);
    const program = startProgram(example, folder, placed.env);
    logs = program.logs;
    try {
      if (example.kind !== 'terminal') await untilAnswers(placed.url, program);
      if (example.kind === 'page') await walkPage({ browser, ...placed });
      if (example.kind === 'link') await walkMobile({ browser, folder, ...placed });
      if (example.kind === 'terminal') {
        await walkAgent({ browser, program });
        await walkModel({ folder, env: placed.env });
      }
      await program.stop();
      await judgeUnsigned(example, folder, placed);
    } finally {
      await program.stop();
      await placed.remove();
    }
    return undefined;
  } catch (error) {
    return `${error instanceof Error ? error.stack : String(error)}\n${logs().slice(-4_000)}`;
  }
}

/** Whoever forgot the secrets has an application that does not start, or serves nobody: with an empty key any caller could sign. */
async function judgeUnsigned(
  example: Example,
  folder: string,
  { url, env }: { readonly url: string; readonly env: Readonly<Record<string, string>> },
): Promise<void> {
  if (!Object.hasOwn(env, 'SESSION_SECRET')) return;
  for (const name of ['SESSION_SECRET', 'EVENT_SECRET']) {
    const program = startProgram(example, folder, { ...env, [name]: '' });
    try {
      const answers = untilAnswers(url, program).then(
        async () => [await fetch(url), await postEvent(url)].map(({ status }) => status),
        () => undefined,
      );
      const statuses = await Promise.race([answers, program.ended.then(() => undefined)]);
      const isHarmless = statuses === undefined || statuses[name === 'SESSION_SECRET' ? 0 : 1] === 500;
      if (!isHarmless) throw new Error(`Without ${name} it answered ${statuses?.join(' and ')}`);
    } finally {
      await program.stop();
    }
  }
}

/** An event that is signed with an empty key. */
function postEvent(url: string): Promise<Response> {
  const body = JSON.stringify({ id: 'forged', userId: 'user-ada', type: 'forged' });
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', '').update(`forged.${timestamp}.${body}`).digest('base64');
  const headers = {
    ...{ 'content-type': 'application/json', 'webhook-id': 'forged' },
    ...{ 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` },
  };
  return fetch(`${url}/events`, { method: 'POST', headers, body });
}
