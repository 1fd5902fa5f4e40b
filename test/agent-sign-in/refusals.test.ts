import knexModule from 'knex';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import {
  askForTokens,
  createRequest,
  exchangeCode,
  goToConsent,
  type SignInStage,
  signFor,
  signIn,
  startSignInStage,
} from '../support/agent-sign-in.ts';
import { callApi, callApiOk } from '../support/gateway.ts';
import { dumpDatabase } from '../support/leaks.ts';
import { createVisitor, readLocation } from '../support/visitor.ts';

/** As requests name it that say nothing else. */
const REDIRECT = 'http://127.0.0.1:33418/callback';

let stage: SignInStage;

beforeAll(async () => {
  stage = await startSignInStage();
});
afterAll(() => stage?.close());

async function ask(changes: Record<string, string | undefined>, clientId = stage.documents.add()) {
  const { url } = createRequest(stage.gateway, stage.project, clientId, changes);
  const response = await createVisitor().get(url);
  const location = response.headers.get('location');
  return { status: response.status, location, text: location === null ? await response.text() : '' };
}

/** What the client is answered through the browser. */
async function readError(changes: Record<string, string | undefined>): Promise<string | null> {
  const { location } = await ask(changes);
  return new URL(location ?? '', 'http://nowhere.example').searchParams.get('error');
}

const reachDoor = (address: string, bearer: string) => callApi(address, 'POST', '', { bearer, body: {} });

async function addProject(): Promise<string> {
  const { gateway, project } = stage;
  const made = await callApiOk(gateway.url, 'POST', '/v1/projects', {
    bearer: project.personalAccessToken,
    body: { name: 'Another' },
  });
  return String(made.project?.id ?? made.id);
}

