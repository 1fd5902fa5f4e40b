import { providerFromFile } from '../../src/catalog/loading/provider-from-file.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';

const BASE = { id: 'acme', name: 'Acme', apiBaseUrl: 'https://api.acme.example' };
const KEY = { in: 'header', name: 'X-Key', template: '{apiKey}' };
const PASSWORD = { in: 'basic', part: 'password' };
const USERNAME = { in: 'basic', part: 'username' };
const KEY_AS_NAME = { username: '{username}', password: '' };
const HEADER = { in: 'header', name: 'X-Key' };

function placesOf(file: object): unknown {
  const result = providerFromFile({ ...BASE, ...file }, { allowPrivateNetworks: false });
  if (!result.ok) throw new Error(JSON.stringify(result.faults));
  return result.provider.callerCredentials;
}

const behind = (template: string) => ({ ...KEY, name: 'Authorization', template });

describe('the places of a user token in a file that names none', () => {
  it.each([
    ['the header of the key', { auth: 'api-key', apiKey: KEY }, [HEADER]],
    [
      'it also where the key has words around it',
      { auth: 'api-key', apiKey: { ...KEY, template: 'Key {apiKey}' } },
      [HEADER],
    ],
    [
      'the scheme of the key',
      { auth: 'api-key', apiKey: behind('Token {apiKey}') },
      [{ in: 'scheme', scheme: 'Token' }],
    ],
    ['Bearer alone, which is always one', { auth: 'api-key', apiKey: behind('Bearer {apiKey}') }, []],
    ['the password of Basic', { auth: 'basic' }, [PASSWORD]],
    [
      'the password of Basic also where the file says both halves',
      { auth: 'basic', basic: { username: '{username}', password: '{password}' } },
      [PASSWORD],
    ],
    ['the user name beside an empty password', { auth: 'basic', basic: KEY_AS_NAME }, [USERNAME]],
    [
      'the user name beside a fixed password',
      { auth: 'basic', basic: { ...KEY_AS_NAME, password: 'X' } },
      [USERNAME],
    ],
    [
      'both halves where each has a secret',
      {
        auth: 'basic',
        basic: { username: '{token}', password: '{password}' },
        variables: { token: { from: 'integration', secret: true } },
      },
      [USERNAME, PASSWORD],
    ],
    ['none in a query', { auth: 'api-key', apiKey: { ...KEY, in: 'query' } }, []],
  ])('are %s', (_name, file, expected) => {
    expect(placesOf(file)).toEqual(expected);
  });

  it('are those that the file names, where it names some', () => {
    const own = [{ in: 'header', name: 'X-Own' }];
    expect(placesOf({ auth: 'api-key', apiKey: KEY, callerCredentials: own })).toEqual(own);
  });

  it('are a half of Basic also beside another grant', () => {
    const grants = [{ id: 'key', title: 'Key', auth: 'api-key', apiKey: KEY }];
    expect(placesOf({ auth: 'basic', basic: KEY_AS_NAME, grants })).toEqual([USERNAME]);
  });

  it('are a half of Basic at every built-in provider that is called with it', () => {
    const without = builtInCatalog
      .list()
      .filter(({ auth, callerCredentials }) => auth === 'basic' && callerCredentials.length === 0);
    expect(without.map(({ id }) => id)).toEqual([]);
  });

  it('are none beside another grant, whose callers may send the field for a purpose of its own', () => {
    const grants = [{ id: 'password', title: 'Password', auth: 'basic' }];
    expect(placesOf({ auth: 'api-key', apiKey: KEY, grants })).toEqual([]);
  });
});
