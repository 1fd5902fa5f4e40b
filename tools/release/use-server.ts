import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findPort } from '../../examples/demo/ports.ts';
import { runProgram } from '../../scripts/release/run-program.ts';
import { NEW_PROVIDER, packNewerCatalog } from './newer-catalog.ts';

const START_MS_MAX = 120_000;
const SETUP_TOKEN = 'a'.repeat(32);

/** \`npx\` of the server's package, until \`work\` is done. */
export async function withServer(application: string, work: (url: string) => Promise<void>): Promise<void> {
  const port = await findPort(0);
  const url = `http://localhost:${port}`;
  const env = { ...process.env, PORT: String(port), PUBLIC_URL: url, SETUP_TOKEN };
  const server = spawn('npx', ['integration-gateway'], { cwd: application, env, detached: true });
  let log = '';
  for (const stream of [server.stdout, server.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
  let isClosed = false;
  const closed = once(server, 'close').then(() => {
    isClosed = true;
  });
  try {
    await waitFor(
      async () => isClosed || (await fetch(`${url}/readyz`)).ok,
      () => log,
    );
    if (isClosed)
      throw new Error(`the server ended:
${log.slice(-2_000)}`);
    await work(url);
  } finally {
    if (server.pid !== undefined && !isClosed) process.kill(-server.pid, 'SIGTERM');
    await closed;
  }
}

export function setUp(application: string, url: string): void {
  writeFileSync(
    join(application, 'set-up.mjs'),
    `import { createGatewayClient } from '@integration-gateway/node';
const set = await fetch('${url}/v1/setup', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ token: '${SETUP_TOKEN}', email: 'ada@example.com', password: 'correct horse battery', projectName: 'Release' }) });
const { apiKey } = await set.json();
const gateway = createGatewayClient({ url: '${url}', apiKey: apiKey.key });
const made = await gateway.post('/integrations', { body: { serviceProvider: 'hubspot', clientId: 'id', clientSecret: 'secret', scopes: ['oauth'] } });
const page = await fetch('${url}/');
console.log(made.serviceProvider, page.status);
`,
  );
  const said = runProgram(process.execPath, ['set-up.mjs'], application);
  if (said.trim() !== 'hubspot 200') throw new Error(`the client said ${said}`);
}

/** The server goes on running, and has a provider more. */
export async function takeNewerCatalog(application: string, folder: string, url: string): Promise<void> {
  const isThere = async () => (await fetch(`${url}/logos/${NEW_PROVIDER}.svg`)).ok;
  if (await isThere()) throw new Error('the provider was there before');
  const installed = join(application, 'node_modules/@integration-gateway/catalog');
  const { file, integrity } = packNewerCatalog(installed, folder);
  const parts = ['integration-gateway-operator', 'take-catalog', '--from', file, '--integrity', integrity];
  runProgram('npx', parts, application);
  await waitFor(isThere, () => 'the provider did not come');
}

async function waitFor(isSo: () => Promise<boolean>, explain: () => string): Promise<void> {
  const end = Date.now() + START_MS_MAX;
  for (;;) {
    if (await isSo().catch(() => false)) return;
    if (Date.now() > end) throw new Error(`it was not so in time:\n${explain().slice(-2_000)}`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
