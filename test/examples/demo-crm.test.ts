import { parse } from 'yaml';
import { demoCrmProviderFile } from '../../examples/demo-crm/provider-file.ts';
import { startDemoCrm } from '../../examples/demo-crm/server.ts';
import { providerFileSchema } from '../../src/catalog/schema/provider.schema.ts';
import { CLIENT, createDemoCrmClient, obtainTokens, REDIRECT_URI } from './demo-crm-client.ts';

const crm = await startDemoCrm({ clients: [CLIENT], contacts: 50 });
afterAll(crm.close);

describe('authorization', () => {
  it('asks to sign in, asks for consent, and sends the browser back with code, state and issuer', async () => {
    const client = createDemoCrmClient(crm);
    const signInPage = await client.browser.open(client.authorizationUrl());
    expect(signInPage.body).toContain('ada@northwind.test');
    const consentPage = await client.signIn(signInPage, 'ada@northwind.test');
    expect(consentPage.body).toContain('crm.objects.contacts.write');
    expect(consentPage.body).toContain('Northwind Traders');
    const redirect = new URL((await client.browser.submit(`${consentPage.url}/allow`)).url);
    expect(redirect.origin + redirect.pathname).toBe(REDIRECT_URI);
    expect(redirect.searchParams.get('code')).toEqual(expect.any(String));
    expect(redirect.searchParams.get('state')).toBe('state-1');
    expect(redirect.searchParams.get('iss')).toBe(`${crm.url}/oauth`);
  });

  it('does not let in a user with a wrong password', async () => {
    const client = createDemoCrmClient(crm);
    const page = await client.browser.open(client.authorizationUrl());
    const answer = await client.browser.submit(`${page.url}/sign-in`, {
      email: 'ada@northwind.test',
      password: 'no',
    });
    expect(answer.status).toBe(401);
    expect(answer.body).toContain('do not belong together');
    expect((await client.browser.open(page.url)).body).toContain('id="sign-in"');
  });

  it('tells the client that the user said no', async () => {
    const client = createDemoCrmClient(crm);
    const consent = await client.signIn(
      await client.browser.open(client.authorizationUrl()),
      'ada@northwind.test',
    );
    const redirect = new URL((await client.browser.submit(`${consent.url}/deny`)).url);
    expect(redirect.searchParams.get('error')).toBe('access_denied');
    expect(redirect.searchParams.get('state')).toBe('state-1');
    expect(redirect.searchParams.has('code')).toBe(false);
  });

  it('refuses a request without PKCE, and one with the plain method', async () => {
    const client = createDemoCrmClient(crm);
    for (const overrides of [
      { code_challenge: null, code_challenge_method: null },
      { code_challenge: client.verifier, code_challenge_method: 'plain' },
    ]) {
      const page = await client.browser.open(client.authorizationUrl(overrides));
      expect(new URL(page.url).searchParams.get('error')).toBe('invalid_request');
    }
  });

  it('refuses a scope that it does not know', async () => {
    const client = createDemoCrmClient(crm);
    const page = await client.browser.open(
      client.authorizationUrl({ scope: 'oauth crm.objects.robots.read' }),
    );
    expect(new URL(page.url).searchParams.get('error')).toBe('invalid_scope');
  });

  it('shows an error and redirects nowhere when the redirect URI is not registered', async () => {
    const client = createDemoCrmClient(crm);
    const page = await client.browser.open(
      client.authorizationUrl({ redirect_uri: 'http://127.0.0.1:9/elsewhere' }),
    );
    expect(page.status).toBe(400);
    expect(page.body).toContain('invalid_redirect_uri');
  });

  it('lets another user of another hub connect in the same browser, and keeps the first connection', async () => {
    const client = createDemoCrmClient(crm);
    const first = await client.exchange(
      (await client.authorize('ada@northwind.test')).searchParams.get('code') ?? '',
    );
    const consent = await client.browser.open(client.authorizationUrl());
    expect(consent.body).toContain('ada@northwind.test');
    const signInPage = await client.browser.submit(`${consent.url}/sign-out`);
    const secondConsent = await client.signIn(signInPage, 'carol@contoso.test');
    const redirect = new URL((await client.browser.submit(`${secondConsent.url}/allow`)).url);
    const second = await client.exchange(redirect.searchParams.get('code') ?? '');
    expect(second.body.hub_id).not.toBe(first.body.hub_id);
    expect((await client.getContacts(first.body.access_token)).status).toBe(200);
    expect((await client.refresh(first.body.refresh_token)).status).toBe(200);
  });

  it('grants optional scopes that stay ticked and leaves out those that do not', async () => {
    const overrides = {
      scope: 'oauth',
      optional_scope: 'crm.objects.contacts.read crm.objects.contacts.write',
    };
    const { tokens } = await obtainTokens(crm, 'ada@northwind.test', overrides);
    expect(tokens.scopes).toEqual(['oauth', 'crm.objects.contacts.read']);
    expect(tokens.scope).toBe('oauth crm.objects.contacts.read');
  });

  it('serves its pages without scripts and not inside frames', async () => {
    const client = createDemoCrmClient(crm);
    const { headers } = await client.browser.open(client.authorizationUrl());
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/);
  });
});

