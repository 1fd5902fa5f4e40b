import { providerFromFile } from '../../src/catalog/loading/provider-from-file.ts';
import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import {
  callerCredentialsOfAll,
  listAuthMethodIds,
  withGrant,
} from '../../src/catalog/schema/provider-auth-methods.ts';

const ENTRY = {
  id: 'acme',
  name: 'Acme',
  auth: 'oauth2',
  authorizationUrl: 'https://login.acme.example/authorize',
  tokenUrl: 'https://login.acme.example/{realm}/token',
  revocationUrl: 'https://login.acme.example/revoke',
  apiBaseUrl: 'https://{region}.acme.example',
  variables: {
    realm: { from: 'integration', pattern: '[a-z]+' },
    region: { from: 'user', pattern: '[a-z]+' },
  },
  tokenParams: { audience: 'api' },
  apiHeaders: { 'Acme-Version': '2', 'Acme-Client': '{clientId}' },
  account: { id: { from: 'token-response', path: 'sub' } },
  setupSteps: ['Register an application.'],
  defaultScopes: ['read'],
};
const KEY = { in: 'header', name: 'X-Key', template: '{apiKey}' };

const load = (grants: readonly object[], entry: object = ENTRY) =>
  providerFromFile({ ...entry, grants }, { allowPrivateNetworks: false });

function loaded(grants: readonly object[], entry?: object): Provider {
  const result = load(grants, entry);
  if (!result.ok) throw new Error(JSON.stringify(result.faults));
  return result.provider;
}

function grantOf(grant: object): Provider {
  const found = withGrant(loaded([{ id: 'other', title: 'Other', ...grant }]), 'other');
  if (found === undefined) throw new Error('the entry has no such grant');
  return found;
}

function faultsOf(grants: readonly object[]): [string, string][] {
  const result = load(grants.map((grant, index) => ({ id: `way-${index}`, title: 'Way', ...grant })));
  return result.ok ? [] : result.faults.map(({ path, reason }) => [path.map(String).join('.'), reason]);
}

