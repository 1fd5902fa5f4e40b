import { readFileSync } from 'node:fs';
import { actingVariables } from '../../src/catalog/facts/acting-variables.ts';
import { overlayGrant } from '../../src/catalog/facts/overlay-auth-method.ts';
import { BUILT_IN_BUNDLE, type Bundle } from '../../src/catalog/loading/builtin-providers.ts';
import { parseProviderFile, providerFromFile } from '../../src/catalog/loading/provider-from-file.ts';
import { type ProviderFile, providerFileSchema } from '../../src/catalog/schema/provider.schema.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';
import { everyGrant } from '../support/every-grant.ts';

/** Files as they were written, before anything is derived of them, and each as it is for its grants. */
function readBundle(): [name: string, file: ProviderFile][] {
  const { defaults, providers }: Bundle = JSON.parse(readFileSync(BUILT_IN_BUNDLE, 'utf8'));
  return providers.flatMap((own): [string, ProviderFile][] => {
    const file = { ...defaults, ...own };
    const ofGrants = file.grants.map((grant): [string, ProviderFile] => [
      `${file.id} (${grant.id})`,
      providerFileSchema.parse(overlayGrant(file, grant)),
    ]);
    return [[file.id, file], ...ofGrants];
  });
}

const OPTIONS = { allowPrivateNetworks: false };

function describeRobots(more: object) {
  return {
    id: 'robots',
    name: 'Robots',
    auth: 'jwt-bearer',
    tokenUrl: 'https://acme.example/token',
    apiBaseUrl: 'https://acme.example/api',
    variables: {
      privateKey: { secret: true, input: 'private-key' },
      app: { title: 'App' },
      person: { title: 'Person' },
    },
    jwt: { claims: { iss: '{app}', aud: 'acme' } },
    ...more,
  };
}

function actingOf(more: object): string[] {
  const parsed = parseProviderFile(describeRobots(more));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
  return [...actingVariables(parsed.file)];
}

