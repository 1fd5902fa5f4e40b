import { ensureDashboard } from '../../scripts/build-dashboard.ts';
import { DEMO_PASSWORD } from '../demo-crm/hubs.ts';
import { findExample } from './catalog.ts';
import { createCopies } from './copies.ts';
import { startProgram } from './program.ts';
import { startStage } from './stage.ts';

const PORTS = { gateway: 3000, crm: 3001 };
const APP_PORT = 4000;

/** `npm run example -- <name>`: a gateway, a demo CRM and one of the examples, which know each other, until Ctrl-C. */
async function main(): Promise<void> {
  const example = findExample(process.argv[2]);
  const asked = new Promise<void>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => resolve());
  });
  await ensureDashboard();
  const copies = createCopies();
  const stage = await startStage({ ports: PORTS });
  try {
    console.log(`Installing the packages of the example ${example.name} …`);
    const folder = await copies.prepare(example);
    const { url, env } = await stage.place(example, APP_PORT);
    console.log(`Dashboard: ${stage.gatewayUrl}, as ${stage.project.email} with ${stage.project.password}`);
    console.log(`At the demo CRM (${stage.crm.url}) log in as ada@northwind.test with ${DEMO_PASSWORD}.`);
    if (example.kind !== 'terminal') console.log(`The example: ${url}`);
    const program = startProgram(example, folder, env, (text) => process.stdout.write(text));
    process.stdin.on('data', (text) => program.type(text.toString().trimEnd()));
    await Promise.race([asked, program.ended]);
    await program.stop();
  } finally {
    await stage.close();
    copies.remove();
  }
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