describe('a provider as it is for one of its grants', () => {
  it('keeps what all grants share, and nothing that only the entry’s own kind uses', () => {
    const key = grantOf({ auth: 'api-key', apiKey: KEY });
    expect(key).toMatchObject({
      id: 'acme',
      grant: 'other',
      grants: [],
      auth: 'api-key',
      apiBaseUrl: ENTRY.apiBaseUrl,
      apiHeaders: { 'Acme-Version': '2' },
      defaultScopes: [],
      setupSteps: [],
      tokenParams: {},
    });
    const gone = [key.authorizationUrl, key.tokenUrl, key.revocationUrl, key.account];
    expect(gone).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('asks only for the variables that it still names, and for its own', () => {
    const names = ({ variables }: Provider) => variables.map(({ name }) => name);
    expect(names(grantOf({ auth: 'api-key', apiKey: KEY }))).toEqual(['region']);
    const fixed = { apiBaseUrl: 'https://api.acme.example/{team}', variables: { team: 'Team' } };
    expect(names(grantOf({ auth: 'api-key', apiKey: KEY, ...fixed }))).toEqual(['team']);
  });

  it('shares the token endpoint among kinds that have one, but not what is sent there', () => {
    const machine = grantOf({ auth: 'oauth2-client-credentials' });
    expect(machine).toMatchObject({ tokenUrl: ENTRY.tokenUrl, tokenParams: {}, defaultScopes: [] });
    expect([machine.authorizationUrl, machine.revocationUrl]).toEqual([undefined, undefined]);
    expect(machine.account).toBeUndefined();
  });

  it('takes over everything of a grant of its own kind, less what it takes away with null', () => {
    const admin = grantOf({
      auth: 'oauth2',
      authorizationUrl: 'https://admin.acme.example/authorize',
      revocationUrl: null,
    });
    expect(admin).toMatchObject({ tokenParams: { audience: 'api' }, setupSteps: ENTRY.setupSteps });
    expect(admin.authorizationUrl).toBe('https://admin.acme.example/authorize');
    expect(admin.revocationUrl).toBeUndefined();
  });

  it('takes over why nothing is revoked only where it obtains its tokens alike and revokes nothing itself', () => {
    const { revocationUrl: _revocationUrl, ...rest } = ENTRY;
    const reasonOf = (grant: object) => {
      const entry = loaded([{ id: 'other', title: 'Other', ...grant }], {
        ...rest,
        noRevocation: 'No address.',
      });
      return withGrant(entry, 'other')?.noRevocation;
    };
    const admin = { auth: 'oauth2', authorizationUrl: 'https://admin.acme.example/authorize' };
    expect(reasonOf(admin)).toBe('No address.');
    expect(reasonOf({ ...admin, revocationUrl: 'https://admin.acme.example/revoke' })).toBeUndefined();
    expect(reasonOf({ auth: 'api-key', apiKey: KEY })).toBeUndefined();
    expect(reasonOf({ auth: 'oauth2-client-credentials' })).toBeUndefined();
  });

  it('is made once, and the same object each time', () => {
    const entry = loaded([{ id: 'key', title: 'Key', auth: 'api-key', apiKey: KEY }]);
    expect(withGrant(entry, 'key')).toBe(withGrant(entry, 'key'));
    expect([withGrant(entry, null), withGrant(entry, 'oauth2')]).toEqual([entry, entry]);
    expect(withGrant(entry, 'password')).toBeUndefined();
    expect(listAuthMethodIds(entry)).toEqual(['oauth2', 'key']);
  });

  it('lets callers put their token where the clients of any grant do', () => {
    const header = { in: 'header', name: 'X-Key' };
    const entry = loaded([
      { id: 'key', title: 'Key', auth: 'api-key', apiKey: KEY, callerCredentials: [header] },
    ]);
    expect(callerCredentialsOfAll(entry)).toEqual([header]);
    expect(callerCredentialsOfAll(entry)).toBe(callerCredentialsOfAll(entry));
  });
});

describe('a fault of a grant', () => {
  const key = { auth: 'api-key', apiKey: KEY };

  it.each<[string, object, string, string]>([
    [
      'a field that its kind ignores',
      { ...key, tokenUrl: 'https://x.example/t' },
      'tokenUrl',
      'did you mean auth: oauth2?',
    ],
    [
      'a misspelt field',
      { ...key, apiBaseURL: 'https://x.example' },
      'apiBaseURL',
      'did you mean apiBaseUrl?',
    ],
    ['a field of the entry', { ...key, name: 'Acme 2' }, 'name', 'stands in the entry'],
    [
      'a value that the entry has',
      { ...key, apiBaseUrl: ENTRY.apiBaseUrl },
      'apiBaseUrl',
      'repeats what the entry says',
    ],
    [
      'a field to take away that is not there',
      { ...key, revocationUrl: null },
      'revocationUrl',
      'is not used',
    ],
    ['a field that is needed', { auth: 'api-key' }, 'apiKey', 'is needed where auth is api-key'],
    ['an unknown variable', { ...key, apiBaseUrl: 'https://{host}.example' }, 'apiBaseUrl', 'names {host}'],
    [
      'a value of the wrong form',
      { ...key, apiKey: { in: 'cookie', name: 'a', template: '{apiKey}' } },
      'apiKey.in',
      '',
    ],
    ['a kind that there is not', { auth: 'api-keys' }, 'auth', ''],
  ])('is told at the field: %s', (_what, grant, field, reason) => {
    expect(faultsOf([grant])).toEqual([[`grants.0.${field}`, expect.stringContaining(reason)]]);
  });

  it('is an overlay that changes nothing', () => {
    expect(faultsOf([{ auth: 'oauth2' }])).toEqual([
      ['grants.0', expect.stringContaining('the entry itself')],
    ]);
    expect(faultsOf([key, key])).toEqual([['grants.1', expect.stringContaining('grants.0')]]);
  });

  it('is an id that is taken', () => {
    expect(faultsOf([{ ...key, id: 'oauth2' }])[0]?.[0]).toBe('grants.0.id');
    const basic = { auth: 'basic', id: 'one' };
    expect(faultsOf([{ ...key, id: 'one' }, basic])[0]?.[0]).toBe('grants.1.id');
  });
});
