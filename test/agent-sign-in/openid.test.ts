import pg from 'pg';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import { createRequest, exchangeCode, type SignInStage, startSignInStage } from '../support/agent-sign-in.ts';
import { startAuthorizationServer } from '../support/authorization-server.ts';
import { callApi, callApiOk } from '../support/gateway.ts';
import { type OpenIdProvider, startOpenIdProvider } from '../support/openid-provider.ts';
import { createVisitor, readLocation, type Visitor } from '../support/visitor.ts';

let stage: SignInStage;
let provider: OpenIdProvider;
const path = () => `/v1/projects/${stage.project.id}`;
const change = (agentSignIn: unknown) =>
  callApi(stage.gateway.url, 'PATCH', path(), { bearer: stage.project.apiKey, body: { agentSignIn } });

const settingOf = (more: Record<string, unknown> = {}) => ({
  openid: {
    issuer: provider.origin,
    clientId: provider.clientId,
    clientSecret: provider.clientSecret,
    ...more,
  },
});

beforeAll(async () => {
  stage = await startSignInStage();
  provider = await startOpenIdProvider();
});
beforeEach(async () => {
  provider.mend();
  expect((await change(settingOf())).status).toBe(200);
});
afterAll(async () => {
  await stage?.close();
  await provider?.close();
});

const codeOf = (response: Response) => response.headers.get('gateway-error');

/** A sign-in that has come to the provider. */
async function goThere(visitor = createVisitor()) {
  const clientId = stage.documents.add();
  const request = createRequest(stage.gateway, stage.project, clientId);
  const interaction = await readLocation(await visitor.get(request.url));
  const answer = await visitor.get(interaction);
  return { visitor, clientId, request, interaction, answer };
}

/** To the provider and back, as far as the page of consent or what stands in its place. */
async function comeBack(changes: Record<string, string | undefined> = {}) {
  const there = await goThere();
  const back = provider.authorize(await readLocation(there.answer), changes);
  const answer = await there.visitor.get(back);
  const page = answer.status === 303 ? await there.visitor.get(await readLocation(answer)) : answer;
  return { ...there, back, page };
}

async function decide(visitor: Visitor, interaction: string, html: string) {
  const formToken = /name="formToken" value="([^"]+)"/.exec(html)?.[1] ?? '';
  const decided = await visitor.post(interaction, { formToken, decision: 'allow', access: 'read' });
  return new URL(await readLocation(await visitor.get(await readLocation(decided))));
}

describe('signing in at the project’s OpenID provider', () => {
  it('brings the client tokens of the user whom a real provider names', async () => {
    const redirectUri = `${stage.gateway.url}/agents/signed-in/${stage.project.id}`;
    const claims = () => ({ email: 'mia@northwind.test', email_verified: true });
    const real = await startAuthorizationServer({ redirectUri, claims, accountId: 'mia' });
    try {
      const { origin: issuer, clientId: id, clientSecret } = real;
      await change({ openid: { issuer, clientId: id, clientSecret } });
      const { visitor, clientId, request, interaction, answer } = await goThere();
      let response = answer;
      while (response.status >= 300 && response.status < 400 && !response.url.startsWith(redirectUri))
        response = await visitor.get(await readLocation(response));
      const page = await visitor.get(await readLocation(response));
      const html = await page.text();
      expect(html).toContain('as mia@northwind.test');
      const callback = await decide(visitor, interaction, html);
      const { status, body } = await exchangeCode(stage.gateway, clientId, request, callback);
      expect(status).toBe(200);
      const reached = await callApi(stage.address, 'POST', '', { bearer: body.access_token, body: {} });
      expect(reached.status).not.toBe(401);
      const bearer = stage.project.userToken('mia');
      const { consents } = await callApiOk(stage.gateway.url, 'GET', '/v1/agent-consents', { bearer });
      expect(consents[0]).toMatchObject({ userId: 'mia', access: 'read', client: { id: clientId } });
    } finally {
      await real.close();
    }
  });

  it('asks with PKCE, state and nonce, at an address of the project’s own', async () => {
    const { answer } = await goThere();
    const asked = new URL(await readLocation(answer)).searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      client_id: provider.clientId,
      code_challenge: expect.stringMatching(/^.{43}$/),
      code_challenge_method: 'S256',
      nonce: expect.stringMatching(/^.{43}$/),
      redirect_uri: `${stage.gateway.url}/agents/signed-in/${stage.project.id}`,
      scope: 'openid email',
      state: expect.stringMatching(/^.{43}$/),
    });
  });

  it('takes the claim that the project names, and the mandate', async () => {
    const { id } = await callApiOk(stage.gateway.url, 'POST', `${path()}/mandates`, {
      bearer: stage.project.apiKey,
      body: { name: 'Agents', entries: [{ type: 'gateway_access', provider: 'notes', access: 'read' }] },
    });
    await change(settingOf({ userIdClaim: 'employee', mandateId: id }));
    provider.claims = { employee: 4711, name: 'Mia <b>' };
    const { visitor, interaction, page } = await comeBack();
    const html = await page.text();
    expect(html).toContain('as Mia &lt;b&gt;');
    expect(html).toMatch(/<li>Read at notes<\/li>/i);
    await decide(visitor, interaction, html);
    const bearer = stage.project.userToken('4711');
    const { consents } = await callApiOk(stage.gateway.url, 'GET', '/v1/agent-consents', { bearer });
    expect(consents).toMatchObject([{ userId: '4711', mandateId: id }]);
  });

  it('tells the client that the provider has refused the person', async () => {
    const refused = { code: undefined, error: 'access_denied' };
    const { visitor, page } = await comeBack(refused);
    const callback = new URL(await readLocation(await visitor.get(await readLocation(page))));
    expect(callback.searchParams.get('error')).toBe('access_denied');
  });

  it('goes on after a fault, once the provider is well again', async () => {
    provider.answer('/token', { status: 503, body: '{}' });
    const { visitor, interaction, page } = await comeBack();
    expect(codeOf(page)).toBe('agent_sign_in_provider_unavailable');
    expect(await page.text()).toContain('The sign-in does not answer');
    provider.mend();
    const back = provider.authorize(await readLocation(await visitor.get(interaction)));
    const again = await visitor.get(await readLocation(await visitor.get(back)));
    expect(again.status).toBe(200);
  });
});

