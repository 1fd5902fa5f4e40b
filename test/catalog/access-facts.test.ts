import { findAccessKind, readAccessFacts } from '../../src/catalog/facts/access-facts.ts';
import { providerFromFile } from '../../src/catalog/loading/provider-from-file.ts';

const FILE = {
  id: 'acme',
  name: 'Acme',
  auth: 'oauth2',
  authorizationUrl: 'https://acme.example/authorize',
  tokenUrl: 'https://acme.example/token',
  apiBaseUrl: 'https://api.acme.example',
  hosts: {
    eu: { url: 'https://eu.acme.example', serves: 'Accounts in the EU' },
    files: { url: 'https://files.acme.example', serves: 'Files' },
  },
};

function load(fields: object) {
  const loaded = providerFromFile({ ...FILE, ...fields }, { allowPrivateNetworks: false });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  return loaded.provider;
}

function faultsOf(fields: object): string[] {
  const loaded = providerFromFile({ ...FILE, ...fields }, { allowPrivateNetworks: false });
  return loaded.ok ? [] : loaded.faults.map(({ path, reason }) => `${path.join('.')}: ${reason}`);
}

describe('what a file says of its requests', () => {
  it('counts at every host, and a path with the name of a host there alone', () => {
    const provider = load({ reads: ['/search', '~api/query', '~files/list'], writes: ['~eu/purge'] });
    const factsAt = readAccessFacts(provider);
    expect(factsAt?.(undefined)).toEqual({ reads: ['/search', '/query'] });
    expect(factsAt?.('eu')).toEqual({ reads: ['/search'], writes: ['/purge'] });
    expect(factsAt?.('files')).toEqual({ reads: ['/search', '/list'] });
    expect(factsAt?.('other')).toBeUndefined();
  });

  it('is the same object at each asking, which the rule of a token relies on', () => {
    const provider = load({ reads: ['/search'] });
    expect(readAccessFacts(provider)).toBe(readAccessFacts(provider));
    expect(readAccessFacts(provider)?.(undefined)?.reads).toBe(readAccessFacts(provider)?.(undefined)?.reads);
  });

  it('is nothing where it lists nothing, whether the entry was examined or not', () => {
    expect(readAccessFacts(load({}))).toBeUndefined();
    expect(readAccessFacts(load({ methodsTell: true }))).toBeUndefined();
  });

  it.each([
    [{}, 'methods'],
    [{ methodsTell: true }, 'described'],
    [{ reads: ['/search'] }, 'described'],
    [{ writes: ['/purge'] }, 'described'],
    [{ batch: ['/batch'] }, 'described'],
    [{ graphql: ['/graphql'] }, 'described'],
  ])('%j makes an entry %s', (fields, kind) => {
    expect(findAccessKind(load(fields))).toBe(kind);
  });

  it('tells an entry that was examined from its MCP server, which was not', () => {
    const grants = [
      { id: 'mcp', title: 'MCP server', mcp: { url: 'https://mcp.acme.example/mcp' }, auth: 'oauth2' },
    ];
    const provider = load({ reads: ['/search'], grants });
    expect(provider.grants.map((grant) => findAccessKind(grant.provider))).toEqual(['methods']);
  });

  it.each([
    [{ reads: ['~uploads/search'] }, 'reads.0: is said of the host uploads, which the file does not have'],
    [{ methodsTell: true, graphql: ['/graphql'] }, 'methodsTell: does not belong where there is graphql'],
    [{ reads: ['search'] }, 'reads.0: begins with a slash, or with ~, the name of a host and a slash'],
    [{ reads: ['~api'] }, 'reads.0: begins with a slash, or with ~, the name of a host and a slash'],
    [{ reads: ['/search?q=1'] }, 'reads.0: has a query or parameters'],
    [{ reads: ['/sea*'] }, 'reads.0: has an asterisk elsewhere than at the beginning of a segment'],
    [{ reads: ['/a/*x*'] }, 'reads.0: has an asterisk elsewhere than at the beginning of a segment'],
    [{ reads: ['/a/**/b'] }, 'reads.0: has ** elsewhere than at the end'],
  ])('may not be %j', (fields, fault) => {
    expect(faultsOf(fields)).toEqual([fault]);
  });
});
