import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Gateway, type Project, provision, startGateway } from '../support/gateway.ts';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');
const CLIENT = join(ROOT, 'clients/node');

/** What a backend's developer writes; a line that must not compile is marked. */
const APPLICATION = `
import { type Connection, createGatewayClient, GatewayError, signUserToken } from '@integration-gateway/node';

const gateway = createGatewayClient({ url: 'https://gateway.test', apiKey: 'igk_' });
export const one: Connection = await gateway.get('/connections/{id}', { path: { id: 'c' } });
export const { headers, body: { redirectUrl } } = await gateway.request('post', '/integrations', {
  body: { serviceProvider: 'hubspot', clientId: 'id', clientSecret: 'secret', scopes: ['oauth'] },
});
const path = { projectId: 'p' };
for await (const { userId } of gateway.listAll('/projects/{projectId}/connections', { path, query: { limit: 9 } })) userId.at(0);
for await (const { auth } of gateway.listAll('/providers')) auth.at(0);
export const { token }: { token: string } = await gateway.userTokens.create({ userId: 'u' });
export const signed: string = signUserToken({ privateKey: 'pem', keyId: 'k', projectId: 'p', userId: 'u' });
export const isGone = (error: unknown) => error instanceof GatewayError && error.status === 404;
// @ts-expect-error no such path
await gateway.get('/connection');
// @ts-expect-error no such method there
await gateway.patch('/connections', {});
// @ts-expect-error no id
await gateway.get('/connections/{id}');
// @ts-expect-error no such member
await gateway.post('/user-tokens', { body: { user: 'u' } });
// @ts-expect-error no list
gateway.listAll('/connections/{id}', { path: { id: 'c' } });
// @ts-expect-error no such field
one.nothing;
`;

const PROGRAM = `
import { createGatewayClient } from '@integration-gateway/node';
const { GATEWAY, KEY } = process.env;
const asBackend = createGatewayClient({ url: GATEWAY, apiKey: KEY });
const { token } = await asBackend.userTokens.create({ userId: 'user-1' });
const asUser = createGatewayClient({ url: GATEWAY, apiKey: token });
console.log(JSON.stringify(await asUser.get('/connections')));
`;

const settings = (module: string) => ({
  compilerOptions: {
    module,
    moduleResolution: module === 'nodenext' ? 'nodenext' : 'bundler',
    target: 'es2022',
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    types: ['node'],
  },
  files: ['application.ts'],
});

describe('the packed Node client', () => {
  let folder: string;
  let gateway: Gateway;
  let project: Project;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gateway-node-client-'));
    const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: CLIENT });
    const tarball = stdout.trim().split('\n').at(-1) ?? '';
    await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
    await run('npm', ['install', '--offline', '--no-audit', `./${tarball}`], { cwd: folder });
    await symlink(join(ROOT, 'node_modules/@types'), join(folder, 'node_modules/@types'));
    await writeFile(join(folder, 'application.ts'), APPLICATION);
    await writeFile(join(folder, 'program.js'), PROGRAM);
    gateway = await startGateway();
    project = await provision(gateway);
  });

  afterAll(async () => {
    await gateway.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('is installed without a network, with nothing beside it', async () => {
    const installed = await readdir(join(folder, 'node_modules'));
    expect(installed.filter((name) => !name.startsWith('.')).toSorted()).toEqual([
      '@integration-gateway',
      '@types',
    ]);
  });

  it('talks to a gateway', async () => {
    const env = { ...process.env, GATEWAY: gateway.url, KEY: project.apiKey };
    const { stdout } = await run(process.execPath, ['program.js'], { cwd: folder, env });
    expect(JSON.parse(stdout)).toEqual({ connections: [], nextCursor: null });
  });

  it.each(['nodenext', 'esnext'])('has types that a backend can rely on, with %s', async (module) => {
    const file = join(folder, `tsconfig.${module}.json`);
    await writeFile(file, JSON.stringify(settings(module)));
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    const { stdout } = await run(process.execPath, [compiler, '-p', file]).catch((error) => error);
    expect(stdout).toBe('');
  });
});
