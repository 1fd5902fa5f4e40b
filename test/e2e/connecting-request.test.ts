import { createHash } from 'node:crypto';
import { callApi, callApiOk } from '../support/gateway.ts';
import { readOutcome } from '../support/stage.ts';
import { until } from '../support/until.ts';
import { answerTokens } from './connecting-provider.ts';
import { CLIENT, type ConnectingStage, RETURN_URL, startConnectingStage } from './connecting-stage.ts';

let stage: ConnectingStage;

beforeAll(async () => {
  stage = await startConnectingStage(['scripted', 'other', 'unproven']);
});
beforeEach(() => {
  stage.provider.answerToken = () => answerTokens('north');
});
afterAll(() => stage?.close());

const patch = (provider: string, body: object) =>
  callApi(stage.gateway.url, 'PATCH', `/v1/integrations/${stage.integrations[provider]}`, {
    bearer: stage.project.apiKey,
    body,
  });

const begin = async (provider: string) => {
  const session = await stage.start('mia', { provider });
  const browser = stage.openBrowser();
  return { session, browser, request: await stage.follow(session, browser) };
};

describe('the authorization request', () => {
  it('has the client, the exact redirect URI and scopes, state, PKCE S256 and the catalog’s parameters, each once', async () => {
    const { request } = await begin('scripted');
    const { state = '', code_challenge = '', ...rest } = Object.fromEntries(request.searchParams);
    expect([...request.searchParams]).toHaveLength(Object.keys(rest).length + 2);
    expect(rest).toEqual({
      response_type: 'code',
      client_id: CLIENT.clientId,
      redirect_uri: `${stage.gateway.url}/oauth/callback`,
      scope: 'read write',
      code_challenge_method: 'S256',
      access_type: 'offline',
      prompt: 'consent',
    });
    expect(Buffer.from(state, 'base64url')).toHaveLength(32);
    expect(Buffer.from(code_challenge, 'base64url')).toHaveLength(32);
  });

  it('has new values each time', async () => {
    const [one, two] = [(await begin('scripted')).request, (await begin('scripted')).request];
    for (const name of ['state', 'code_challenge']) {
      expect(one.searchParams.get(name)).not.toBe(two.searchParams.get(name));
    }
  });

  it('keeps the redirect URI whatever host the browser claims to have asked', async () => {
    const { url } = await stage.start('mia');
    const headers = {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      forwarded: 'host=evil.example',
    };
    const response = await fetch(url, { redirect: 'manual', headers });
    const request = new URL(response.headers.get('location') ?? '');
    expect(request.searchParams.get('redirect_uri')).toBe(`${stage.gateway.url}/oauth/callback`);
  });

  it('asks for optional scopes apart where the provider has a parameter for them, and among the others where not', async () => {
    for (const provider of ['scripted', 'other']) {
      expect((await patch(provider, { optionalScopes: ['extra', 'read'] })).status).toBe(200);
    }
    const apart = (await begin('scripted')).request.searchParams;
    expect([apart.get('scope'), apart.get('optional_scope')]).toEqual(['read write', 'extra read']);
    expect((await begin('other')).request.searchParams.get('scope')).toBe('read write extra');
    for (const provider of ['scripted', 'other']) await patch(provider, { optionalScopes: [] });
  });

  it('has the integration’s own parameters, which win over the catalog’s and never over the protocol’s', async () => {
    const authorizationParams = { prompt: 'login', login_hint: 'a b&c' };
    expect((await patch('scripted', { settings: { authorizationParams } })).status).toBe(200);
    const { searchParams } = (await begin('scripted')).request;
    expect([searchParams.get('prompt'), searchParams.get('login_hint')]).toEqual(['login', 'a b&c']);
    expect(searchParams.get('access_type')).toBe('offline');
    for (const owned of [
      'redirect_uri',
      'state',
      'scope',
      'code_challenge_method',
      'response_type',
      'request_uri',
    ]) {
      const refused = await patch('scripted', { settings: { authorizationParams: { [owned]: 'x' } } });
      expect([owned, refused.status]).toEqual([owned, 400]);
    }
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, '']));
    const statuses = [50, 51].map((count) =>
      patch('scripted', { settings: { authorizationParams: many(count) } }),
    );
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([200, 400]);
    await patch('scripted', { settings: {} });
  });

  it('goes without PKCE to a provider that breaks on it, with state and cookie all the same', async () => {
    const { browser, request } = await begin('unproven');
    expect(request.searchParams.has('code_challenge')).toBe(false);
    expect(readOutcome(await stage.answer(request, browser)).message.status).toBe('success');
    expect(stage.provider.tokenCalls.at(-1)?.form.has('code_verifier')).toBe(false);
    const another = await begin('unproven');
    expect((await stage.answer(another.request, stage.openBrowser())).status).toBe(403);
  });
});

describe('the token request', () => {
  it('brings the code, the same redirect URI, the client and the verifier of this very request', async () => {
    const { browser, request } = await begin('scripted');
    await stage.answer(request, browser);
    const { form, headers } = stage.provider.tokenCalls.at(-1) ?? {};
    const { code_verifier = '', ...rest } = Object.fromEntries(form ?? []);
    expect(rest).toEqual({
      grant_type: 'authorization_code',
      code: 'the-code',
      redirect_uri: `${stage.gateway.url}/oauth/callback`,
      client_id: CLIENT.clientId,
      client_secret: CLIENT.clientSecret,
    });
    const challenge = createHash('sha256').update(code_verifier).digest('base64url');
    expect(challenge).toBe(request.searchParams.get('code_challenge'));
    expect(headers?.cookie).toBeUndefined();
  });

  it('tries the secret before the last change, too, while the provider does not know the new one', async () => {
    stage.provider.answerToken = ({ form }) =>
      form.get('client_secret') === CLIENT.clientSecret
        ? answerTokens('north')
        : { status: 401, body: { error: 'invalid_client' } };
    await patch('other', { clientSecret: 'second secret' });
    const { browser, request } = await begin('other');
    const before = stage.provider.tokenCalls.length;
    expect(readOutcome(await stage.answer(request, browser)).message.status).toBe('success');
    const tried = stage.provider.tokenCalls.slice(before).map(({ form }) => form.get('client_secret'));
    expect(tried).toEqual(['second secret', CLIENT.clientSecret]);
  });
});

