import { providerFromFile } from '../../src/catalog/loading/provider-from-file.ts';
import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import { resolveApiHosts } from '../../src/credentials/calling/api-hosts.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';

const FACTS = {
  id: 'acme',
  name: 'Acme',
  auth: 'oauth2-client-credentials',
  tokenUrl: 'https://acme.example/token',
  apiBaseUrl: 'https://api.acme.example',
};

function load(more: object) {
  return providerFromFile({ ...FACTS, ...more }, { allowPrivateNetworks: false });
}

function providerWith(more: object): Provider {
  const loaded = load(more);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  return loaded.provider;
}

const host = (url: string) => ({ hosts: { files: { url, serves: 'Files' } } });

describe('the further hosts of a connection', () => {
  it('are none where the file names none', () => {
    expect(resolveApiHosts(providerWith({}), {})).toBeUndefined();
  });

  it('have the base path and port of their address, filled once', () => {
    const provider = providerWith({
      ...host('https://{shop}.acme.example:8443/files/'),
      variables: { shop: {} },
    });
    const hosts = resolveApiHosts(provider, { shop: 'blue' });
    const found = hosts?.find('files');
    const base = { origin: 'https://blue.acme.example:8443', port: 8443, basePath: '/files' };
    expect(found).toMatchObject({ ok: true, base });
    expect(found?.ok && hosts?.find('files')).toMatchObject({ base: found?.ok && found.base });
  });

  it('say which variable is missing or not allowed', () => {
    const provider = providerWith({ ...host('https://{shop}.acme.example'), variables: { shop: {} } });
    for (const values of [{}, { shop: 'evil.example/' }]) {
      expect(resolveApiHosts(provider, values)?.find('files')).toMatchObject({
        reason: 'incomplete',
        variable: 'shop',
      });
    }
  });

  it.each(['x', 'toString', '__proto__', ''])('do not include %j', (name) => {
    const hosts = resolveApiHosts(providerWith(host('https://files.acme.example')), {});
    expect(hosts?.find(name)).toEqual({ ok: false, reason: 'unknown' });
  });
});

describe('a provider file with hosts', () => {
  const { hosts } = host('https://{site}');
  const client = { apiHeaders: { 'x-client': '{clientSecret}' } };

  it.each([
    ['an unknown variable', host('https://{site}'), ['hosts', 'files', 'url']],
    ['plain http', host('http://files.acme.example'), ['hosts', 'files', 'url']],
    ['a user name', host('https://a@files.acme.example'), ['hosts', 'files', 'url']],
    [
      'a name in capitals',
      { hosts: { Files: { url: 'https://a.example', serves: 'x' } } },
      ['hosts', 'Files'],
    ],
    [
      'a host that end users choose and that gets the client secret',
      { hosts, ...client, variables: { site: { from: 'user' } } },
      ['variables', 'site'],
    ],
  ])('is refused for %s', (_what, more, path) => {
    expect(load(more)).toMatchObject({ ok: false, faults: [{ path }] });
  });
});

describe('the built-in hosts', () => {
  const catalog = builtInCatalog;
  const cases = catalog
    .list()
    .flatMap(({ id, hosts, apiBaseUrl, variables }) =>
      Object.entries(hosts).map(
        ([name, { url }]) => [`${id}~${name}`, { url, apiBaseUrl, variables }] as const,
      ),
    );

  it('are many', () => {
    expect(cases.length).toBeGreaterThanOrEqual(150);
  });

  it.each(cases)('%s has another address than the API base, on a host that it fixes', (_name, entry) => {
    const { url, apiBaseUrl, variables } = entry;
    expect(url).not.toBe(apiBaseUrl);
    // A whole host is left to a value only where that of the API base is, too, or where the file lists the values.
    const free = variables.filter(
      ({ position, options }) => options === undefined && (position === 'host' || position === 'origin'),
    );
    for (const { name } of free.filter((variable) => url.includes(`{${variable.name}}`))) {
      expect(apiBaseUrl).toContain(`{${name}}`);
    }
  });
});
