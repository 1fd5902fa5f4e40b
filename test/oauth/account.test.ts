import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import {
  createAccountRequest,
  readAccount,
  readCallbackVariables,
  readVariablesAgain,
} from '../../src/oauth/account.ts';
import { createOutbound } from '../../src/platform/outbound.ts';
import { acmeProvider } from '../support/acme-provider.ts';
import { startEvilServer } from '../support/authorization-server.ts';

const outbound = createOutbound({ allowPrivateNetworks: true });

const server = await startEvilServer();
afterAll(server.close);

const providerOf = (extra: object) => acmeProvider(extra, true);
const idToken = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.sig`;
const answer = (body: unknown, status = 200) => server.answer({ status, body: JSON.stringify(body) });

describe('the account', () => {
  it.each([
    ['the token response', { from: 'token-response', path: 'team.id' }, { team: { id: 'T1' } }, {}, 'T1'],
    ['a number', { path: 'hub_id' }, { hub_id: 42 }, {}, '42'],
    ['an element of a list', { path: 'orgs.1.id' }, { orgs: [{ id: 'a' }, { id: 'b' }] }, {}, 'b'],
    ['a member whose name has a dot', { path: 'a.b' }, { 'a.b': 'x' }, {}, 'x'],
    [
      'several members',
      { path: ['first', 'middle', 'last'] },
      { first: 'Ada', last: 'Lovelace' },
      {},
      'Ada Lovelace',
    ],
    [
      'the first of several that is there',
      { path: ['location.id', 'company', 'user'], take: 'first' },
      { location: { id: '' }, company: 'C1', user: 'U1' },
      {},
      'C1',
    ],
    ['nowhere, where none of several is there', { path: ['a', 'b'], take: 'first' }, { c: '1' }, {}, null],
    [
      'the id token',
      { from: 'id-token', path: 'sub' },
      { id_token: idToken({ sub: 'user-1' }) },
      {},
      'user-1',
    ],
    [
      'the element of a list that says so',
      { path: 'accounts[is_default=true].id' },
      {
        accounts: [
          { id: 'a', is_default: false },
          { id: 'b', is_default: true },
        ],
      },
      {},
      'b',
    ],
    ['no element, where none says so', { path: 'accounts[ok=1].id' }, { accounts: [{ id: 'a' }] }, {}, null],
    [
      'a part of a member',
      { path: 'id', pattern: 'users/([0-9]+)$' },
      { id: 'https://acme.example/users/42' },
      {},
      '42',
    ],
    ['no part, where the pattern does not match', { path: 'id', pattern: '^x(.)' }, { id: 'abc' }, {}, null],
    ['the callback', { from: 'callback', path: 'realmId' }, {}, { realmId: '9' }, '9'],
    ['nowhere', { path: 'missing' }, { other: 1 }, {}, null],
    ['an object', { path: 'team' }, { team: { id: 'T1' } }, {}, null],
    ['what objects inherit', { path: 'constructor' }, {}, {}, null],
    ['a broken id token', { from: 'id-token', path: 'sub' }, { id_token: 'a.b.c' }, {}, null],
    ['an id token that is no text', { from: 'id-token', path: 'sub' }, { id_token: 7 }, {}, null],
  ])('is read from %s', async (_name, field, tokenResponse, callbackParameters, expected) => {
    const provider = providerOf({ account: { id: field, name: field } });
    const account = await readAccount(provider, { tokenResponse, callbackParameters });
    expect(account).toEqual({ accountId: expected, accountName: expected, variables: {}, problem: null });
  });

  it('is unknown where the catalog does not say', async () => {
    expect(await readAccount(providerOf({}), { tokenResponse: { id: 1 } })).toMatchObject({
      accountId: null,
      problem: null,
    });
  });

  it('is a variable that is known already, or that the account call told', async () => {
    const variables = { shop: { from: 'user' }, site: { from: 'account', path: 'sites.0.id' } };
    const request = { url: `${server.origin}/me` };
    const account = {
      id: { from: 'variable', path: 'site' },
      name: { from: 'variable', path: 'shop' },
      request,
    };
    const provider = providerOf({ variables, account });
    const given = await readAccount(provider, {
      variables: { shop: 'blue' },
      request: async () => ({ ok: true, body: { sites: [{ id: 's1' }] } }),
    });
    expect(given).toMatchObject({ accountId: 's1', accountName: 'blue', problem: null });
  });

  it.each([
    ['without U+0000', 'No\u0000rth', 'North'],
    ['without half a surrogate pair', 'North\ud83d', 'North\ufffd'],
    ['without the half that cutting leaves', `${'x'.repeat(254)}\u{1f600}`, `${'x'.repeat(254)}\ufffd`],
    ['not at all, where nothing else is there', '\u0000', null],
  ])('is told as the store can keep it: %s', async (_how, given, expected) => {
    const provider = providerOf({ account: { id: { path: 'id' }, name: { path: 'id' } } });
    const account = await readAccount(provider, { tokenResponse: { id: given } });
    expect(account).toMatchObject({ accountId: expected, accountName: expected });
  });

  it('is cut to what fits', async () => {
    const provider = providerOf({ account: { id: { path: 'id' } } });
    const { accountId } = await readAccount(provider, { tokenResponse: { id: 'x'.repeat(1000) } });
    expect(accountId).toHaveLength(255);
  });
});

describe('the account call', () => {
  const asking = (extra: object = {}) =>
    providerOf({
      account: {
        id: { from: 'request', path: 'data.id' },
        name: { from: 'request', path: 'data.name' },
        request: { url: `${server.origin}/me?full=1`, headers: { 'X-Extra': '1' } },
      },
      ...extra,
    });
  const ask = (provider: Provider, credentials: Record<string, string>) =>
    readAccount(provider, {
      tokenResponse: {},
      request: createAccountRequest({ outbound }, provider, credentials),
    });

  it.each([
    ['bearer', {}, { accessToken: 'at' }, { authorization: 'Bearer at' }, '/me?full=1'],
    [
      'the provider’s own scheme',
      { accessTokenHeader: { name: 'Authorization', template: 'Zoho-oauthtoken {accessToken}' } },
      { accessToken: 'at' },
      { authorization: 'Zoho-oauthtoken at' },
      '/me?full=1',
    ],
    [
      'a key in a header',
      { auth: 'api-key', apiKey: { in: 'header', name: 'X-Key', template: '{apiKey}' } },
      { apiKey: 'k' },
      { 'x-key': 'k' },
      '/me?full=1',
    ],
    [
      'a key in the query',
      { auth: 'api-key', apiKey: { in: 'query', name: 'key', template: '{apiKey}' } },
      { apiKey: 'k&' },
      {},
      '/me?full=1&key=k%26',
    ],
    [
      'a key in the path',
      { auth: 'api-key', apiKey: { in: 'path', name: 'bot', template: '/bot{apiKey}' } },
      { apiKey: 'k/' },
      {},
      '/botk%2F/me?full=1',
    ],
    [
      'basic',
      { auth: 'basic' },
      { username: 'u', password: 'pä:' },
      { authorization: `Basic ${Buffer.from('u:pä:').toString('base64')}` },
      '/me?full=1',
    ],
  ])('carries the credential as %s', async (_name, extra, credentials, headers, url) => {
    answer({ data: { id: 7, name: 'Acme' } });
    expect(await ask(asking({ apiHeaders: { 'X-Version': '3' }, ...extra }), credentials)).toMatchObject({
      accountId: '7',
      accountName: 'Acme',
      problem: null,
    });
    expect(server.seen.at(-1)).toMatchObject({ method: 'GET', url });
    expect(server.seen.at(-1)?.headers).toMatchObject({ ...headers, 'x-version': '3', 'x-extra': '1' });
  });

  it('may be a query of GraphQL, posted', async () => {
    answer({ data: { id: 7, name: 'Acme' } });
    const request = { url: `${server.origin}/graphql`, method: 'POST', body: { query: '{me{id}}' } };
    const account = { id: { from: 'request', path: 'data.id' }, request };
    expect(await ask(asking({ account }), { accessToken: 'at' })).toMatchObject({ accountId: '7' });
    expect(server.seen.at(-1)).toMatchObject({ method: 'POST', body: '{"query":"{me{id}}"}' });
    expect(server.seen.at(-1)?.headers).toMatchObject({ 'content-type': 'application/json' });
  });

  it('has the parameters of every API call, with the access token among them where it belongs there', async () => {
    answer({ data: { id: 7 } });
    const apiQuery = { access_token: '{accessToken}', key: '{clientId}', full: '2', gone: '{x}' };
    const provider = asking({ apiQuery, variables: { x: { from: 'account' } } });
    await ask(provider, { accessToken: 'a t', clientId: 'c' });
    expect(server.seen.at(-1)?.url).toBe('/me?full=1&access_token=a+t&key=c');
    expect(server.seen.at(-1)?.headers.authorization).toBeUndefined();
  });

  it('may carry the credential in another place than API calls do', async () => {
    answer({ id: 7 });
    const request = { url: `${server.origin}/me`, headers: { Authorization: 'OAuth {accessToken}' } };
    const provider = providerOf({ account: { id: { from: 'request', path: 'id' }, request } });
    expect(await ask(provider, { accessToken: 'at' })).toMatchObject({ accountId: '7' });
    expect(server.seen.at(-1)?.headers.authorization).toBe('OAuth at');
  });

  it.each([
    [401, 'credential_refused'],
    [403, 'account_unavailable'],
    [302, 'account_unavailable'],
    [404, 'account_unavailable'],
    [500, 'account_unavailable'],
  ])('answered with %i is %s', async (status, kind) => {
    answer({ data: { id: 7 } }, status);
    expect(await ask(asking(), { accessToken: 'at' })).toMatchObject({ accountId: null, problem: { kind } });
  });

  it('that brings no JSON, no answer, or cannot be made leaves the account unknown', async () => {
    server.answer({ body: '<html>' });
    expect(await ask(asking(), { accessToken: 'at' })).toMatchObject({
      problem: { kind: 'account_unavailable' },
    });
    server.answer((_request, socket) => {
      socket.destroy();
      return undefined;
    });
    expect(await ask(asking(), { accessToken: 'at' })).toMatchObject({
      problem: { kind: 'account_unavailable' },
    });
    expect(await ask(asking(), {})).toMatchObject({ problem: { kind: 'account_unavailable' } });
  });

  it('is not made where it cannot be', async () => {
    const before = server.seen.length;
    expect(await readAccount(asking(), { tokenResponse: {} })).toMatchObject({
      accountId: null,
      problem: null,
    });
    expect(server.seen.length).toBe(before);
  });

  it('goes to the host that the token response names, and tells variables of its own', async () => {
    const provider = providerOf({
      apiBaseUrl: '{site}/{dc}',
      variables: {
        site: { from: 'token-response', path: 'urls.api' },
        dc: { from: 'account', path: 'data.dc' },
      },
      account: { id: { from: 'request', path: 'data.id' }, request: { url: '{site}/me' } },
    });
    answer({ data: { id: 1, dc: 'us6' } });
    const request = createAccountRequest({ outbound }, provider, { accessToken: 'at' });
    const account = await readAccount(provider, { tokenResponse: { urls: { api: server.origin } }, request });
    expect(account).toEqual({
      accountId: '1',
      accountName: null,
      variables: { site: server.origin, dc: 'us6' },
      problem: null,
    });
    answer({ data: { id: 1, dc: '..' } });
    const bad = await readAccount(provider, { tokenResponse: { urls: { api: server.origin } }, request });
    expect(bad.problem).toEqual({ kind: 'variable_invalid', variable: 'dc' });
  });
});

describe('variables of the token response', () => {
  const provider = () =>
    providerOf({
      apiBaseUrl: '{site}',
      variables: {
        site: {
          from: 'token-response',
          path: 'instance_url',
          pattern: 'https:\\/\\/[a-z]+\\.acme\\.example',
        },
        extra: { from: 'token-response' },
      },
    });
  const read = (tokenResponse: Record<string, unknown>) => readAccount(provider(), { tokenResponse });

  it('are read where they stand, and one that no address needs may be missing', async () => {
    expect(await read({ instance_url: 'https://blue.acme.example' })).toMatchObject({
      variables: { site: 'https://blue.acme.example' },
      problem: null,
    });
  });

  it.each([[{}], [{ instance_url: 'https://evil.example' }], [{ instance_url: 7 }], [{ instance_url: '' }]])(
    'are a problem where the API address needs them and the answer is %j',
    async (tokenResponse) => {
      expect(await read(tokenResponse)).toMatchObject({
        variables: {},
        problem: { kind: 'variable_invalid', variable: 'site' },
      });
    },
  );

  it('are read again from a refresh, and only replaced by what is good', () => {
    expect(readVariablesAgain(provider(), { instance_url: 'https://red.acme.example' })).toEqual({
      site: 'https://red.acme.example',
    });
    for (const instance_url of [undefined, 'https://evil.example', 7]) {
      expect(readVariablesAgain(provider(), { instance_url })).toEqual({});
    }
  });
});

describe('variables of the callback', () => {
  const provider = () =>
    providerOf({
      tokenUrl: '{accounts}/token',
      variables: {
        accounts: {
          from: 'callback',
          path: 'accounts-server',
          pattern: 'https:\\/\\/accounts\\.acme\\.(example|test)',
        },
      },
    });

  it('are read by their parameter’s name', () => {
    expect(readCallbackVariables(provider(), { 'accounts-server': 'https://accounts.acme.test' })).toEqual({
      ok: true,
      variables: { accounts: 'https://accounts.acme.test' },
    });
  });

  it.each([
    [{}],
    [{ 'accounts-server': 'https://accounts.evil.example' }],
    [{ 'accounts-server': 'https://accounts.acme.example.evil.org' }],
  ])('are refused by name in %j', (parameters) => {
    expect(readCallbackVariables(provider(), parameters)).toEqual({ ok: false, variable: 'accounts' });
  });
});
