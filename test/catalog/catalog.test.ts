import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LazyProvider } from '../../src/catalog/loading/builtin-providers.ts';
import { CatalogError, createCatalog, loadCatalog } from '../../src/catalog/loading/catalog.ts';
import { providerFromFile } from '../../src/catalog/loading/provider-from-file.ts';
import { acmeProvider } from '../support/acme-provider.ts';

const directories: string[] = [];

afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

/** A directory with these files. */
function directoryOf(files: Record<string, string>): string {
  const directory = mkdtempSync(join(tmpdir(), 'catalog-'));
  directories.push(directory);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  return directory;
}

function load(
  files: Record<string, string>,
  options: { allowPrivateNetworks?: boolean; builtIn?: string } = {},
) {
  return loadCatalog({
    builtInDirectory: options.builtIn ?? directoryOf({}),
    extraDirectory: directoryOf(files),
    allowPrivateNetworks: options.allowPrivateNetworks ?? false,
  });
}

/** Faults of loading, without the directory. */
function faultsOf(files: Record<string, string>) {
  try {
    load(files);
  } catch (error) {
    if (!(error instanceof CatalogError)) throw error;
    return error.faults.map(({ file, line, path, reason }) => ({
      file: file.split('/').at(-1),
      line,
      path,
      reason,
    }));
  }
  throw new Error('the catalog was loaded');
}

const ACME = `id: acme
name: Acme
auth: oauth2
authorizationUrl: https://acme.example/authorize
tokenUrl: https://acme.example/token
apiBaseUrl: https://api.acme.example
`;

describe('plain facts', () => {
  it('are enough for a provider, and every behaviour has a default', () => {
    expect(load({ 'acme.yaml': ACME }).find('acme')).toMatchObject({
      category: 'other',
      pkce: true,
      tokenEndpointAuth: 'client_secret_post',
      scopeSeparator: ' ',
      accessTokenHeader: { name: 'Authorization', template: 'Bearer {accessToken}' },
      variables: [],
      setupSteps: [],
    });
  });

  it('may come as JSON, with the fields that say where the facts are from', () => {
    const facts = {
      id: 'acme',
      name: 'Acme',
      category: 'crm',
      auth: 'basic',
      apiBaseUrl: 'https://{shop}.acme.example',
    };
    const more = {
      variables: { shop: 'the shop' },
      pkce: null,
      tokenEndpointAuth: null,
      sources: ['x'],
      agree: 1,
      conflicts: [],
    };
    const provider = load({ 'acme.json': JSON.stringify({ ...facts, ...more }) }).find('acme');
    expect(provider).toMatchObject({ basic: { username: '{username}', password: '{password}' } });
    expect(provider?.variables).toMatchObject([
      { name: 'shop', from: 'user', description: 'the shop', position: 'host-label' },
    ]);
    expect(provider).not.toHaveProperty('sources');
  });

  it.each([
    ['the origin of an OAuth API alone', '{site}/api', 'https://acme.example/token', 'token-response'],
    ['the origin of an OAuth API and of its token endpoint', '{site}/api', '{site}/token', 'integration'],
    ['the host of the token endpoint', 'https://acme.example', 'https://{site}/token', 'integration'],
    [
      'a name under the host of the token endpoint',
      'https://acme.example',
      'https://{site}.acme.example/token',
      'user',
    ],
    [
      'a region at the end of the host of the token endpoint',
      'https://acme.example',
      'https://a.acme.{site}/token',
      'user',
    ],
  ])('a variable that is %s comes from where it is safe', (_name, apiBaseUrl, tokenUrl, from) => {
    const facts = {
      id: 'acme',
      name: 'Acme',
      auth: 'oauth2',
      authorizationUrl: 'https://acme.example/a',
      tokenUrl,
      apiBaseUrl,
    };
    const loaded = providerFromFile(
      { ...facts, variables: { site: 'words' } },
      { allowPrivateNetworks: false },
    );
    expect(loaded).toMatchObject({ ok: true, provider: { variables: [{ from, path: 'site' }] } });
  });

  it('with a key in the path keep the key out of the address that is shown', () => {
    const facts = {
      id: 'bot',
      name: 'Bot',
      auth: 'api-key',
      apiBaseUrl: 'https://api.bot.example/v1/bot{apiKey}',
    };
    const apiKey = { in: 'path', name: 'bot', template: 'bot{apiKey}' };
    expect(providerFromFile({ ...facts, apiKey }, { allowPrivateNetworks: false })).toMatchObject({
      ok: true,
      provider: { apiBaseUrl: 'https://api.bot.example', apiKey: { template: '/v1/bot{apiKey}' } },
    });
  });
});

