import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCatalogPackage } from '../../src/catalog/taking/catalog-package.ts';
import { placeTakenCatalog, removeTakenCatalog } from '../../src/catalog/taking/taken-catalog.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { openCatalog } from '../../src/process/catalog-in-use.ts';
import { VERSION } from '../../src/settings/version.ts';
import { acme, makeCatalogPackage } from '../support/catalog-package.ts';

const signal = new AbortController().signal;
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'taken-'));
});
afterEach(() => rm(directory, { recursive: true }));

async function place(version: string, providers: Record<string, string> = { acme: acme() }) {
  const { bytes, integrity } = await makeCatalogPackage({ version, providers });
  const read = await readCatalogPackage(bytes, integrity);
  await placeTakenCatalog(directory, { bytes, integrity, read, madeBy: VERSION, takenAt: new Date() });
}

async function open() {
  const lines: string[] = [];
  const log = createLogger({
    level: 'info',
    destination: { write: (line: string) => void lines.push(line) },
  });
  const settings = { catalogDir: undefined, catalogTakenDir: directory, allowPrivateNetworks: false };
  const { catalog, watchCatalog } = await openCatalog(settings, log);
  let replaced = 0;
  const { run } = watchCatalog(() => {
    replaced += 1;
  });
  return { catalog, lines, look: () => run(signal), countReplaced: () => replaced };
}

describe('a process that runs', () => {
  it('has a catalog that is placed at its next look, beside built-in providers that are not in it', async () => {
    const { catalog, look, countReplaced } = await open();
    await look();
    expect([catalog.find('acme'), countReplaced()]).toEqual([undefined, 0]);
    await place('99.0.0');
    await look();
    await look();
    expect(catalog.find('acme')).toMatchObject({ name: 'Acme' });
    expect(catalog.find('hubspot')).toMatchObject({ name: 'HubSpot' });
    expect(countReplaced()).toBe(1);
    await removeTakenCatalog(directory);
    await look();
    expect([catalog.find('acme'), countReplaced()]).toEqual([undefined, 2]);
  });

  it('goes on with what it has where a catalog is damaged', async () => {
    await place('99.0.0');
    const { catalog, look, countReplaced } = await open();
    await writeFile(join(directory, 'taken.json'), '{}');
    await expect(look()).rejects.toThrow(/damaged/);
    expect(catalog.find('acme')).toBeDefined();
    expect(countReplaced()).toBe(0);
  });
});

describe('a process that starts', () => {
  it('has the catalog that was taken before', async () => {
    await place('99.0.0');
    const { catalog, lines } = await open();
    expect(catalog.find('acme')).toBeDefined();
    expect(lines.join('')).toContain('"version":"99.0.0"');
  });

  it('serves the built-in catalog where the taken one is damaged, and says so', async () => {
    await writeFile(join(directory, 'taken.json'), '{}');
    const { catalog, lines } = await open();
    expect(catalog.find('hubspot')).toBeDefined();
    expect(lines.join('')).toContain('the taken catalog cannot be used');
  });
});
