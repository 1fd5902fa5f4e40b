import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBundle } from '../../src/catalog/loading/builtin-providers.ts';
import { createCatalog } from '../../src/catalog/loading/catalog.ts';
import { computeIntegrity, readCatalogPackage } from '../../src/catalog/taking/catalog-package.ts';
import { compareCatalogs } from '../../src/catalog/taking/compare-catalogs.ts';
import {
  isNewer,
  markTakenCatalog,
  placeTakenCatalog,
  readTakenCatalog,
  removeTakenCatalog,
} from '../../src/catalog/taking/taken-catalog.ts';
import { acme, makeCatalogPackage } from '../support/catalog-package.ts';

const PRIVATE = { allowPrivateNetworks: false };
type Made = Parameters<typeof makeCatalogPackage>[0];

async function readMade(made: Made = {}) {
  const { bytes, integrity } = await makeCatalogPackage(made);
  return readCatalogPackage(bytes, integrity);
}

describe('a package of the catalog', () => {
  it('gives the providers of its files, and a bundle that says the same', async () => {
    const { version, providers, bundle } = await readMade();
    expect(version).toBe('99.0.0');
    expect(providers).toMatchObject([{ id: 'acme', name: 'Acme', auth: 'basic' }]);
    const [bundled] = readBundle(Buffer.from(bundle), PRIVATE);
    expect(bundled?.provider).toEqual(providers[0]);
  });

  it('is refused where its bytes are not those of the integrity', async () => {
    const { bytes } = await makeCatalogPackage();
    const other = await makeCatalogPackage({ version: '99.0.1' });
    await expect(readCatalogPackage(bytes, other.integrity)).rejects.toThrow(
      /another one than the integrity says/,
    );
    await expect(readCatalogPackage(bytes, 'sha256-abc')).rejects.toThrow(/npm view/);
  });

  it('is refused where its format is newer than the gateway reads', async () => {
    await expect(readMade({ format: 2 })).rejects.toThrow(
      'Version 99.0.0 has format 2, and this gateway reads up to 1: update the gateway first.',
    );
  });

  it('is refused where it is another package, or none', async () => {
    await expect(readMade({ name: 'left-pad' })).rejects.toThrow(/is no @integration-gateway\/catalog/);
    const text = Buffer.from('no archive');
    await expect(readCatalogPackage(text, computeIntegrity(text))).rejects.toThrow(/no package of npm/);
  });

  it.each<[string, Made, RegExp]>([
    [
      'a file that is not what the list says',
      { replaced: { 'dist/providers/acme.yaml': acme('evil.example') } },
      /acme\.yaml is not what/,
    ],
    [
      'a field that this gateway does not know',
      { providers: { acme: `${acme()}teleport: true\n` } },
      /acme\.yaml:8: teleport/,
    ],
    ['a host on a private network', { providers: { acme: acme('127.0.0.1') } }, /acme\.yaml/],
    [
      'an id that is not the name of its file',
      { providers: { other: acme() } },
      /must be the name of the file/,
    ],
    [
      'a credential that nothing proves',
      { providers: { acme: acme().replace(/probe.*\n/, '') } },
      /acme\.yaml/,
    ],
  ])('is refused with %s', async (_fault, made, reason) => {
    await expect(readMade(made)).rejects.toThrow(reason);
  });
});

describe('another catalog beside the one in use', () => {
  it('shows new providers, those that it lacks, and hosts that known ones have not had', async () => {
    const current = await readMade({
      providers: { acme: acme(), zed: acme().replaceAll('acme', 'zed').replace('Acme', 'Zed') },
    });
    const next = await readMade({
      providers: {
        acme: acme('api.other.example'),
        new: acme().replaceAll('acme', 'new').replace('Acme', 'New'),
      },
    });
    expect(compareCatalogs(createCatalog(current.providers), next.providers)).toEqual({
      added: ['new'],
      missing: ['zed'],
      newHosts: [{ provider: 'acme', hosts: ['api.other.example'] }],
    });
  });
});

