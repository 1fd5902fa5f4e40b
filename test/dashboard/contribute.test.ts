import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { findingsInBothSchemes } from '../support/axe.ts';
import { visit } from '../support/dashboard.ts';
import { type DashboardStage, startDashboardStage } from './dashboard-stage.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FILES = [
  'src/catalog/providers/acme-lists.yaml',
  'test/catalog/contributed/acme-lists.test.ts',
] as const;

let stage: DashboardStage;
let page: Page;
let copy: string;

beforeAll(async () => {
  stage = await startDashboardStage();
  ({ page } = stage);
  copy = copyRepository();
});

afterAll(async () => {
  if (copy !== undefined) rmSync(copy, { recursive: true });
  await stage?.close();
});

/** The folders in which the two files belong, and what is read from there; all else is the repository's own. */
function copyRepository(): string {
  const folder = mkdtempSync(join(tmpdir(), 'contribution-'));
  const link = (path: string) => symlinkSync(join(ROOT, path), join(folder, path));
  const linkOthers = (path: string, but: string) => {
    mkdirSync(join(folder, path), { recursive: true });
    for (const name of readdirSync(join(ROOT, path))) if (name !== but) link(join(path, name));
  };
  linkOthers('src', 'catalog');
  linkOthers('src/catalog', 'providers');
  for (const path of ['src/catalog/providers', 'scripts', 'package.json'])
    cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  link('node_modules');
  return folder;
}

function run(parts: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, parts, { cwd: copy, encoding: 'utf8' });
  return { status, said: `${stdout}${stderr}` };
}

/** The contributed test alone, with the repository's runner and nothing around it. */
function runTest() {
  const config = {
    rootDir: copy,
    testMatch: [join(copy, FILES[1])],
    runner: join(ROOT, 'test/support/jest-runner.mjs'),
    transform: {},
  };
  const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
  return run([jest, '--config', JSON.stringify(config), '--runInBand', '--watchman=false']);
}

async function describeProvider(): Promise<void> {
  await visit(page, `/providers/custom/new?projectId=${stage.project.id}`);
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Acme Lists');
  await page.getByRole('combobox', { name: 'Authorization' }).click();
  await page.getByRole('option', { name: 'API key', exact: true }).click();
  await page.getByLabel('API base URL').fill('https://api.acme.example/v2');
  await page
    .getByLabel('Further fields')
    .fill(
      '{ "probe": { "url": "https://api.acme.example/v2/me?fields=id" }, "apiHeaders": { "Acme-Version": "2026-01" }, "credentialHint": "Under Settings." }',
    );
}

it('a provider that was described goes into the repository as the two files that the form gives', async () => {
  await describeProvider();
  await page.getByRole('button', { name: 'Contribute this provider' }).click();
  const dialog = page.getByRole('dialog');
  // A source that says nothing confirms nothing.
  await dialog.getByRole('textbox', { name: 'Address' }).fill('https://developer.acme.example/keys');
  await dialog.getByRole('button', { name: 'Make the files' }).click();
  await dialog.getByRole('alert').first().waitFor();
  await dialog.getByLabel('the API base URL').check();
  await dialog.getByLabel('where the key or token goes').check();
  await dialog.getByLabel('The provider’s own documentation').check();
  expect(await findingsInBothSchemes(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Make the files' }).click();
  await dialog.getByText('Two files for the repository').waitFor();
  expect(await findingsInBothSchemes(page)).toEqual([]);
  for (const path of FILES) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('link', { name: `Download ${name}` }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(name);
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    await download.saveAs(join(copy, path));
  }
  expect(run(['scripts/check-providers.ts'])).toMatchObject({ status: 0 });
  const first = runTest();
  expect([first.status, first.said]).toEqual([0, expect.stringContaining('1 passed')]);
  expect(stage.takeFaults()).toEqual([]);
});

it('the test fails where a later change of the file would send something else', async () => {
  const file = join(copy, FILES[0]);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('fields=id', 'fields=name'));
  const { status, said } = runTest();
  expect([status, said]).toEqual([1, expect.stringContaining('fields=name')]);
});