describe('what proves nothing', () => {
  const HOUR = 3600;
  const now = () => Math.floor(Date.now() / 1000);

  const lastDetail = () =>
    /"detail":"(.*?)","/.exec(stage.gateway.logs().split('could not sign in').at(-2) ?? '');

  it.each<[string, string, () => Record<string, unknown>]>([
    ['another nonce', 'nonce', () => ({ nonce: 'of-another-sign-in' })],
    ['no nonce', 'nonce', () => ({ nonce: undefined })],
    ['a foreign issuer', 'iss', () => ({ iss: 'https://elsewhere.example' })],
    ['another audience', 'aud', () => ({ aud: 'another-client' })],
    ['an end that is past', 'exp', () => ({ iat: now() - 2 * HOUR, exp: now() - HOUR })],
  ])('is an ID token with %s', async (_name, claim, claims) => {
    provider.claims = claims();
    const { page } = await comeBack();
    expect([page.status, codeOf(page)]).toEqual([502, 'agent_sign_in_provider_failed']);
    expect(lastDetail()?.[1]).toContain(claim);
    expect(await page.text()).toContain('The application could not sign you in');
  });

  it('is an ID token that another key has signed', async () => {
    provider.signsWithAnotherKey = true;
    expect(codeOf((await comeBack()).page)).toBe('agent_sign_in_provider_failed');
  });

  it.each<[string, Record<string, string | undefined>, string]>([
    ['of a foreign issuer', { iss: 'https://elsewhere.example' }, 'agent_sign_in_provider_failed'],
    ['without its issuer', { iss: undefined }, 'agent_sign_in_provider_failed'],
    ['with a state that was made up', { state: 'made-up' }, 'agent_sign_in_invalid'],
    ['without a state', { state: undefined }, 'agent_sign_in_invalid'],
    ['with an error', { code: undefined, error: 'server_error' }, 'agent_sign_in_provider_failed'],
    [
      'that refuses the client',
      { code: undefined, error: 'unauthorized_client' },
      'agent_sign_in_client_refused',
    ],
  ])('is a way back %s', async (_name, changes, code) => {
    const before = provider.forms.length;
    const { page, visitor, interaction } = await comeBack(changes);
    expect(codeOf(page)).toBe(code);
    expect(provider.forms.length).toBe(before);
    // Nobody is signed in: the page begins again.
    expect(await readLocation(await visitor.get(interaction))).toContain(`${provider.origin}/authorize`);
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['lacks', { userIdClaim: 'employee' }, {}],
    ['has as a list', { userIdClaim: 'employee' }, { employee: ['4711'] }],
    ['reserves for the gateway', {}, { sub: 'operator:1' }],
    ['has not verified', { userIdClaim: 'email' }, { email: 'mia@northwind.test', email_verified: false }],
  ])('is an id that the provider %s', async (_name, setting, claims) => {
    await change(settingOf(setting));
    provider.claims = claims;
    expect(codeOf((await comeBack()).page)).toBe('agent_sign_in_user_unknown');
  });

  it('is an ID token with a claim that no consent can keep', async () => {
    provider.claims = { act: { sub: 'desk\u0000' } };
    expect(codeOf((await comeBack()).page)).toBe('agent_sign_in_user_unknown');
  });

  it('is another browser, another time and another project', async () => {
    const { visitor, back } = await comeBack();
    expect(codeOf(await visitor.get(back))).toBe('agent_sign_in_invalid');
    const there = await goThere();
    const fresh = provider.authorize(await readLocation(there.answer));
    expect(codeOf(await createVisitor().get(fresh))).toBe('agent_sign_in_invalid');
    const elsewhere = fresh.replace(stage.project.id, crypto.randomUUID());
    expect(codeOf(await there.visitor.get(elsewhere))).toBe('agent_sign_in_invalid');
    expect((await there.visitor.get(fresh)).status).toBe(303);
  });

  it('is an answer to a client that has been replaced meanwhile', async () => {
    const { visitor, answer } = await goThere();
    const back = provider.authorize(await readLocation(answer));
    await change(settingOf({ clientId: 'another' }));
    const before = provider.forms.length;
    expect(codeOf(await visitor.get(back))).toBe('agent_sign_in_invalid');
    expect(provider.forms.length).toBe(before);
  });
});