describe('a host that a variable decides', () => {
  const withHost = (variable: string, url = 'https://{host}/v1') =>
    `${acme().replace(/^apiBaseUrl: .*$/m, `apiBaseUrl: ${url}`)}variables: { host: { ${variable} } }\n`;
  const SAFE = `title: Host, description: Of yours, pattern: '[a-z]+\\.acme\\.example'`;

  it.each([
    ['a default', `${SAFE}, default: evil.acme.example`, '{host} = evil.acme.example'],
    [
      'a choice',
      `${SAFE}, options: [{ value: evil.acme.example, title: Evil }]`,
      '{host} = evil.acme.example',
    ],
    ['another form', SAFE.replace('acme', 'evil'), '{host} like [a-z]+\\.evil\\.example'],
    ['another source', `${SAFE}, from: integration`, '{host} from integration host'],
  ])('is one that the provider has not had with %s', async (_what, variable, shown) => {
    const read = async (given: string) =>
      (await readMade({ providers: { acme: withHost(given) } })).providers;
    const current = createCatalog(await read(SAFE));
    expect(compareCatalogs(current, await read(SAFE)).newHosts).toEqual([]);
    expect(compareCatalogs(current, await read(variable)).newHosts).toEqual([
      { provider: 'acme', hosts: [shown] },
    ]);
  });
});

describe('the folder of a taken catalog', () => {
  let directory: string;
  const NOW = { version: '1.0.0', mayTakeSeconds: true };

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'taken-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  async function take(version: string, madeBy = '1.0.0') {
    const { bytes, integrity } = await makeCatalogPackage({ version });
    const read = await readCatalogPackage(bytes, integrity);
    await placeTakenCatalog(directory, { bytes, integrity, read, madeBy, takenAt: new Date(0) });
  }

  it('gives what was placed last, and keeps nothing else', async () => {
    expect(await readTakenCatalog(directory, NOW)).toBeUndefined();
    await take('1.1.0');
    const first = await markTakenCatalog(directory);
    await take('1.2.0');
    expect(await markTakenCatalog(directory)).not.toBe(first);
    expect(await readTakenCatalog(directory, NOW)).toMatchObject({ version: '1.2.0' });
    expect(await readdir(directory)).toHaveLength(3);
    expect(await removeTakenCatalog(directory)).toBe(true);
    expect(await removeTakenCatalog(directory)).toBe(false);
    expect(await readTakenCatalog(directory, NOW)).toBeUndefined();
  });

  it('gives none that is older than the catalog that is built in', async () => {
    await take('1.1.0');
    expect(await readTakenCatalog(directory, { ...NOW, version: '1.1.0' })).toBeUndefined();
    expect(isNewer('1.0.0-rc.2', '1.0.0-rc.1')).toBe(true);
    expect(isNewer('1.0.0-rc.2', '1.0.0')).toBe(false);
  });

  it('gives one that another version of the gateway took, made anew of its package', async () => {
    await take('1.1.0', '0.9.0');
    const made = await readTakenCatalog(directory, NOW);
    expect(readBundle(made?.bundle ?? Buffer.from(''), PRIVATE).map(({ id }) => id)).toEqual(['acme']);
    await expect(readTakenCatalog(directory, { ...NOW, mayTakeSeconds: false })).rejects.toThrow(
      /version 0\.9\.0 took it/,
    );
  });

  it('is not trusted where a file is damaged', async () => {
    await take('1.1.0');
    const [bundle = ''] = (await readdir(directory)).filter(
      (name) => name.startsWith('catalog-') && name.endsWith('.json'),
    );
    await writeFile(
      join(directory, bundle),
      (await readFile(join(directory, bundle), 'utf8')).replace('acme.example', 'evil.example'),
    );
    await expect(readTakenCatalog(directory, NOW)).rejects.toThrow(/is damaged/);
  });
});
