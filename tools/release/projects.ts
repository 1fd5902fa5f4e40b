import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from '../../scripts/release/packages.ts';
import { runProgram } from '../../scripts/release/run-program.ts';

/** New projects of each kind, which have the packages by their names alone. Each function throws where one does not work. */

const PROGRAM = `import { createGatewayClient } from '@integration-gateway/node';
import { createGateway } from '@integration-gateway/sdk';
import { Connections } from '@integration-gateway/sdk/react';
import { startEmbeddedPostgres } from '@integration-gateway/embedded-postgres';
const gateway = createGatewayClient({ url: 'http://localhost', apiKey: 'key' });
export const listed: Promise<{ integrations: { id: string }[] }> = gateway.get('/integrations');
export const made: object = createGateway;
export const shown: object = Connections;
export const start: (options: { dataDir: string; log: Console }) => Promise<{ url: string }> = startEmbeddedPostgres;
`;

export function readTypes(application: string): void {
  writeFileSync(join(application, 'program.ts'), PROGRAM);
  const compiler = join(ROOT, 'tools/node_modules/.bin/tsc');
  const shared = ['--noEmit', '--strict', '--target', 'es2023', '--lib', 'es2023,dom'];
  for (const [resolution, kind] of [
    ['node16', 'node16'],
    ['bundler', 'esnext'],
  ] as const)
    runProgram(
      compiler,
      [...shared, '--module', kind, '--moduleResolution', resolution, 'program.ts'],
      application,
    );
}

const USE = `const gateway = createGatewayClient({ url: 'http://localhost:9', apiKey: 'key' });
console.log(typeof gateway.get, typeof signUserToken);
`;

/** ES modules, and \`require\`, which loads ES modules from Node 22 on. */
export function useModules(application: string): void {
  const names = '{ createGatewayClient, signUserToken }';
  writeFileSync(join(application, 'use.mjs'), `import ${names} from '@integration-gateway/node';\n${USE}`);
  writeFileSync(
    join(application, 'use.cjs'),
    `const ${names} = require('@integration-gateway/node');\n${USE}`,
  );
  for (const file of ['use.mjs', 'use.cjs']) expectOutput(application, [file], 'function function');
}

/** A bundler's output for browsers, which names nothing of Node. */
export async function bundleSdk(application: string): Promise<void> {
  writeFileSync(
    join(application, 'page.js'),
    `import { createGateway } from '@integration-gateway/sdk';
import { Connections } from '@integration-gateway/sdk/react';
globalThis.used = [createGateway, Connections];
`,
  );
  const { outputFiles } = await build({
    absWorkingDir: application,
    entryPoints: ['page.js'],
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'esm',
    external: ['react'],
    logLevel: 'silent',
  });
  const [{ text = '' } = {}] = outputFiles;
  if (text.includes('node:') || !text.includes('used')) throw new Error('The bundle is not for browsers.');
}

export function readCatalog(application: string): void {
  writeFileSync(
    join(application, 'catalog.mjs'),
    `import catalog from '@integration-gateway/catalog/catalog.json' with { type: 'json' };
import schema from '@integration-gateway/catalog/schema.json' with { type: 'json' };
console.log(catalog.format, 'hubspot.yaml' in catalog.providers, 'apiBaseUrl' in schema.properties);
`,
  );
  expectOutput(application, ['catalog.mjs'], '1 true true');
  runProgram('npm', ['test'], join(application, 'node_modules/@integration-gateway/catalog'));
}

export function startPostgres(application: string): void {
  mkdirSync(join(application, 'postgres'), { mode: 0o755 });
  writeFileSync(
    join(application, 'postgres.mjs'),
    `import { startEmbeddedPostgres } from '@integration-gateway/embedded-postgres';
const log = { debug() {}, info() {}, warn() {}, error: console.error };
const postgres = await startEmbeddedPostgres({ dataDir: './postgres', log });
console.log(typeof postgres.pid(), new URL(postgres.url).protocol);
await postgres.stop();
`,
  );
  expectOutput(application, ['postgres.mjs'], 'number postgresql:');
}

function expectOutput(application: string, parts: readonly string[], expected: string): void {
  const said = runProgram(process.execPath, parts, application).trim();
  if (said !== expected) throw new Error(`${parts.join(' ')} wrote: ${said}`);
}