describe('a provider that fails', () => {
  /** As one whose documents have not been read: each client id has its own. */
  const changeClient = () => change(settingOf({ clientId: crypto.randomUUID() }));
  const DISCOVERY = '/.well-known/openid-configuration';

  it.each([
    ['names another issuer', { body: '{"issuer":"https://elsewhere.example"}' }, 502, 'provider_failed'],
    ['answers a megabyte', { body: `{"a":"${'x'.repeat(1024 * 1024)}"}` }, 502, 'provider_failed'],
    ['answers no JSON', { body: '<html>' }, 502, 'provider_failed'],
    ['has a fault', { status: 500, body: '' }, 503, 'provider_unavailable'],
  ])('at discovery, as one that %s', async (_name, answer, status, code) => {
    await changeClient();
    provider.answer(DISCOVERY, answer);
    const { answer: page } = await goThere();
    expect([page.status, codeOf(page)]).toEqual([status, `agent_sign_in_${code}`]);
  });

  it.each([
    ['answers a megabyte', { body: `{"a":"${'x'.repeat(1024 * 1024)}"}` }, 'provider_failed'],
    ['sends no ID token', { body: '{"access_token":"a","token_type":"Bearer"}' }, 'provider_failed'],
    ['takes no code', { status: 400, body: '{"error":"invalid_grant"}' }, 'provider_failed'],
    ['knows no such client', { status: 401, body: '{"error":"invalid_client"}' }, 'client_refused'],
  ])('at the token endpoint, as one that %s', async (_name, answer, code) => {
    provider.answer('/token', answer);
    expect(codeOf((await comeBack()).page)).toBe(`agent_sign_in_${code}`);
  });

  it('is said to be away where its address leads to no server', async () => {
    await change({ openid: { ...settingOf().openid, issuer: 'http://127.0.0.1:9' } });
    const { answer } = await goThere();
    expect([answer.status, codeOf(answer)]).toEqual([503, 'agent_sign_in_provider_unavailable']);
  });
});

describe('the setting', () => {
  it('shows everything but the secret, which stays for the same client alone', async () => {
    const { body: shown } = await change(settingOf({ scopes: ['email', 'profile'] }));
    expect(shown.agentSignIn).toEqual({
      page: null,
      openid: {
        issuer: provider.origin,
        clientId: provider.clientId,
        scopes: ['email', 'profile'],
        userIdClaim: 'sub',
        mandateId: null,
        hasClientSecret: true,
      },
      dynamicRegistration: false,
    });
    const { issuer, clientId } = settingOf().openid;
    expect((await change({ openid: { issuer, clientId } })).body.agentSignIn.openid.hasClientSecret).toBe(
      true,
    );
    await comeBack();
    expect(provider.forms.at(-1)?.get('code_verifier')).toMatch(/^.{43}$/);
    const other = await change({ openid: { issuer, clientId: 'another' } });
    expect(other).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', errors: [{ path: 'body.agentSignIn.openid.clientSecret' }] },
    });
    const publicClient = await change({ openid: { issuer, clientId, clientSecret: null } });
    expect(publicClient.body.agentSignIn.openid.hasClientSecret).toBe(false);
  });

  it.each<[string, unknown]>([
    [
      'both a page and a provider',
      {
        page: 'https://app.example.com/',
        ...{ openid: { issuer: 'https://a.example', clientId: 'c', clientSecret: null } },
      },
    ],
    ['neither', { dynamicRegistration: true }],
    [
      'an issuer with a query',
      { openid: { issuer: 'https://a.example/?a=b', clientId: 'c', clientSecret: null } },
    ],
    [
      'an issuer of another kind',
      { openid: { issuer: 'file:///etc/passwd', clientId: 'c', clientSecret: null } },
    ],
  ])('is refused with %s', async (_name, setting) => {
    expect(await change(setting)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  it('is made with a project as well, its secret sealed in the store', async () => {
    const made = await callApiOk(stage.gateway.url, 'POST', '/v1/projects', {
      bearer: stage.project.personalAccessToken,
      body: { name: 'Second', agentSignIn: settingOf() },
    });
    expect(made.agentSignIn.openid.hasClientSecret).toBe(true);
    const client = new pg.Client(connectionSettings(stage.gateway.databaseUrl ?? ''));
    await client.connect();
    const { rows } = await client.query('SELECT * FROM projects');
    await client.end();
    expect(JSON.stringify(rows)).not.toContain(provider.clientSecret);
    expect(stage.gateway.logs()).not.toContain(provider.clientSecret);
  });
});