describe('token endpoint', () => {
  it('answers with the members that HubSpot adds', async () => {
    const { tokens } = await obtainTokens(crm, 'carol@contoso.test');
    expect(tokens).toMatchObject({
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      expires_in: 1800,
      token_type: 'Bearer',
      hub_id: 48_233_904,
      hub_domain: 'contoso.test',
      user_id: 7_422_580,
      scopes: expect.arrayContaining(['crm.objects.contacts.read']),
    });
  });

  it('takes the client secret by HTTP Basic too', async () => {
    const client = createDemoCrmClient(crm);
    const code = (await client.authorize()).searchParams.get('code') ?? '';
    const form = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT_URI,
      code_verifier: client.verifier,
    };
    const authorization = `Basic ${Buffer.from(`${CLIENT.clientId}:${CLIENT.clientSecret}`).toString('base64')}`;
    expect(await client.post('/oauth/token', form, { authorization })).toMatchObject({ status: 200 });
  });

  it('refuses a wrong client secret and a wrong code verifier', async () => {
    const client = createDemoCrmClient(crm);
    const code = (await client.authorize()).searchParams.get('code') ?? '';
    expect(await client.exchange(code, { client_secret: 'wrong' })).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    });
    expect(await client.exchange(code, { code_verifier: 'x'.repeat(43) })).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
  });

  it('revokes everything when a code is used twice', async () => {
    const client = createDemoCrmClient(crm);
    const code = (await client.authorize()).searchParams.get('code') ?? '';
    const { body } = await client.exchange(code);
    expect(await client.exchange(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect((await client.getContacts(body.access_token)).status).toBe(401);
  });

  it('gives a new refresh token with each refresh, with the account in the answer', async () => {
    const { client, tokens } = await obtainTokens(crm);
    const refreshed = await client.refresh(tokens.refresh_token);
    expect(refreshed).toMatchObject({ status: 200, body: { hub_id: tokens.hub_id, scopes: tokens.scopes } });
    expect(refreshed.body.refresh_token).not.toBe(tokens.refresh_token);
    expect((await client.getContacts(refreshed.body.access_token)).status).toBe(200);
  });

  it('ends the whole grant when a refresh token is used twice', async () => {
    const { client, tokens } = await obtainTokens(crm);
    const { body: refreshed } = await client.refresh(tokens.refresh_token);
    expect(await client.refresh(tokens.refresh_token)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
    expect((await client.refresh(refreshed.refresh_token)).body.error).toBe('invalid_grant');
    expect((await client.getContacts(refreshed.access_token)).status).toBe(401);
  });

  it('ends the grant when its refresh token is revoked, and answers 200 for a token that it does not know', async () => {
    const { client, tokens } = await obtainTokens(crm);
    const before = crm.stats.revokedTokens;
    expect((await client.revoke('unknown')).status).toBe(200);
    expect(crm.stats.revokedTokens).toBe(before);
    expect((await client.revoke(tokens.refresh_token)).status).toBe(200);
    expect(crm.stats.revokedTokens).toBe(before + 1);
    expect((await client.refresh(tokens.refresh_token)).body.error).toBe('invalid_grant');
    expect((await client.getContacts(tokens.access_token)).status).toBe(401);
  });
});

describe('hooks for tests', () => {
  it('expires access tokens until they are refreshed', async () => {
    const { client, tokens } = await obtainTokens(crm);
    expect(crm.expireAccessTokens()).toBeGreaterThan(0);
    const refused = await client.getContacts(tokens.access_token);
    expect(refused.status).toBe(401);
    expect(await refused.json()).toMatchObject({ status: 'error', category: 'EXPIRED_AUTHENTICATION' });
    const { body } = await client.refresh(tokens.refresh_token);
    expect((await client.getContacts(body.access_token)).status).toBe(200);
  });

  it('revokes the grants of one hub as if its users had removed the app', async () => {
    const ada = await obtainTokens(crm, 'ada@northwind.test');
    const carol = await obtainTokens(crm, 'carol@contoso.test');
    expect(crm.revokeGrants(Number(ada.tokens.hub_id))).toBeGreaterThan(0);
    expect((await ada.client.refresh(ada.tokens.refresh_token)).body.error).toBe('invalid_grant');
    expect(await (await ada.client.getContacts(ada.tokens.access_token)).json()).toMatchObject({
      category: 'INVALID_AUTHENTICATION',
    });
    expect((await carol.client.refresh(carol.tokens.refresh_token)).status).toBe(200);
  });

  it('counts token requests by grant type and lists API calls', async () => {
    const before = structuredClone(crm.stats);
    const { client, tokens } = await obtainTokens(crm);
    await client.refresh(tokens.refresh_token);
    await client.refresh('unknown');
    await client.getContacts(tokens.access_token, 'limit=2&after=0');
    const grown = (counts: Record<string, number>, old: Record<string, number>, name: string) =>
      (counts[name] ?? 0) - (old[name] ?? 0);
    expect(grown(crm.stats.tokenRequests, before.tokenRequests, 'authorization_code')).toBe(1);
    expect(grown(crm.stats.tokenRequests, before.tokenRequests, 'refresh_token')).toBe(1);
    expect(grown(crm.stats.refusedTokenRequests, before.refusedTokenRequests, 'refresh_token')).toBe(1);
    const path = '/crm/v3/objects/contacts?limit=2&after=0';
    expect(crm.stats.apiCalls.at(-1)).toEqual({ method: 'GET', path, status: 200 });
  });

  it('accepts another client while it runs', async () => {
    crm.addClient({
      clientId: 'late',
      clientSecret: 'late-secret',
      redirectUris: ['http://127.0.0.1:9/late'],
    });
    const client = createDemoCrmClient(crm);
    const overrides = { client_id: 'late', redirect_uri: 'http://127.0.0.1:9/late' };
    expect((await client.authorize('ben@northwind.test', overrides)).searchParams.has('code')).toBe(true);
  });
});

describe('provider file', () => {
  it('is one that the catalog accepts, and its endpoints are those that the server has', async () => {
    const provider = providerFileSchema.parse(parse(demoCrmProviderFile(crm.url)));
    const metadata = await (await fetch(`${provider.issuer}/.well-known/oauth-authorization-server`)).json();
    expect(metadata).toMatchObject({
      issuer: provider.issuer,
      authorization_endpoint: provider.authorizationUrl,
      token_endpoint: provider.tokenUrl,
      revocation_endpoint: provider.revocationUrl,
      code_challenge_methods_supported: ['S256'],
      scopes_supported: expect.arrayContaining(provider.defaultScopes),
    });
    expect(metadata.token_endpoint_auth_methods_supported).toContain(provider.tokenEndpointAuth);
  });
});
