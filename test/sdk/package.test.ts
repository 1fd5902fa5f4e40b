import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');
const SDK = join(ROOT, 'src/web/sdk');
const KIBIBYTE = 1024;

/** What an application's developer writes; a line that must not compile is marked. */
const APPLICATION = `
import { type Connection, ConnectError, createGateway } from '@integration-gateway/sdk';
import { ConnectButton, GatewayProvider, useConnections } from '@integration-gateway/sdk/react';
import { createElement } from 'react';

const gateway = createGateway({ url: 'https://gateway.test', projectId: 'p', token: async () => 'a.b.c' });
export const begun: Promise<Connection> = gateway.connect('hubspot', { mode: 'redirect' });
export const called: Promise<Response> = gateway.fetch('hubspot', '/crm', { method: 'POST', body: '{}' });
gateway.subscribe(({ type, connectionId }) => [type === 'connection.deleted', connectionId.length]);
export const isDenied = (error: unknown) => error instanceof ConnectError && error.code === 'access_denied';
export const page = createElement(GatewayProvider, { gateway }, createElement(ConnectButton, { provider: 'hubspot' }));
export const useFirst = () => useConnections().connections[0]?.accountName;
// @ts-expect-error no project
createGateway({ url: 'https://gateway.test', token: 'a.b.c' });
// @ts-expect-error no such mode
void gateway.connect('hubspot', { mode: 'frame' });
// @ts-expect-error no such code
export const isOdd = (error: ConnectError) => error.code === 'odd';
`;

const settings = (module: string) => ({
  compilerOptions: {
    module,
    moduleResolution: module === 'nodenext' ? 'nodenext' : 'bundler',
    target: 'es2022',
    lib: ['es2022', 'dom'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    types: [],
  },
  files: ['application.ts'],
});

describe('the SDK', () => {
  it('is less than 6 KB over the wire, as an ES module and as a plain script', async () => {
    for (const name of ['connect.js', 'connect.global.js']) {
      const script = await readFile(join(SDK, 'dist', name));
      expect(gzipSync(script).length).toBeLessThan(6 * KIBIBYTE);
    }
  });

  it('needs neither eval nor other packages', async () => {
    for (const name of ['connect.js', 'connect.global.js']) {
      const script = await readFile(join(SDK, 'dist', name), 'utf8');
      expect(script).not.toMatch(/\beval\(|new Function|\bimport\b|innerHTML|document\.write/);
    }
    expect(JSON.parse(await readFile(join(SDK, 'package.json'), 'utf8'))).not.toHaveProperty('dependencies');
  });

  it('is IntegrationGateway to a page without modules', async () => {
    const global = { result: '' };
    const script = await readFile(join(SDK, 'dist/connect.global.js'), 'utf8');
    runInNewContext(`${script}; result = Object.keys(IntegrationGateway).sort().join()`, global);
    expect(global.result).toBe('ConnectError,GatewayError,createGateway');
  });
});

describe('the package', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gateway-sdk-package-'));
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: SDK });
    const [{ filename }] = JSON.parse(stdout);
    const installed = join(folder, 'node_modules/@integration-gateway/sdk');
    await mkdir(installed, { recursive: true });
    await run('tar', ['-xzf', join(folder, filename), '-C', installed, '--strip-components=1']);
    for (const name of ['react', '@types'])
      await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await writeFile(join(folder, 'application.ts'), APPLICATION);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(['nodenext', 'esnext'])('has types that an application can rely on, with %s', async (module) => {
    const file = join(folder, `tsconfig.${module}.json`);
    await writeFile(file, JSON.stringify(settings(module)));
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    const { stdout } = await run(process.execPath, [compiler, '-p', file]).catch((error) => error);
    expect(stdout).toBe('');
  });

  it('can be loaded where there is no browser, and keeps no process alive', async () => {
    const program = `
import { createGateway } from '@integration-gateway/sdk';
import { useConnections } from '@integration-gateway/sdk/react';
const gateway = createGateway({ url: 'https://gateway.test', projectId: 'p', token: 'a.b.c' });
gateway.subscribe(() => {});
console.log(typeof useConnections, await gateway.completeRedirect());`;
    await writeFile(join(folder, 'server.mjs'), program);
    const { stdout } = await run(process.execPath, ['server.mjs'], { cwd: folder });
    expect(stdout.trim()).toBe('function undefined');
  });
});
