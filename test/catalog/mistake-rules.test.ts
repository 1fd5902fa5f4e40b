import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CatalogError, loadCatalog } from '../../src/catalog/loading/catalog.ts';
import { providerFromFile } from '../../src/catalog/loading/provider-from-file.ts';

const OAUTH = {
  id: 'acme',
  name: 'Acme',
  auth: 'oauth2',
  authorizationUrl: 'https://acme.example/authorize',
  tokenUrl: 'https://acme.example/token',
  apiBaseUrl: 'https://api.acme.example',
};
const BASIC = {
  id: 'acme',
  name: 'Acme',
  auth: 'basic',
  apiBaseUrl: 'https://api.acme.example',
  noProbe: 'x',
};

function faultsOf(file: object, isProofNeeded = true) {
  const loaded = providerFromFile(file, { allowPrivateNetworks: false, isProofNeeded });
  return loaded.ok ? [] : loaded.faults.map(({ path, reason }) => `${path.join('.')}: ${reason}`);
}

describe('a new file', () => {
  it.each([
    [
      'a default that was copied from other code',
      { ...OAUTH, tokenParams: { audience: '{clientId} || https://acme.example' } },
      'tokenParams.audience: holds ||',
    ],
    [
      'a placeholder in a body that no text is filled in',
      {
        ...OAUTH,
        variables: { site: { from: 'user', pattern: '[a-z]+', example: 'north' } },
        apiBaseUrl: 'https://{site}.acme.example',
        account: {
          id: { from: 'request', path: 'id' },
          request: {
            url: 'https://{site}.acme.example/me',
            method: 'POST',
            body: { filters: [{ value: '{site}' }], query: '{me{site}}', other: 'query{me{site}}' },
          },
        },
      },
      'account.request.body: names {site}, and no text of this body is filled in: name it in the address or a header',
    ],
    [
      'a placeholder of other code',
      { ...OAUTH, apiHeaders: { 'X-Name': `$\{connection.name}` } },
      'apiHeaders.X-Name: holds a dollar sign',
    ],
    [
      'a nonce that is always the same',
      { ...OAUTH, authorizationParams: { nonce: 'AnotherRandomString' } },
      'authorizationParams.nonce: must be fresh',
    ],
    [
      'a state that is always the same',
      { ...OAUTH, authorizationParams: { state: 'fixed' } },
      'authorizationParams.state: is made by the gateway',
    ],
    ['a variable without use', { ...OAUTH, variables: { shop: {} } }, 'variables.shop: is not named'],
    [
      'an example that its pattern refuses',
      {
        ...OAUTH,
        apiBaseUrl: 'https://{shop}.acme.example',
        variables: { shop: { pattern: '[a-z]+', example: 'Blue 1' } },
      },
      'variables.shop.example: does not match',
    ],
    [
      'a reason for revoking nothing beside an address',
      { ...OAUTH, revocationUrl: 'https://acme.example/revoke', noRevocation: 'x' },
      'noRevocation: does not belong',
    ],
    ['revocation without an address', { ...OAUTH, revocation: { method: 'GET' } }, 'revocation: needs'],
    [
      'a sign-in page where keys are typed',
      { ...BASIC, authorizationUrl: 'https://acme.example/authorize' },
      'authorizationUrl: does not belong',
    ],
    [
      'a placeholder in the steps that nothing fills',
      { ...OAUTH, setupSteps: ['Enter {redirectUri}.'] },
      'setupSteps.0: names {redirectUri}, which is not filled in; did you mean {redirectUrl}?',
    ],
    [
      'a key where there are tokens',
      { ...OAUTH, apiHeaders: { 'X-Key': '{apiKey}' } },
      'apiHeaders.X-Key: names {apiKey}, which auth: oauth2 does not have',
    ],
    ['an address in numbers', { ...OAUTH, apiBaseUrl: 'https://10.0.0.7/api' }, 'apiBaseUrl: must be a name'],
    ['two scopes in one text', { ...OAUTH, defaultScopes: ['read write'] }, 'defaultScopes.0: is several'],
    [
      'a field with a letter too much',
      { ...OAUTH, apiBaseUrls: 'https://api.acme.example' },
      'apiBaseUrls: is not a field that the catalog knows; did you mean apiBaseUrl?',
    ],
  ])('is told of %s', (_what, file, expected) => {
    expect(faultsOf(file).join('\n')).toContain(expected);
  });

  it('may use a variable anywhere', () => {
    const variables = { shop: {} };
    const account = { id: { from: 'variable', path: 'shop' } };
    expect(faultsOf({ ...OAUTH, variables, account })).toEqual([]);
    expect(faultsOf({ ...OAUTH, variables, apiHeaders: { 'X-Shop': '{shop}' } })).toEqual([]);
    const polls = {
      members: { object: 'member', record: { id: 'id' }, list: { request: { path: '/{shop}' } } },
    };
    expect(faultsOf({ ...OAUTH, variables, polls })).toEqual([]);
  });
});

it('a description that was accepted before goes on loading', () => {
  expect(faultsOf({ ...OAUTH, variables: { shop: {} } }, false)).toEqual([]);
});

it('names the key that a file has twice', () => {
  const directory = mkdtempSync(join(tmpdir(), 'twice-'));
  writeFileSync(join(directory, 'acme.yaml'), 'id: acme\nname: Acme\nname: Other\n');
  try {
    loadCatalog({ builtInDirectory: directory, allowPrivateNetworks: false });
    throw new Error('the catalog was loaded');
  } catch (error) {
    if (!(error instanceof CatalogError)) throw error;
    expect(error.faults).toMatchObject([{ line: 3, reason: 'name is there twice' }]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
