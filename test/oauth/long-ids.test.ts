import { createAccountRequest, readAccount } from '../../src/oauth/account.ts';
import { findInstallation } from '../../src/oauth/installation.ts';
import { listTenants } from '../../src/oauth/tenants.ts';
import { readTokenResponse } from '../../src/oauth/token-response.ts';
import type { Outbound } from '../../src/platform/outbound.ts';
import { acmeProvider } from '../support/acme-provider.ts';

/** Two ids that are the same number to JavaScript. */
const [ONE, OTHER] = ['12345678901234567001', '12345678901234567899'] as const;

const answering = (body: string): Outbound => ({
  request: async () => ({ status: 200, headers: {}, body: Buffer.from(body) }),
});
const idToken = (claims: string) => `e30.${Buffer.from(claims).toString('base64url')}.sig`;
const URL_OF_LIST = 'https://api.acme.example/list';

describe('ids of more digits than a number holds stay what the provider says', () => {
  it('of the account call', async () => {
    const request = { url: 'https://api.acme.example/me' };
    const provider = acmeProvider({ account: { id: { from: 'request', path: 'id' }, request } });
    const outbound = answering(`{"id":${ONE}}`);
    const ask = createAccountRequest({ outbound }, provider, { accessToken: 'at' });
    expect(await readAccount(provider, { request: ask })).toMatchObject({ accountId: ONE, problem: null });
  });

  it.each([
    ['token-response', `{"id":${ONE},"access_token":"at"}`],
    ['id-token', JSON.stringify({ id_token: idToken(`{"id":${ONE}}`) })],
  ])('of the %s, and its variables', async (from, text) => {
    const variables = from === 'id-token' ? {} : { site: { from, path: 'id' } };
    const provider = acmeProvider({ account: { id: { from, path: 'id' } }, variables });
    const tokenResponse = readTokenResponse({ headers: {}, body: Buffer.from(text) });
    const account = await readAccount(provider, { tokenResponse });
    expect(account).toMatchObject({ accountId: ONE, variables: from === 'id-token' ? {} : { site: ONE } });
  });

  it('of tenants, which stay two, with an address for each', async () => {
    const provider = acmeProvider({
      apiBaseUrl: 'https://api.acme.example/{site}',
      variables: { site: { from: 'tenant', path: 'id' } },
      tenants: { kind: 'site', request: { url: URL_OF_LIST }, id: 'id' },
    });
    const outbound = answering(`[{"id":${ONE}},{"id":${OTHER}}]`);
    const listed = await listTenants({ outbound }, provider, { accessToken: 'at' });
    expect(listed).toMatchObject({
      ok: true,
      tenants: [
        { id: ONE, variables: { site: ONE } },
        { id: OTHER, variables: { site: OTHER } },
      ],
    });
  });

  it('of installations, so that another one’s is foreign', async () => {
    const list = { url: URL_OF_LIST, headers: {}, itemsPath: 'items', id: 'id', pageParameter: 'page' };
    const provider = { ...acmeProvider(), installation: { variable: 'installation', list } } as ReturnType<
      typeof acmeProvider
    >;
    const outbound: Outbound = {
      request: async ({ url }) => ({
        status: 200,
        headers: {},
        body: Buffer.from(url.endsWith('page=1') ? `{"items":[{"id":${ONE}}]}` : '{"items":[]}'),
      }),
    };
    const ask = (installation: string) => findInstallation({ outbound }, provider, { installation }, 'at');
    expect(await ask(ONE)).toBe('theirs');
    expect(await ask('12345678901234567000')).toBe('foreign');
  });
});