describe('scopes that were not granted', () => {
  it('end in missing_scopes: nothing is connected, and the tokens are revoked', async () => {
    stage.provider.answerToken = () => answerTokens('north', { scope: 'read', refresh_token: 'too-narrow' });
    const page = await stage.authorize(await stage.start('leo'));
    expect(readOutcome(page).message).toMatchObject({ status: 'error', error: 'missing_scopes' });
    expect(readOutcome(page).message).not.toHaveProperty('completionCode');
    await until(() => stage.provider.revoked.includes('too-narrow'));
    expect(await stage.connectionsOf('leo')).toEqual([]);
  });

  it('are no fault where they were optional, and the connection says what was granted', async () => {
    await patch('scripted', { optionalScopes: ['extra'] });
    const ask = async (scope: string) => {
      stage.provider.answerToken = () => answerTokens('north', { scope });
      const session = await stage.start('leo');
      const { message } = readOutcome(await stage.authorize(session));
      return (await stage.complete(session.id, message.completionCode, stage.project.userToken('leo'))).body;
    };
    expect(await ask('write read')).toMatchObject({ grantedScopes: ['write', 'read'] });
    expect(await ask('write read extra')).toMatchObject({ grantedScopes: ['write', 'read', 'extra'] });
    await patch('scripted', { optionalScopes: [] });
  });
});

describe('the closing page', () => {
  it('is never cached or framed, keeps its opener, and runs its own script only', async () => {
    const { headers, status } = await stage.authorize(await stage.start('mia'));
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'unsafe-none',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    });
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; script-src 'nonce-[\w-]{22}';/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
  });

  it('holds the completion code and neither code, state nor tokens of the provider', async () => {
    const { session, browser, request } = await begin('scripted');
    stage.provider.answerToken = () =>
      answerTokens('north', { access_token: 'SECRET-A', refresh_token: 'SECRET-R' });
    const page = await stage.answer(request, browser, { code: 'SECRET-CODE' });
    const { message, origin } = readOutcome(page);
    expect(message).toEqual({
      type: 'integration-gateway:connect',
      sessionId: session.id,
      status: 'success',
      completionCode: expect.any(String),
    });
    expect(Buffer.from(message.completionCode ?? '', 'base64url')).toHaveLength(32);
    expect(origin).not.toContain('*');
    expect(page.body).not.toContain('SECRET');
    expect(page.body).not.toContain(request.searchParams.get('state'));
    expect(page.body).not.toContain("'*'");
  });

  it('is left out where a return URL is registered: the code goes there in the fragment', async () => {
    const session = await stage.start('mia', { returnUrl: RETURN_URL });
    const { url } = await stage.authorize(session);
    const [, fragment = ''] = url.split('#');
    expect(url).toBe(`${RETURN_URL}#${fragment}`);
    const { connect_session, completion_code, ...rest } = Object.fromEntries(new URLSearchParams(fragment));
    expect([connect_session, rest]).toEqual([session.id, {}]);
    const done = await stage.complete(session.id, completion_code, stage.project.userToken('mia'));
    expect(done.status).toBe(200);
    await callApiOk(stage.gateway.url, 'DELETE', `/v1/connections/${done.body.id}`, {
      bearer: stage.project.apiKey,
    });
  });
});

describe('several authorizations of one user at once', () => {
  it('both succeed where each has a session of its own, in one browser', async () => {
    const [one, two] = [await stage.start('zoe'), await stage.start('zoe')];
    const browser = stage.openBrowser();
    const requests = [await stage.follow(one, browser), await stage.follow(two, browser)];
    const pages = await Promise.all(requests.reverse().map((request) => stage.answer(request, browser)));
    const answers = await Promise.all(
      pages.map((page) => {
        const { sessionId, completionCode } = readOutcome(page).message;
        return stage.complete(sessionId, completionCode, stage.project.userToken('zoe'));
      }),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await stage.connectionsOf('zoe')).toHaveLength(1);
  });

  it('end well where the link of one session was loaded again while its code is being exchanged', async () => {
    const { session, browser, request } = await begin('scripted');
    let letFirstEnd = () => {};
    const first = new Promise<void>((resolve) => {
      letFirstEnd = resolve;
    });
    stage.provider.answerToken = async ({ form }) => {
      if (form.get('code') === 'slow') await first;
      return answerTokens('north', { refresh_token: `refresh-of-${form.get('code')}` });
    };
    const slow = stage.answer(request, browser, { code: 'slow' });
    await until(() => stage.provider.tokenCalls.at(-1)?.form.get('code') === 'slow');
    const again = await stage.follow(session, browser);
    const { message } = readOutcome(await stage.answer(again, browser, { code: 'quick' }));
    letFirstEnd();
    expect(readOutcome(await slow).message).toMatchObject({ status: 'error', error: 'session_used' });
    await until(() => stage.provider.revoked.includes('refresh-of-slow'));
    expect(stage.provider.revoked).not.toContain('refresh-of-quick');
    const done = await stage.complete(session.id, message.completionCode, stage.project.userToken('mia'));
    expect(done.status).toBe(200);
  });
});