describe('two directories', () => {
  it('an extra file takes the place of the built-in one with its id', () => {
    const builtIn = directoryOf({ 'acme.yaml': ACME, 'other.yaml': ACME.replace('id: acme', 'id: other') });
    const catalog = load({ 'mine.yml': ACME.replace('Acme', 'My Acme') }, { builtIn });
    expect(catalog.list().map(({ id, name }) => [id, name])).toEqual([
      ['acme', 'My Acme'],
      ['other', 'Acme'],
    ]);
  });

  it('files that are links count, hidden and other files do not', () => {
    const directory = directoryOf({
      '..data': ACME,
      '.acme.yaml': 'broken: [',
      'README.md': '# no',
      'acme.yaml~': 'broken: [',
    });
    const target = join(directoryOf({ 'real.yaml': ACME }), 'real.yaml');
    symlinkSync(target, join(directory, 'acme.yaml'));
    const catalog = loadCatalog({ builtInDirectory: directory, allowPrivateNetworks: false });
    expect(catalog.list().map(({ id }) => id)).toEqual(['acme']);
  });

  it('an unknown id is no provider, whatever objects inherit', () => {
    const catalog = load({ 'acme.yaml': ACME });
    for (const id of ['nobody', '__proto__', 'constructor', '']) expect(catalog.find(id)).toBeUndefined();
  });
});

