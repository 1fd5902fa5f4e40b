import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findPort } from '../../examples/demo/ports.ts';
import { packPackage } from '../../scripts/release/pack-package.ts';
import { packServer } from '../../scripts/release/pack-server.ts';
import { judgePackage } from './judge-packages.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const START_MS_MAX = 120_000;

/**
 * `npm run test:release`: packs the server, the Node client and the browser SDK, and uses nothing but the three tarballs: an empty folder
 * installs them, `npx` starts the gateway with a Postgres of its own, the client sets it up, and TypeScript reads the types as Node and as
 * bundlers do. Each claim that holds is a line.
 */
const folder = mkdtempSync(join(tmpdir(), 'release-'));
// Started by root, the embedded Postgres runs as another user, which has to reach its files.
chmodSync(folder, 0o711);
const failures: string[] = [];
let passed = 0;
try {
  const tarballs = {
    server: packPackage(await packServer(), folder),
    node: packPackage(join(ROOT, 'clients/node'), folder),
    sdk: packPackage(join(ROOT, 'src/web/sdk'), folder),
  };
  for (const [name, tarball] of Object.entries(tarballs))
    await claim(`the package of ${name} is as consumers need it`, async () => {
      const faults = await judgePackage(tarball, name !== 'server');
      if (faults.length > 0) throw new Error(faults.join('\n'));
    });
  const application = await makeApplication(Object.values(tarballs));
  await claim('types are right for Node and for bundlers', async () => readTypes(application));
  await claim('npx starts the server, and the client from its package sets it up', () =>
    useServer(application),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const failure of failures) console.error(failure);
console.log(`${passed} passed, ${failures.length} failed`);
process.exit(failures.length === 0 ? 0 : 1);

async function claim(title: string, check: () => Promise<void>): Promise<void> {
  try {
    await check();
    passed += 1;
    console.log(`holds: ${title}`);
  } catch (error) {
    failures.push(`does not hold: ${title}\n${error instanceof Error ? error.message : String(error)}`);
  }
}

async function makeApplication(tarballs: readonly string[]): Promise<string> {
  const application = join(folder, 'application');
  mkdirSync(application);
  chmodSync(application, 0o755);
  copyFileSync(join(ROOT, '.npmrc'), join(application, '.npmrc'));
  writeFileSync(join(application, 'package.json'), JSON.stringify({ name: 'application', type: 'module' }));
  // Applications that are compiled for Node have its types.
  run('npm', ['install', '--loglevel=error', '@types/node@24', ...tarballs], application);
  return application;
}

function readTypes(application: string): void {
  const program = `import { createGatewayClient } from '@integration-gateway/node';
import { createGateway } from '@integration-gateway/sdk';
const gateway = createGatewayClient({ url: 'http://localhost', apiKey: 'key' });
export const listed: Promise<{ integrations: { id: string }[] }> = gateway.get('/integrations');
export const made: object = createGateway;
`;
  writeFileSync(join(application, 'program.ts'), program);
  const compiler = join(ROOT, 'tools/node_modules/.bin/tsc');
  const shared = ['--noEmit', '--strict', '--target', 'es2023', '--lib', 'es2023,dom'];
  for (const [resolution, kind] of [
    ['node16', 'node16'],
    ['bundler', 'esnext'],
  ])
    run(
      compiler,
      [...shared, '--module', String(kind), '--moduleResolution', String(resolution), 'program.ts'],
      application,
    );
}

async function useServer(application: string): Promise<void> {
  const port = await findPort(0);
  const url = `http://localhost:${port}`;
  const env = { ...process.env, PORT: String(port), PUBLIC_URL: url, SETUP_TOKEN: 'a'.repeat(32) };
  const server = spawn('npx', ['integration-gateway'], { cwd: application, env, detached: true });
  let log = '';
  for (const stream of [server.stdout, server.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
  try {
    await untilReady(url, () => log);
    writeFileSync(
      join(application, 'set-up.mjs'),
      `import { createGatewayClient } from '@integration-gateway/node';
const set = await fetch('${url}/v1/setup', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ token: '${env.SETUP_TOKEN}', email: 'ada@example.com', password: 'correct horse battery', projectName: 'Release' }) });
const { apiKey } = await set.json();
const gateway = createGatewayClient({ url: '${url}', apiKey: apiKey.key });
const made = await gateway.post('/integrations', { body: { serviceProvider: 'hubspot', clientId: 'id', clientSecret: 'secret', scopes: ['oauth'] } });
const page = await fetch('${url}/');
console.log(made.serviceProvider, page.status);
`,
    );
    const said = run(process.execPath, ['set-up.mjs'], application);
    if (said.trim() !== 'hubspot 200') throw new Error(`the client said ${said}`);
  } finally {
    if (server.pid !== undefined) process.kill(-server.pid, 'SIGTERM');
    await once(server, 'close');
  }
}

async function untilReady(url: string, readLog: () => string): Promise<void> {
  const end = Date.now() + START_MS_MAX;
  for (;;) {
    const response = await fetch(`${url}/readyz`).catch(() => undefined);
    if (response?.ok) return;
    if (Date.now() > end) throw new Error(`it was not ready in time:\n${readLog().slice(-2_000)}`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

function run(program: string, parts: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, parts, { cwd, encoding: 'utf8' });
  if (status === 0) return stdout;
  throw new Error(`${program} ${parts.join(' ')} failed: ${error?.message ?? ''}${stdout}${stderr}`);
}
