import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PACKAGES, ROOT } from '../../scripts/release/packages.ts';
import { runProgram } from '../../scripts/release/run-program.ts';
import { bundleSdk, readCatalog, readTypes, startPostgres, useModules } from './projects.ts';
import { setUp, takeNewerCatalog, withServer } from './use-server.ts';

/**
 * `npm run test:release`: makes the release in a folder, and uses nothing but what is published there: an empty project installs the
 * packages by their names, `npx` starts the gateway with a Postgres of its own, the client sets it up, and it takes in a newer catalog.
 * Each claim that holds is a line.
 */
const folder = mkdtempSync(join(tmpdir(), 'release-'));
// Started by root, the embedded Postgres runs as another user, which has to reach its files.
chmodSync(folder, 0o711);
const failures: string[] = [];
let passed = 0;
try {
  const released = join(folder, 'released');
  await claim('the steps of a release run to the end, with a folder to publish into', async () => {
    runProgram(process.execPath, [join(ROOT, 'scripts/release/run.ts'), '--to', released], ROOT);
  });
  const registry = await startRegistry(released);
  try {
    const application = makeApplication(registry.url);
    await claim('types are right for Node and for bundlers', async () => readTypes(application));
    await claim('the client runs in ES modules and by require', async () => useModules(application));
    await claim('the SDK is bundled for browsers', () => bundleSdk(application));
    await claim('the catalog is read as data, and its own tests pass', async () => readCatalog(application));
    await claim('the embedded Postgres starts by itself', async () => startPostgres(application));
    await withServer(application, async (url) => {
      await claim('npx starts the server, and the client from its package sets it up', async () =>
        setUp(application, url),
      );
      await claim('the server takes in a newer catalog while it runs', () =>
        takeNewerCatalog(application, folder, url),
      );
    });
  } finally {
    registry.stop();
  }
} catch (error) {
  failures.push(error instanceof Error ? error.message : String(error));
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

/** In a process of its own, since this one waits for npm. */
async function startRegistry(released: string): Promise<{ url: string; stop(): void }> {
  const program = join(import.meta.dirname, 'serve-registry.ts');
  const child = spawn(process.execPath, [program, '--to', released], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  return { url: String(line).trim(), stop: () => child.kill() };
}

/** An empty project; packages of other authors come from where they always do. */
function makeApplication(registry: string): string {
  const application = join(folder, 'application');
  mkdirSync(application);
  chmodSync(application, 0o755);
  copyFileSync(join(ROOT, '.npmrc'), join(application, '.npmrc'));
  const rules = readFileSync(join(application, '.npmrc'), 'utf8');
  writeFileSync(join(application, '.npmrc'), `${rules}\n@integration-gateway:registry=${registry}\n`);
  writeFileSync(join(application, 'package.json'), JSON.stringify({ name: 'application', type: 'module' }));
  // Applications that are compiled for Node have its types; those of React have React's.
  const others = ['@types/node@24', 'react@19', '@types/react@19'];
  const own = PACKAGES.map(({ name }) => `${name}@next`);
  runProgram('npm', ['install', '--loglevel=error', ...others, ...own], application);
  return application;
}
