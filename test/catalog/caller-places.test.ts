import { providerFromFile } from '../../src/catalog/loading/provider-from-file.ts';

const BASE = { id: 'acme', name: 'Acme', apiBaseUrl: 'https://api.acme.example' };
const KEY = { in: 'header', name: 'X-Key', template: '{apiKey}' };
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
    ['the password of Basic', { auth: 'basic' }, [{ in: 'basic', part: 'password' }]],
    ['none in a query', { auth: 'api-key', apiKey: { ...KEY, in: 'query' } }, []],
  ])('are %s', (_name, file, expected) => {
    expect(placesOf(file)).toEqual(expected);
  });

  it('are those that the file names, where it names some', () => {
    const own = [{ in: 'header', name: 'X-Own' }];
    expect(placesOf({ auth: 'api-key', apiKey: KEY, callerCredentials: own })).toEqual(own);
  });

  it('are none beside another grant, whose callers may send the field for a purpose of its own', () => {
    const grants = [{ id: 'password', title: 'Password', auth: 'basic' }];
    expect(placesOf({ auth: 'api-key', apiKey: KEY, grants })).toEqual([]);
  });
});