describe('a fault stops the start and is explained', () => {
  it.each([
    ['a missing field', ACME.replace('name: Acme\n', ''), 'name', undefined, /is missing: a text/],
    ['a misspelt field', `${ACME}scopeSeperator: ","\n`, 'scopeSeperator', 7, /not a field/],
    ['a misspelt field inside', `${ACME}revocation:\n  tokn: x\n`, 'revocation.tokn', 8, /not a field/],
    ['a wrong value', ACME.replace('auth: oauth2', 'auth: oauth3'), 'auth', 3, /oauth2/],
    ['an id that is no short name', ACME.replace('id: acme', 'id: Acme Inc'), 'id', 1, /lower-case/],
    [
      'http',
      ACME.replace('https://acme.example/token', 'http://acme.example/token'),
      'tokenUrl',
      5,
      /must be https/,
    ],
    [
      'an address with a password',
      ACME.replace('api.acme.example', 'a:b@api.acme.example'),
      'apiBaseUrl',
      6,
      /without user/,
    ],
    ['no address', ACME.replace('https://api.acme.example', 'api.acme.example'), 'apiBaseUrl', 6, /http/],
    [
      'a host that cannot be',
      ACME.replace('api.acme.example', 'api..acme..example:99999'),
      'apiBaseUrl',
      6,
      /not an address/,
    ],
    [
      'no token endpoint',
      ACME.replace(/tokenUrl.*\n/, ''),
      'tokenUrl',
      undefined,
      /needed where auth is oauth2/,
    ],
    [
      'an API key for OAuth',
      `${ACME}apiKey: { in: header, name: X, template: "{apiKey}" }\n`,
      'apiKey',
      7,
      /does not belong/,
    ],
    [
      'an unknown variable in a URL',
      ACME.replace('api.acme', '{shop}.acme'),
      'apiBaseUrl',
      6,
      /\{shop\}.*not among/,
    ],
    [
      'an unknown variable in a header',
      `${ACME}apiHeaders:\n  X-Org: "{org}"\n`,
      'apiHeaders.X-Org',
      8,
      /\{org\}/,
    ],
    [
      'the access token in the authorization request',
      `${ACME}authorizationParams:\n  t: "{accessToken}"\n`,
      'authorizationParams.t',
      8,
      /accessToken/,
    ],
    [
      'a pattern that is none',
      `${ACME}variables:\n  org: { pattern: "(" }\n`,
      'variables.org.pattern',
      8,
      /regular expression/,
    ],
    [
      'a variable of an unknown source',
      `${ACME}variables:\n  org: { from: moon }\n`,
      'variables.org.from',
      8,
      /user/,
    ],
    [
      'an account that needs a request',
      `${ACME}account:\n  id: { from: request, path: id }\n`,
      'account.id.from',
      8,
      /account.request/,
    ],
    [
      'a header for the API key that no request can have',
      'id: acme\nname: Acme\nauth: api-key\napiBaseUrl: https://acme.example\napiKey: { in: header, name: "X Key:", template: "{apiKey}" }\n',
      'apiKey.name',
      5,
      /name of a header field/,
    ],
    [
      'a client id that names a host',
      `${ACME}revocationUrl: https://{clientId}.acme.example\n`,
      'revocationUrl',
      7,
      /\{clientId\}/,
    ],
    [
      'a variable that the gateway fills in itself',
      `${ACME}variables:\n  clientSecret: { from: user }\n`,
      'variables.clientSecret',
      8,
      /fills in/,
    ],
    [
      'a body for an account call that is a GET',
      `${ACME}account:\n  id: { from: request, path: id }\n  request: { url: https://acme.example, body: { a: 1 } }\n`,
      'account.request.body',
      9,
      /POST/,
    ],
    [
      'an account of a variable that is none',
      `${ACME}account:\n  id: { from: variable, path: shop }\n`,
      'account.id.path',
      8,
      /shop/,
    ],
    [
      'a renewal that does not present the token',
      `${ACME}refreshWith: access_token\nrefreshParams: { grant_type: x }\n`,
      'refreshParams',
      8,
      /accessToken/,
    ],
    [
      'a client secret in API calls that is a private key',
      `${ACME}clientAssertion: {}\napiHeaders: { X-Key: "{clientId}:{clientSecret}" }\n`,
      'clientAssertion',
      7,
      /private key/,
    ],
    [
      'a client secret where the authorization request would show it',
      `${ACME}authorizationParams: { secret: "{clientSecret}" }\n`,
      'authorizationParams.secret',
      7,
      /\{clientSecret\}/,
    ],
    ['an issuer that is never told', `${ACME}issuerAlwaysSent: true\n`, 'issuerAlwaysSent', 7, /issuer/],
    ['no code asked for', `${ACME}responseType: token\n`, 'responseType', 7, /code/],
    ['a list', '- id: acme\n', '', undefined, /object/],
    ['nothing', '', '', undefined, /object/],
    ['broken YAML', `${ACME}quirks: [a, b\n`, '', 8, /./],
    ['a key twice', `${ACME}id: again\n`, '', 7, /^id is there twice$/],
    ['a custom tag', `${ACME}notes: !!js/function "x"\n`, '', 7, /tag/i],
  ])('%s', (_name, text, path, line, reason) => {
    expect(faultsOf({ 'acme.yaml': text })).toContainEqual({
      file: 'acme.yaml',
      line,
      path,
      reason: expect.stringMatching(reason),
    });
  });

  it.each([
    ['user', 'tokenUrl', /needs a pattern or options/],
    ['callback', 'tokenUrl', /needs a pattern or options/],
    ['user', 'revocationUrl', /needs a pattern or options/],
    ['token-response', 'tokenUrl', /not known yet/],
    ['callback', 'authorizationUrl', /not known yet/],
  ])('a host that the %s names in %s', (from, field, reason) => {
    const text = `${ACME.replace(new RegExp(`${field}:.*\n`), '')}${field}: "{site}/x"\nvariables:\n  site: { from: ${from} }\n`;
    expect(faultsOf({ 'acme.yaml': text })).toMatchObject([{ reason: expect.stringMatching(reason) }]);
  });

  it.each([
    ['carry the client secret', 'X-Key: "{clientSecret}"', 1],
    ['do not', 'X-Key: "{clientId}"', 0],
  ])('a host of the API that the user names, where calls %s', (_what, header, count) => {
    const text = `${ACME.replace(/apiBaseUrl:.*\n/, '')}apiBaseUrl: "{site}/x"\napiHeaders: { ${header} }\nvariables:\n  site: { from: user }\n`;
    const faults = count === 0 ? [] : faultsOf({ 'acme.yaml': text });
    if (count === 0) expect(() => load({ 'acme.yaml': text })).not.toThrow();
    expect(faults.map(({ reason }) => reason)).toEqual(
      Array(count).fill(expect.stringMatching(/needs a pattern or options/)),
    );
  });

  it('all faults of all files at once, in one message that an operator can follow', () => {
    const files = { 'a.yaml': ACME.replace('auth: oauth2', 'auth: no'), 'b.yaml': 'id: "B"\nnonsense: 1\n' };
    expect(faultsOf(files).map(({ file, path }) => `${file} ${path}`)).toEqual(
      expect.arrayContaining(['a.yaml auth', 'b.yaml id', 'b.yaml name', 'b.yaml nonsense']),
    );
    expect(() => load(files)).toThrow(/a\.yaml:3: auth: /);
    expect(() => load(files)).toThrow(/b\.yaml:2: nonsense: is not a field/);
  });

  it('two files of one directory with the same id', () => {
    expect(faultsOf({ 'a.yaml': ACME, 'b.yaml': ACME })).toMatchObject(
      [{ file: 'b.yaml', path: 'id', reason: /a\.yaml/ }].map((fault) => ({
        ...fault,
        reason: expect.stringMatching(fault.reason),
      })),
    );
  });

  it('a directory that is not there', () => {
    expect(() => loadCatalog({ builtInDirectory: '/nowhere/at/all', allowPrivateNetworks: false })).toThrow(
      /ENOENT/,
    );
  });

  it('a file that grows when it is read, and one that is too large', () => {
    const levels = ['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((name, index) => {
      const before = 'abcdefgh'[index];
      return `${name}: &${name} [${Array(9).fill(`*${before}`).join(', ')}]`;
    });
    const bomb = `a: &a [x, x, x]\n${levels.join('\n')}\n`;
    expect(faultsOf({ 'bomb.yaml': bomb })).toMatchObject([{ reason: expect.stringMatching(/alias/i) }]);
    expect(faultsOf({ 'large.yaml': `${ACME}# ${'x'.repeat(300_000)}` })).toMatchObject([
      { reason: expect.stringMatching(/larger/) },
    ]);
  });
});

