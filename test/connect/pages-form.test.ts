import { fieldsFor } from '../../src/connect/pages/form-fields.ts';
import { extractValue, findAffixes } from '../../src/connect/pages/host-affixes.ts';
import { EN } from '../../src/connect/texts/en.ts';
import { acmeProvider } from '../support/acme-provider.ts';

const providerWith = (extra: object) => acmeProvider({ auth: 'basic', ...extra });

/** Around the first variable of a provider with this API base. */
function affixes(apiBaseUrl: string, extra: object = {}) {
  const provider = providerWith({
    apiBaseUrl,
    variables: { shop: { from: 'user', pattern: '[a-z.]+' } },
    ...extra,
  });
  const [shop] = provider.variables;
  if (shop === undefined) throw new Error('no variable');
  return findAffixes(provider, shop);
}

const NOTHING_GIVEN = { known: {}, sealed: new Set<string>() };

describe('what stands around a variable', () => {
  it('is the rest of the host where the variable is a label of it', () => {
    expect(affixes('https://{shop}.acme.example/api')).toEqual({ prefix: '', suffix: '.acme.example' });
    expect(affixes('https://api-{shop}.acme.example')).toEqual({ prefix: 'api-', suffix: '.acme.example' });
  });

  it('is nothing elsewhere, where the host has more variables, and where addresses differ', () => {
    const NONE = { prefix: '', suffix: '' };
    expect(affixes('https://api.acme.example/{shop}')).toEqual(NONE);
    const two = { variables: { shop: { from: 'user' }, region: { from: 'user' } } };
    expect(affixes('https://{shop}.{region}.acme.example', two)).toEqual(NONE);
    const login = {
      authorizationUrl: 'https://{shop}.login.acme.example/x',
      tokenUrl: 'https://t.acme.example',
      auth: 'oauth2',
    };
    expect(affixes('https://{shop}.acme.example', login)).toEqual(NONE);
  });

  it.each([
    ['https://Acme.acme.example/admin?x=1', 'Acme'],
    ['acme.ACME.example', 'acme'],
    ['acme', 'acme'],
    ['acme.evil.example', 'acme.evil.example'],
    ['acme.acme.example.evil.example', 'acme.acme.example.evil.example'],
    ['https://admin.acme.example/store/acme', 'acme'],
    ['Admin.acme.example/store/acme/settings?a=b#c', 'acme'],
    ['admin.acme.example/store/', ''],
    ['admin.acme.example/stores/acme', 'admin'],
  ])('is taken off a pasted %s', (typed, meant) => {
    const provider = providerWith({
      apiBaseUrl: 'https://{shop}.acme.example',
      variables: { shop: { from: 'user', pastedPrefixes: ['admin.acme.example/store/'] } },
    });
    const [shop] = provider.variables;
    expect(shop && extractValue(provider, shop, typed)).toBe(meant);
  });
});

describe('the fields of the form', () => {
  const fields = (extra: object) => fieldsFor(EN, providerWith(extra), NOTHING_GIVEN);

  it('are user name and password for Basic, of which the password may be empty', () => {
    expect(fields({})).toMatchObject([
      { name: 'username', label: 'User name', isSecret: false, isRequired: true },
      { name: 'password', label: 'Password', isSecret: true, isRequired: false },
    ]);
  });

  it.each(['username', 'password'])('are one hidden API key where Basic takes it as the %s alone', (name) => {
    const basic = { username: '', password: '', [name]: `{${name}}` };
    expect(fields({ basic })).toMatchObject([{ name, label: 'API key', isSecret: true, isRequired: true }]);
  });

  it('have a label in words also where the provider file gives none, and never a secret’s value', () => {
    const provider = providerWith({ variables: { apiDomain: 'Where it is', devToken: { secret: true } } });
    const entered = { apiDomain: 'x.example', devToken: 's3cret', username: 'ada', password: 'hunter2' };
    const made = fieldsFor(EN, provider, NOTHING_GIVEN, { entered, faults: { devToken: 'invalid' } });
    expect(made.map(({ label, value }) => [label, value])).toEqual([
      ['Api domain', 'x.example'],
      ['Dev token', ''],
      ['User name', 'ada'],
      ['Password', ''],
    ]);
    expect(made[1]?.error).toBe('This cannot be right for “Dev token”. Check how it is written.');
  });
});
