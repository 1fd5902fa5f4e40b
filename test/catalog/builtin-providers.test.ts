import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUILT_IN_BUNDLE, builtInProviders } from '../../src/catalog/loading/builtin-providers.ts';
import { loadCatalog } from '../../src/catalog/loading/catalog.ts';
import { writeBundle } from '../../src/catalog/loading/write-bundle.ts';
import { providerFileSchema } from '../../src/catalog/schema/provider.schema.ts';
import { listAuthMethods } from '../../src/catalog/schema/provider-auth-methods.ts';

const FILES = join(import.meta.dirname, '../../src/catalog/providers');

describe('the bundle of built-in providers', () => {
  it.each([false, true])('says what the files say, private networks allowed: %s', (allowPrivateNetworks) => {
    const ofFiles = loadCatalog({ builtInDirectory: FILES, allowPrivateNetworks }).list();
    const bundled = loadCatalog({ allowPrivateNetworks }).list();
    expect(bundled).toEqual(ofFiles);
    expect(bundled.flatMap(listAuthMethods)).toEqual(ofFiles.flatMap(listAuthMethods));
  });

  it('has the defaults that the schema has', () => {
    const { defaults, providers } = JSON.parse(readFileSync(BUILT_IN_BUNDLE, 'utf8'));
    for (const provider of providers)
      expect(providerFileSchema.parse(provider)).toEqual({ ...defaults, ...provider });
  });

  it('gives patterns that let http and local hosts pass only where private networks are allowed', () => {
    const patternOf = (allowPrivateNetworks: boolean) => {
      const gitea = builtInProviders({ allowPrivateNetworks }).find(({ id }) => id === 'gitea')?.provider;
      return (
        gitea?.variables.find(({ position }) => position === 'host' || position === 'origin')?.shape ?? ''
      );
    };
    expect('127.0.0.1:3000').not.toMatch(new RegExp(patternOf(false)));
    expect('127.0.0.1:3000').toMatch(new RegExp(patternOf(true)));
  });
});

describe('a bundle', () => {
  const content = {
    id: 'acme',
    name: 'Acme',
    auth: 'api-key',
    apiBaseUrl: 'https://api.acme.example/bot{apiKey}/v1',
    apiKey: { in: 'path', name: 'bot', template: 'bot{apiKey}' },
    tokenResponse: { expiresIn: 'ttl' },
    sources: ['somewhere'],
    agree: 3,
  };

  it('leaves out what is the default and where facts are from, and is in the order of ids', () => {
    const { defaults, providers } = JSON.parse(writeBundle([{ ...content, id: 'zed' }, content]));
    expect(providers.map(({ id }: { id: string }) => id)).toEqual(['acme', 'zed']);
    expect(Object.keys(providers[0]).sort()).toEqual(
      ['apiBaseUrl', 'apiKey', 'auth', 'id', 'name', 'tokenResponse'].sort(),
    );
    expect(defaults).toMatchObject({ category: 'other', scopeSeparator: ' ', setupSteps: [] });
  });

  it('is not made of a file with a fault', () => {
    expect(() => writeBundle([{ ...content, auth: 'magic' }])).toThrow(/auth/);
  });
});

describe('files of an extra directory', () => {
  const extraDirectory = mkdtempSync(join(tmpdir(), 'extra-providers-'));
  const write = (text: string) => writeFileSync(join(extraDirectory, 'own.yaml'), text);
  const load = () => loadCatalog({ extraDirectory, allowPrivateNetworks: false });

  afterAll(() => rmSync(extraDirectory, { recursive: true }));

  it('take the place of entries of the bundle', () => {
    write('id: hubspot\nname: Our HubSpot\nauth: basic\napiBaseUrl: https://hub.example\n');
    const catalog = load();
    expect(catalog.find('hubspot')).toMatchObject({ name: 'Our HubSpot', auth: 'basic' });
    expect(catalog.list().filter(({ id }) => id === 'hubspot')).toHaveLength(1);
    expect(catalog.find('salesforce')).toBeDefined();
  });

  it('are still checked in full at the start', () => {
    write('id: own\nname: Own\nauth: basic\napiBaseUrl: http://hub.example\n');
    expect(load).toThrow(/own\.yaml:4: apiBaseUrl: must be https/);
  });
});