it('http and local hosts are accepted where private networks are allowed', () => {
  const text = ACME.replaceAll('https://acme.example', 'http://127.0.0.1:4000').replace(
    'https://api.acme.example',
    '"{base}"',
  );
  const catalog = load(
    { 'acme.yaml': `${text}variables:\n  base: the base\n` },
    { allowPrivateNetworks: true },
  );
  expect(catalog.find('acme')).toMatchObject({
    tokenUrl: 'http://127.0.0.1:4000/token',
    variables: [{ from: 'token-response' }],
  });
});

describe('providers that are made when they are asked for', () => {
  it('are made once, those asked for alone, and ids that there are not are left out', async () => {
    const made: string[] = [];
    const lazy = ['one', 'three', 'two'].map(
      (id) =>
        new LazyProvider(id, () => {
          made.push(id);
          return acmeProvider({ id });
        }),
    );
    const catalog = createCatalog(lazy);
    const found = await catalog.findAll(['two', 'none', 'one']);
    expect(found.map(({ id }) => id)).toEqual(['two', 'one']);
    expect(made).toEqual(['two', 'one']);
    expect((await catalog.all()).map(({ id }) => id)).toEqual(['one', 'three', 'two']);
    expect(made).toEqual(['two', 'one', 'three']);
  });
});
