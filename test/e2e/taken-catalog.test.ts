import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { loadConfig } from '../../src/config.ts';
import { runOperatorCommand } from '../../src/process/operator-command.ts';
import { acme, makeCatalogPackage } from '../support/catalog-package.ts';
import { callApi, type Gateway, type Project, provision, startGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';

let folder: string;
let gateway: Gateway;
let project: Project;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'taken-'));
  gateway = await startGateway({ env: { CATALOG_TAKEN_DIR: join(folder, 'taken') } });
  project = await provision(gateway);
});
afterAll(async () => {
  await gateway?.stop();
  await rm(folder, { recursive: true });
});

async function operate(...args: string[]): Promise<string> {
  const said: string[] = [];
  await runOperatorCommand(args, () => loadConfig({ ...gateway.env }, '/'), {
    input: Readable.from([]),
    write: (line) => said.push(line),
    print: (line) => said.push(line),
  }).catch((error: Error) => said.push(error.message));
  return said.join('\n');
}

async function take(made: Parameters<typeof makeCatalogPackage>[0], ...more: string[]): Promise<string> {
  const { bytes, integrity } = await makeCatalogPackage(made);
  const from = join(folder, 'catalog.tgz');
  await writeFile(from, bytes);
  return operate('take-catalog', '--from', from, '--integrity', integrity, ...more);
}

async function readHost(): Promise<string | undefined> {
  const { body } = await callApi(gateway.url, 'GET', '/v1/providers/acme', { bearer: project.apiKey });
  return body.apiBaseUrl;
}

it('a gateway that runs takes in a newer catalog, and another one, and its own again', async () => {
  expect(await readHost()).toBeUndefined();
  expect(await take({ version: '99.0.0' })).toMatch(
    /^The catalog 99\.0\.0 is taken: 1 providers, 1 of them new/,
  );
  await until(async () => (await readHost()) === 'https://api.acme.example');

  const moved = { version: '99.0.1', providers: { acme: acme('api.moved.example') } };
  expect(await take(moved)).toMatch(/acme: api\.moved\.example\nNothing was taken/);
  expect(await take(moved, '--accept-hosts')).toMatch(/^The catalog 99\.0\.1 is taken/);
  await until(async () => (await readHost()) === 'https://api.moved.example');

  expect(await operate('take-catalog', '--built-in')).toMatch(/built-in catalog again/);
  await until(async () => (await readHost()) === undefined);
});

it('a catalog that is older than the built-in one is refused', async () => {
  expect(await take({ version: '0.0.1' })).toMatch(/^Version 0\.0\.1 is not newer/);
});
