import { ensureDashboard } from '../scripts/build-dashboard.ts';
import { describe } from './demo/gateway-process.ts';
import { type Demo, startDemo } from './demo/start-demo.ts';
import { welcome } from './demo/welcome.ts';

const PORTS = { gateway: 3000, crm: 3001, app: 3002 };

/** `npm run demo`. Exit code 0 when it was asked to stop and all of it did, 1 otherwise. */
async function main(): Promise<void> {
  const asked = untilAskedToStop();
  await ensureDashboard();
  console.log('Starting the demo CRM, the gateway and the sample app …');
  const demo = await startDemo({ ports: PORTS, dataDirectory: process.env.DEMO_DATA_DIR || undefined });
  if (!asked.signal.aborted) console.log(welcome(demo) + movedNotice(demo));
  const end = await Promise.race([asked.stop, demo.gateway.ended]);
  if (end !== undefined) {
    await demo.close();
    throw new Error(`The gateway ended by itself (${describe(end)}).\n${demo.gateway.logs()}`);
  }
  console.log('\nStopping …');
  await stop(demo);
  console.log('Everything is stopped.');
}

/** Which part had to move because its port was taken; empty when none had to. */
function movedNotice({ gatewayUrl, crm, app }: Demo): string {
  const parts = [
    ['the gateway', PORTS.gateway, gatewayUrl],
    ['the demo CRM', PORTS.crm, crm.url],
    ['the sample app', PORTS.app, app.url],
  ] as const;
  return parts
    .filter(([, wanted, url]) => new URL(url).port !== String(wanted))
    .map(([name, wanted, url]) => `  Port ${wanted} is taken: ${name} is on ${new URL(url).port} instead.\n`)
    .join('');
}

/** The first request to stop; later ones change nothing, since stopping is under way. */
function untilAskedToStop(): { signal: AbortSignal; stop: Promise<undefined> } {
  const controller = new AbortController();
  const stop = new Promise<undefined>((resolve) => {
    controller.signal.addEventListener('abort', () => resolve(undefined));
  });
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => controller.abort());
  return { signal: controller.signal, stop };
}

async function stop(demo: Demo): Promise<void> {
  await demo.close();
  const end = await demo.gateway.ended;
  if (end.code !== 0)
    throw new Error(`The gateway did not stop cleanly (${describe(end)}).\n${demo.gateway.logs()}`);
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(`\nThe demo failed. ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  },
);
