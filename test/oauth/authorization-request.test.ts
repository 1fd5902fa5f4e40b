import {
  authorizationRequestUrl,
  buildAuthorizationParameters,
  redirectUriFor,
} from '../../src/oauth/authorization-request.ts';
import { acmeProvider } from '../support/acme-provider.ts';

function parameters(extra: object = {}, integration: object = {}, more: object = {}) {
  return buildAuthorizationParameters({
    provider: acmeProvider(extra),
    integration: { clientId: 'id', scopes: ['a', 'b'], optionalScopes: ['c'], ...integration },
    redirectUri: 'https://gw.example/oauth/callback',
    state: 's',
    ...more,
  });
}

const BASE = {
  response_type: 'code',
  client_id: 'id',
  redirect_uri: 'https://gw.example/oauth/callback',
  state: 's',
};

it.each([
  ['blanks between scopes, optional ones among them', {}, {}, { ...BASE, scope: 'a b c' }],
  ['commas', { scopeSeparator: ',' }, {}, { ...BASE, scope: 'a,b,c' }],
  ['a plus, which is a blank in a query', { scopeSeparator: '+' }, {}, { ...BASE, scope: 'a b c' }],
  [
    'optional scopes apart',
    { optionalScopeParameter: 'optional_scope' },
    {},
    { ...BASE, scope: 'a b', optional_scope: 'c' },
  ],
  [
    'no empty optional scope',
    { optionalScopeParameter: 'optional_scope' },
    { optionalScopes: [] },
    { ...BASE, scope: 'a b' },
  ],
  ['no empty scope', {}, { scopes: [], optionalScopes: [] }, BASE],
  ['each scope once', {}, { scopes: ['a', 'a'], optionalScopes: ['a'] }, { ...BASE, scope: 'a' }],
  ['another name for the scope', { scopeParameter: 'user_scope' }, {}, { ...BASE, user_scope: 'a b c' }],
  [
    'extras of the catalog',
    { authorizationParams: { access_type: 'offline' } },
    {},
    { ...BASE, scope: 'a b c', access_type: 'offline' },
  ],
  [
    'extras of the integration, which win over those of the catalog',
    { authorizationParams: { prompt: 'consent', access_type: 'offline' } },
    { authorizationParams: { prompt: 'login' } },
    { ...BASE, scope: 'a b c', prompt: 'login', access_type: 'offline' },
  ],
  [
    'what the protocol owns, whatever the extras say',
    { authorizationParams: { state: 'x', response_type: 'token' } },
    { authorizationParams: { redirect_uri: 'https://evil.example', client_id: 'x', scope: 'x' } },
    { ...BASE, scope: 'a b c' },
  ],
])('a request has %s', (_name, provider, integration, expected) => {
  expect(parameters(provider, integration)).toEqual(expected);
});

it('asks for another response, sent in another way, to a redirect URI of another name', () => {
  const extra = {
    responseType: 'code id_token',
    responseMode: 'form_post',
    redirectUriParameter: 'redirect_url',
    authorizationParams: { nonce: '{nonce}', app: '{clientId}' },
  };
  const { redirect_uri: redirect_url, ...base } = BASE;
  expect(parameters(extra, {}, { nonce: 'n1' })).toEqual({
    ...base,
    redirect_url,
    scope: 'a b c',
    response_type: 'code id_token',
    response_mode: 'form_post',
    nonce: 'n1',
    app: 'id',
  });
});

it('tells the redirect URI, or the name that the provider has registered for it', () => {
  const ours = 'https://gw.example/oauth/callback';
  expect(redirectUriFor({}, ours, {})).toBe(ours);
  expect(redirectUriFor({ redirectUriTemplate: '{ruName}' }, ours, { ruName: 'Acme-x' })).toBe('Acme-x');
  expect(redirectUriFor({ redirectUriTemplate: '{ruName}' }, ours, {})).toBeUndefined();
});

it('has the challenge of PKCE when there is one', () => {
  expect(parameters({}, {}, { codeChallenge: 'xyz' })).toMatchObject({
    code_challenge: 'xyz',
    code_challenge_method: 'S256',
  });
});

it('calls the client id what the provider calls it', () => {
  const built = parameters({ clientIdParameter: 'client_key' });
  expect(built).toMatchObject({ client_key: 'id' });
  expect(built).not.toHaveProperty('client_id');
});

it('fills variables into the catalog’s extras, and leaves out what names an unknown one', () => {
  const extra = { variables: { shop: 'the shop' }, authorizationParams: { context: 'stores/{shop}' } };
  expect(parameters(extra, {}, { variables: { shop: 'blue' } })).toMatchObject({ context: 'stores/blue' });
  expect(parameters(extra)).not.toHaveProperty('context');
});

it.each([
  ['https://acme.example/a', 'https://acme.example/a?scope=a%20b%2Bc&state=%C3%A4%26'],
  ['https://acme.example/a?x=1', 'https://acme.example/a?x=1&scope=a%20b%2Bc&state=%C3%A4%26'],
  ['https://acme.example/#/oauth/a', 'https://acme.example/#/oauth/a?scope=a%20b%2Bc&state=%C3%A4%26'],
])('goes to %s as %s', (url, expected) => {
  const asked = { scope: 'a b+c', state: 'ä&' };
  expect(authorizationRequestUrl(url, asked)).toBe(expected);
  expect(authorizationRequestUrl(url, asked, 'redirect')).toBe(`${expected}#redirect`);
});