describe('for whom a key acts', () => {
  const claims = { iss: '{app}', aud: 'acme' };

  it.each([
    ['the subject of an assertion', { jwt: { claims: { ...claims, sub: '{person}' } } }],
    ['a part of the subject', { jwt: { claims: { ...claims, sub: 'user:{person}@acme' } } }],
    ['the kind of subject', { jwt: { claims: { ...claims, sub: 'x', box_sub_type: '{person}' } } }],
    ['an actor', { jwt: { claims: { ...claims, act: { sub: '{person}' } } } }],
    ['a delegation parameter', { tokenParams: { on_behalf_of: '{person}' } }],
    ['the subject of a token request', { tokenParams: { requested_subject: '{person}' } }],
    ['a header to act as a user', { apiHeaders: { 'X-As-User-Email': '{person}' } }],
    ['an impersonation header', { apiHeaders: { 'Impersonate-User': '{person}' } }],
    ['a header with a user beside the key', { apiHeaders: { 'X-PW-UserEmail': '{person}' } }],
    ['a parameter of every call', { apiQuery: { runAs: '{person}' } }],
    [
      'a nested member of a log-in',
      {
        auth: 'token-login',
        tokenUrl: undefined,
        jwt: undefined,
        login: {
          steps: [
            {
              url: 'https://acme.example/l',
              encoding: 'json',
              body: { a: [{ actAs: '{person}' }], k: '{privateKey}{app}' },
            },
          ],
        },
      },
    ],
  ])('is said by %s', (_place, more) => {
    expect(actingOf(more)).toEqual(['person']);
  });

  it.each([
    ['the key’s own identity', { jwt: { claims: { ...claims, sub: '{app}' } } }],
    ['the id of the key', { jwt: { claims: { ...claims, sub: '{person}' }, header: { kid: '{person}' } } }],
    ['a scope', { tokenParams: { scope: '{person}' } }],
  ])('is not said by %s', (_place, more) => {
    expect(actingOf(more)).toEqual([]);
  });

  it('is no question where users type the credential of each call themselves', () => {
    const keyed = {
      auth: 'api-key',
      tokenUrl: undefined,
      jwt: undefined,
      apiKey: { in: 'header', name: 'X-Key', template: '{apiKey}' },
      apiHeaders: { 'X-PW-UserEmail': '{person}' },
    };
    expect(actingOf(keyed)).toEqual([]);
  });

  const ACTING = { jwt: { claims: { ...claims, sub: '{person}' } } };

  it('is refused as the word of the user in a new description, and in one of its grants', () => {
    const refused = { reason: expect.stringContaining('from: application') };
    expect(providerFromFile(describeRobots(ACTING), { ...OPTIONS, isNew: true })).toEqual({
      ok: false,
      faults: [{ path: ['variables', 'person', 'from'], ...refused }],
    });
    const { id: _id, name: _name, ...own } = describeRobots(ACTING);
    const entry = {
      id: 'robots',
      name: 'Robots',
      auth: 'basic',
      apiBaseUrl: 'https://acme.example/api',
      grants: [{ id: 'key', title: 'Key', ...own, apiBaseUrl: 'https://acme.example/jwt' }],
    };
    expect(providerFromFile(entry, { ...OPTIONS, isNew: true })).toEqual({
      ok: false,
      faults: [{ path: ['grants', 0, 'variables', 'person', 'from'], ...refused }],
    });
  });

  it('is read as the word of the application in a description that was taken before', () => {
    const loaded = providerFromFile(describeRobots(ACTING), OPTIONS);
    const found = loaded.ok ? loaded.provider.variables : [];
    expect(found.map(({ name, from }) => [name, from])).toEqual([
      ['privateKey', 'user'],
      ['app', 'user'],
      ['person', 'application'],
    ]);
  });

  it('cannot be secret', () => {
    const variables = {
      person: { from: 'application', secret: true },
      privateKey: { secret: true },
      app: 'App',
    };
    expect(providerFromFile(describeRobots({ ...ACTING, variables }), OPTIONS)).toMatchObject({
      ok: false,
      faults: [{ path: ['variables', 'person'] }],
    });
  });
});

describe('the built-in catalog', () => {
  it('lets no end user say for whom a key acts, in any grant of any file', () => {
    const wrong = readBundle().flatMap(([name, file]) => {
      const acting = actingVariables(file);
      return Object.entries(file.variables)
        .filter(([variable, given]) => acting.has(variable) && sourceOf(given) === 'user')
        .map(([variable]) => `${name}: ${variable}`);
    });
    expect(wrong).toEqual([]);
  });

  it('lets no end user choose the account at which the integration’s own client acts', () => {
    const wrong = everyGrant(builtInCatalog)
      .filter(([, { auth }]) => auth === 'oauth2-client-credentials')
      .flatMap(([name, { variables }]) =>
        variables
          .filter(({ from, options, default: usual }) => from === 'user' && !options && usual === undefined)
          .map((variable) => `${name}: ${variable.name}`),
      );
    expect(wrong).toEqual([]);
  });

  it('knows the grants by which a key acts for a person', () => {
    const named = everyGrant(builtInCatalog)
      .filter(([, { auth, variables }]) => auth === 'jwt-bearer' && variables.some(isOfApplication))
      .map(([name]) => name);
    expect(named).toEqual(
      expect.arrayContaining([
        'box (jwt-app)',
        'docusign (jwt-grant)',
        'docusign-sandbox (jwt-grant)',
        'firebase',
        'gmail (service-account)',
        'google (service-account)',
        'salesforce (jwt-bearer-flow)',
        'servicenow (jwt-bearer-flow)',
        'vertex-ai',
      ]),
    );
    expect(named.length).toBeGreaterThanOrEqual(26);
  });

  function sourceOf(given: ProviderFile['variables'][string]): string {
    return typeof given === 'string' || (given.from === 'user' && !given.secret) ? 'user' : given.from;
  }

  const isOfApplication = ({ from }: { from: string }) => from === 'application';
});