describe('an authorization request', () => {
  it.each([
    ['without PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['with a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['without a resource', { resource: undefined }, 'invalid_target'],
    ['for a resource elsewhere', { resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
    ['for an answer that is no code', { response_type: 'none' }, 'unsupported_response_type'],
    ['that no person sees', { prompt: 'none' }, 'login_required'],
  ])('is refused %s', async (_name, changes, error) => {
    expect(await readError(changes)).toBe(error);
  });

  it.each(['form_post', 'fragment', 'web_message'])(
    'is answered in the query alone, not by %s',
    async (mode) => {
      for (const response_type of ['code', 'none']) {
        const { status, location } = await ask({ response_mode: mode, response_type });
        expect(status).toBe(303);
        const sent = new URL(location ?? '');
        expect(sent.hash).toBe('');
        expect(sent.origin).toBe('http://127.0.0.1:33418');
        expect(sent.searchParams.get('error')).toMatch(/^unsupported_response_(mode|type)$/);
      }
      expect((await ask({ response_mode: 'query' })).location).toContain('/agents/sign-in/');
    },
  );

  it('is refused for two projects at once', async () => {
    const other = await addProject();
    const { url } = createRequest(stage.gateway, stage.project, stage.documents.add());
    const both = `${url}&resource=${encodeURIComponent(`${stage.gateway.url}/projects/${other}/mcp`)}`;
    const location = await readLocation(await createVisitor().get(both));
    expect(new URL(location).searchParams.get('error')).toBe('invalid_target');
  });

  it.each([
    'http://127.0.0.1:33418/elsewhere',
    'http://localhost:33418/callback',
    'https://attacker.example/callback',
  ])('never goes on to %s, which the client has not registered', async (redirect) => {
    const answer = await ask({ redirect_uri: redirect });
    expect(answer).toMatchObject({ status: 400, location: null });
    expect(JSON.parse(answer.text).error).toBe('invalid_redirect_uri');
  });

  it('ends on a page that says so where nobody can sign in', async () => {
    const other = await addProject();
    const visitor = createVisitor();
    const resource = `${stage.gateway.url}/projects/${other}/mcp`;
    const { url } = createRequest(stage.gateway, stage.project, stage.documents.add(), { resource });
    const page = await visitor.get(await readLocation(await visitor.get(url)));
    expect(page.status).toBe(403);
    expect(page.headers.get('gateway-error')).toBe('agent_sign_in_unavailable');
    expect(await page.text()).toContain('Nobody can sign in here yet');
  });
});

describe('a client’s metadata document', () => {
  const refused = async (clientId: string) => {
    const { url } = createRequest(stage.gateway, stage.project, clientId);
    const response = await createVisitor().get(url);
    return { status: response.status, error: (await response.json()).error };
  };
  const at = (path: string) => `${stage.documents.origin}${path}`;

  it.each([
    ['redirects', { status: 302, headers: { location: '/elsewhere.json' }, body: '' }],
    ['is not there', { status: 404, body: '{}' }],
    ['is no JSON', { body: '<html>' }],
    ['is a list', { body: '[]' }],
    ['is huge', { body: JSON.stringify({ filler: 'x'.repeat(64 * 1024) }) }],
  ])('that %s is refused', async (name, document) => {
    const path = `/${name.replaceAll(' ', '-')}.json`;
    stage.documents.set(path, document);
    const { status, error } = await refused(at(path));
    expect(status).toBeGreaterThanOrEqual(400);
    expect(error).toMatch(/^invalid_client/);
  });

  it.each([
    ['names another client', { client_id: 'https://other.example/client.json' }],
    ['wants a secret', { token_endpoint_auth_method: 'client_secret_basic' }],
    ['wants a key', { token_endpoint_auth_method: 'private_key_jwt' }],
    ['has plain http to a server', { redirect_uris: [REDIRECT, 'http://client.example/callback'] }],
    [
      'has plain http to a server, as a web application',
      { redirect_uris: [REDIRECT, 'http://client.example/callback'], application_type: 'web' },
    ],
    [
      'has an address that only looks like the loopback',
      { redirect_uris: [REDIRECT, 'http://localhost.client.example/callback'], application_type: 'web' },
    ],
    ['has a script for an address', { redirect_uris: [REDIRECT, 'javascript:alert(1)'] }],
    ['has no address to return to', { redirect_uris: [] }],
  ])('that %s is refused', async (_name, members) => {
    const { status, error } = await refused(stage.documents.add(members));
    expect(status).toBeGreaterThanOrEqual(400);
    expect(error).toMatch(/^invalid_(client|redirect)/);
  });

  it('that does not stand at an https address is never fetched', async () => {
    const before = stage.documents.countRequests();
    for (const clientId of ['http://localhost/client.json', 'https://user@localhost/x.json', 'some-client'])
      expect(await refused(clientId)).toEqual({ status: 400, error: 'invalid_client' });
    expect(stage.documents.countRequests()).toBe(before);
  });

  it('shows its name as text, and no longer than a line', async () => {
    const name = `<img src=x onerror=alert(1)>${'n'.repeat(500)}`;
    const { url } = createRequest(stage.gateway, stage.project, stage.documents.add({ client_name: name }));
    const { html, headers } = await goToConsent(createVisitor(), url, signFor(stage.project, 'mia'));
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;nnn');
    expect(html).not.toContain('<img');
    expect(html).not.toContain('n'.repeat(100));
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('x-frame-options')).toBe('DENY');
  });

  it('turns nothing that the page says after its name', async () => {
    const clientId = stage.documents.add({ client_name: 'Helper\u202e\u2066\u200f\u2028' });
    const { url } = createRequest(stage.gateway, stage.project, clientId);
    const { html } = await goToConsent(createVisitor(), url, signFor(stage.project, 'mia'));
    expect(html).toContain('<strong>Helper</strong>');
    expect(html).not.toMatch(/\p{Bidi_Control}|\u2028/u);
  });
});

describe('the way back from the application', () => {
  /** A sign-in that has come to the application's page. */
  async function begin() {
    const visitor = createVisitor();
    const { url } = createRequest(stage.gateway, stage.project, stage.documents.add());
    const interaction = await readLocation(await visitor.get(url));
    const page = new URL(await readLocation(await visitor.get(interaction)));
    const state = page.searchParams.get('state') ?? '';
    const returnTo = page.searchParams.get('return_to') ?? '';
    const bring = (by: typeof visitor, token: string, given = state) =>
      by.post(returnTo, { state: given, token }, { isFromOtherSite: true });
    const sign = (userId: string, nonce = state, claims = {}) =>
      stage.project.userToken(userId, { claims: { ...claims, nonce } });
    return { visitor, interaction, state, bring, sign };
  }
  const codeOf = (response: Response) => response.headers.get('gateway-error');

  it('takes no token that was not made for this sign-in', async () => {
    const { visitor, bring, sign } = await begin();
    const others = [stage.project.userToken('mia'), sign('mia', 'of-another-sign-in')];
    for (const token of others) expect(codeOf(await bring(visitor, token))).toBe('agent_sign_in_unbound');
    expect(codeOf(await bring(visitor, `${sign('mia').slice(0, -8)}AAAAAAAA`))).toBe('token_invalid');
  });

  it.each([
    ['U+0000', 'desk\u0000'],
    ['half a character', '\ud800'],
  ])('takes no token with an actor named by %s, which no consent can keep', async (_name, sub) => {
    const { visitor, bring, sign, state } = await begin();
    expect(codeOf(await bring(visitor, sign('mia', state, { act: { sub } })))).toBe('token_invalid');
    expect((await bring(visitor, sign('mia'))).status).toBe(303);
  });

  it('takes a state once, and none that was made up', async () => {
    const { visitor, bring, sign } = await begin();
    expect(codeOf(await bring(visitor, sign('mia'), 'made-up'))).toBe('agent_sign_in_invalid');
    expect((await bring(visitor, sign('mia'))).status).toBe(303);
    expect(codeOf(await bring(visitor, sign('mia')))).toBe('agent_sign_in_invalid');
  });

  it('signs no person in for what a stranger has begun', async () => {
    const stranger = await begin();
    // Who is on the way of a sign-in of their own.
    const { visitor: person } = await begin();
    // The stranger has the person's browser open the application's page with the stranger's state.
    const handover = await readLocation(await stranger.bring(person, stranger.sign('mia')));
    expect(codeOf(await person.get(handover))).toBe('agent_sign_in_invalid');
    // Nor does the stranger get any further: their browser has not brought the token.
    const again = await stranger.visitor.get(stranger.interaction);
    expect(await readLocation(again)).toContain('https://app.example.com/assistants');
  });

  it('opens the page of consent in no other browser', async () => {
    const { visitor, bring, sign, interaction } = await begin();
    await visitor.get(await readLocation(await bring(visitor, sign('mia'))));
    expect((await visitor.get(interaction)).status).toBe(200);
    expect(codeOf(await createVisitor().get(interaction))).toBe('agent_sign_in_invalid');
  });

  it('takes a decision from the gateway’s own page alone, and once', async () => {
    const visitor = createVisitor();
    const { url } = createRequest(stage.gateway, stage.project, stage.documents.add());
    const { interaction, formToken } = await goToConsent(visitor, url, signFor(stage.project, 'mia'));
    const decision = { decision: 'allow', access: 'read' };
    expect(codeOf(await visitor.post(interaction, { ...decision, formToken: 'guessed' }))).toBe(
      'csrf_rejected',
    );
    expect((await visitor.post(interaction, { ...decision, formToken })).status).toBe(303);
    expect(codeOf(await visitor.post(interaction, { ...decision, formToken }))).toBe('agent_sign_in_invalid');
  });

  it('answers the client that the person has refused', async () => {
    const { url } = createRequest(stage.gateway, stage.project, stage.documents.add());
    const callback = await signIn(createVisitor(), url, signFor(stage.project, 'mia'), {
      decision: 'refuse',
    });
    expect(callback.searchParams.get('error')).toBe('access_denied');
    expect(callback.searchParams.get('iss')).toBe(`${stage.gateway.url}/agents`);
  });
});

describe('codes and tokens', () => {
  async function getCode() {
    const clientId = stage.documents.add();
    const request = createRequest(stage.gateway, stage.project, clientId);
    const callback = await signIn(createVisitor(), request.url, signFor(stage.project, 'mia'));
    const exchange = (changes = {}) => exchangeCode(stage.gateway, clientId, request, callback, changes);
    return { clientId, exchange };
  }
  const refresh = (clientId: string, token: string, changes = {}) =>
    askForTokens(stage.gateway, {
      ...{ grant_type: 'refresh_token', client_id: clientId, refresh_token: token },
      ...changes,
    });

  it.each([
    ['another verifier', { code_verifier: 'v'.repeat(43) }, 'invalid_grant'],
    ['another redirect', { redirect_uri: 'http://127.0.0.1:1/callback' }, 'invalid_grant'],
    ['another resource', { resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
  ])('a code is worth nothing with %s', async (_name, changes, error) => {
    const { exchange } = await getCode();
    expect(await exchange(changes)).toMatchObject({ status: 400, body: { error } });
  });

  it('a code is worth nothing to another client', async () => {
    const { exchange } = await getCode();
    expect(await exchange({ client_id: stage.documents.add() })).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
  });

  it('a code that comes twice ends the tokens of the first time', async () => {
    const { exchange } = await getCode();
    const { body } = await exchange();
    expect((await reachDoor(stage.address, body.access_token)).status).not.toBe(401);
    expect(await exchange()).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect((await reachDoor(stage.address, body.access_token)).status).toBe(401);
  });

  it('a token of one project is worth nothing at another’s door', async () => {
    const { tokens, clientId } = await stage.signInAs('mia');
    const other = `${stage.gateway.url}/projects/${await addProject()}/mcp`;
    expect((await reachDoor(other, tokens.access_token)).status).toBe(401);
    const moved = await refresh(clientId, tokens.refresh_token, { resource: other });
    expect(moved).toMatchObject({ status: 400, body: { error: 'invalid_target' } });
  });

  it('a token is worth nothing at the proxy, at the API and for an exchange', async () => {
    const { tokens } = await stage.signInAs('mia', { choice: { access: 'all' } });
    const { gateway, project } = stage;
    const bearer = tokens.access_token;
    const proxied = await callApi(gateway.url, 'GET', `/projects/${project.id}/proxy/notes/notes`, {
      bearer,
    });
    expect(proxied.status).toBe(401);
    expect((await callApi(gateway.url, 'GET', '/v1/connections', { bearer })).status).toBe(401);
    const exchange = await fetch(`${gateway.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: bearer,
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      }),
    });
    expect(exchange.status).toBeGreaterThanOrEqual(400);
  });

  it('nothing that could be used stands in the store or in the log', async () => {
    const { tokens, callback, clientId } = await stage.signInAs('mia');
    const secrets = [tokens.access_token, tokens.refresh_token, callback.searchParams.get('code') ?? '?'];
    const db = knexModule({ client: 'pg', connection: connectionSettings(stage.gateway.databaseUrl ?? '') });
    const stored = await dumpDatabase(db).finally(() => db.destroy());
    expect(stored).toContain(clientId);
    for (const secret of secrets) {
      expect(stage.gateway.logs()).not.toContain(secret);
      expect(stored).not.toContain(secret);
    }
  });
});
