import { decodeJwt } from 'jose';
import * as oauth from 'oauth4webapi';
import { callApiOk, type Gateway, type Project } from '../support/gateway.ts';
import { type HeldStage, provisionConnected, startHeldStage, USER, until } from '../support/held-stage.ts';

const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const JWT = 'urn:ietf:params:oauth:token-type:jwt';
const READ = { type: 'gateway_access', provider: 'held', access: 'read' };
const WRITE = { ...READ, access: 'write' };

let stage: HeldStage;
let gateway: Gateway;
let project: Project;

beforeAll(async () => {
  stage = await startHeldStage();
  gateway = await stage.start();
  project = await provisionConnected(gateway);
});
afterAll(() => stage?.close());

const asBackend = () => ({ bearer: project.apiKey });

async function mint(rights: object = {}): Promise<{ token: string; jti: string }> {
  const body = { userId: USER, expiresIn: 600, ...rights };
  return callApiOk(gateway.url, 'POST', '/v1/user-tokens', { ...asBackend(), body });
}

async function exchange(token: string, parameters: Record<string, string> | URLSearchParams = {}) {
  const form = new URLSearchParams({ grant_type: GRANT, subject_token: token, subject_token_type: JWT });
  for (const [name, value] of new URLSearchParams(parameters)) {
    if (form.has(name)) form.delete(name);
    form.append(name, value);
  }
  const answer = await fetch(`${gateway.url}/oauth/token`, { method: 'POST', body: form });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

const details = (...entries: object[]) => ({ authorization_details: JSON.stringify(entries) });

async function call(token: string, method = 'GET', path = '/a') {
  const answer = await fetch(`${gateway.url}/projects/${project.id}/proxy/held${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
  });
  return answer.headers.get('gateway-error') ?? answer.status;
}

describe('an exchange', () => {
  it('by a published client gives a narrower token', async () => {
    const { token } = await mint({ authorizationDetails: [{ ...WRITE, paths: ['/a', '/b'] }] });
    const server = { issuer: gateway.url, token_endpoint: `${gateway.url}/oauth/token` };
    const client = { client_id: 'orchestrator' };
    const parameters = {
      subject_token: token,
      subject_token_type: JWT,
      requested_token_type: JWT,
      resource: `${gateway.url}/projects/${project.id}/proxy/held`,
      ...details({ ...READ, paths: ['/a'] }),
    };
    const response = await oauth.genericTokenEndpointRequest(
      server,
      client,
      oauth.None(),
      GRANT,
      parameters,
      {
        [oauth.allowInsecureRequests]: true,
      },
    );
    expect(response.headers.get('cache-control')).toBe('no-store');
    const result = await oauth.processGenericTokenEndpointResponse(server, client, response);
    expect(result).toMatchObject({ token_type: 'bearer', issued_token_type: JWT });
    expect(result.expires_in).toBeLessThanOrEqual(600);
    const narrow = result.access_token;
    expect([await call(narrow), await call(narrow, 'DELETE'), await call(narrow, 'GET', '/b')]).toEqual([
      200,
      'mandate_denied',
      'mandate_denied',
    ]);
  });

  it('only shrinks: entries outside of the token’s are refused, and no lifetime goes beyond it', async () => {
    const { token } = await mint({ authorizationDetails: [{ ...READ, paths: ['/a/**'], perHour: 5 }] });
    for (const entry of [
      WRITE,
      READ,
      { ...READ, paths: ['/b'], perHour: 5 },
      { ...READ, paths: ['/a'], perHour: 6 },
    ]) {
      const { status, body } = await exchange(token, details(entry));
      expect([status, body.error]).toEqual([400, 'invalid_target']);
    }
    const made = await exchange(token, {
      ...details({ ...READ, paths: ['/a'], perHour: 2 }),
      expires_in: '86400',
    });
    expect(made.body.expires_in).toBeLessThanOrEqual(600);
    expect(decodeJwt(made.body.access_token).exp).toBeLessThanOrEqual(decodeJwt(token).exp ?? 0);
    const short = await exchange(token, { expires_in: '60' });
    expect(short.body.expires_in).toBe(60);
    expect(decodeJwt(short.body.access_token).authorization_details).toMatchObject([{ perHour: 5 }]);
    // Again, and by a token that was narrowed: it shrinks further only.
    expect(
      (await exchange(made.body.access_token, details({ ...READ, paths: ['/a/1'], perHour: 2 }))).body.error,
    ).toBe('invalid_target');
  });

  it('makes no new calls an hour: those of all tokens count for the entry that they come from', async () => {
    const { token } = await mint({ authorizationDetails: [{ ...READ, paths: ['/limited/**'], perHour: 3 }] });
    const results = [];
    for (const perHour of [1, 2, 3, 2]) {
      const narrower = { ...READ, paths: [`/limited/${perHour}`], perHour };
      const { body } = await exchange(token, details(narrower));
      const again = await exchange(body.access_token);
      results.push(await call(again.body.access_token, 'GET', `/limited/${perHour}`));
    }
    expect(results).toEqual([200, 200, 200, 'rate_limited']);
    expect(await call(token, 'GET', '/limited/9')).toBe('rate_limited');
  });

  it('keeps a named mandate, which has to cover what is asked for', async () => {
    const path = `/v1/projects/${project.id}/mandates`;
    const body = { name: 'Agents', entries: [{ ...READ, paths: ['/a', '/b'] }] };
    const { id } = await callApiOk(gateway.url, 'POST', path, { ...asBackend(), body });
    const { token } = await mint({ mandateId: id });
    expect((await exchange(token, details({ ...READ, paths: ['/c'] }))).body.error).toBe('invalid_target');
    const made = await exchange(token, details({ ...READ, paths: ['/a'] }));
    const narrow = made.body.access_token;
    expect([await call(narrow), await call(narrow, 'GET', '/b')]).toEqual([200, 'mandate_denied']);
    await callApiOk(gateway.url, 'PATCH', `${path}/${id}`, { ...asBackend(), body: { state: 'frozen' } });
    expect(await call(narrow)).toBe('mandate_frozen');
    expect((await exchange(token)).body.error).toBe('invalid_request');
  });

  it('names actors in a chain of four at most, by a token of theirs or by name', async () => {
    const first = await mint({ actor: { id: 'orchestrator', name: 'Orchestrator' } });
    const actorToken = await callApiOk(gateway.url, 'POST', '/v1/user-tokens', {
      ...asBackend(),
      body: { userId: 'agent-2' },
    });
    const second = await exchange(first.token, { actor_token: actorToken.token, actor_token_type: JWT });
    const third = await exchange(second.body.access_token, { requested_actor: 'agent-3' });
    const fourth = await exchange(third.body.access_token, { requested_actor: 'agent-4' });
    expect(decodeJwt(fourth.body.access_token).act).toEqual({
      sub: 'agent-4',
      act: { sub: 'agent-3', act: { sub: 'agent-2', act: { sub: 'orchestrator', name: 'Orchestrator' } } },
    });
    const fifth = await exchange(fourth.body.access_token, { requested_actor: 'agent-5' });
    expect([fifth.status, fifth.body.error]).toEqual([400, 'invalid_request']);
  });
});

describe('a token that was made of another one', () => {
  it('ends with it: by its id, by its user, and by the key that signed it', async () => {
    const revoke = (body: object) =>
      callApiOk(gateway.url, 'POST', `/v1/projects/${project.id}/revocations`, { ...asBackend(), body });
    const { token, jti } = await mint();
    const child = (await exchange(token)).body.access_token;
    const grandchild = (await exchange(child, details(READ))).body.access_token;
    expect(await call(grandchild)).toBe(200);
    await revoke({ jti });
    await until(async () => Number((await call(grandchild)) === 'token_revoked'), 1);
    expect(await call(child)).toBe('token_revoked');

    const old = project.userToken(USER, { claims: { iat: Math.floor(Date.now() / 1000) - 100 } });
    const young = (await exchange(old)).body.access_token;
    await revoke({ userId: USER, issuedBefore: new Date(Date.now() - 50_000).toISOString() });
    await until(async () => Number((await call(young)) === 'token_revoked'), 1);

    const signed = project.userToken(USER);
    const ofKey = (await exchange(signed)).body.access_token;
    expect(await call(ofKey)).toBe(200);
    const keys = `/v1/projects/${project.id}/signing-keys`;
    const asOwner = { bearer: project.personalAccessToken };
    const { signingKeys } = await callApiOk(gateway.url, 'GET', keys, asOwner);
    const own = signingKeys.find(({ kind }: { kind: string }) => kind === 'public_key');
    await callApiOk(gateway.url, 'DELETE', `${keys}/${own.id}`, asOwner);
    await until(async () => Number((await call(ofKey)) === 'token_invalid'), 1);
  });
});

describe('a refusal', () => {
  it.each<[title: string, parameters: Record<string, string>, error: string]>([
    ['another grant', { grant_type: 'client_credentials' }, 'unsupported_grant_type'],
    ['no token', { subject_token: '' }, 'invalid_request'],
    ['a token that is none', { subject_token: 'x' }, 'invalid_request'],
    [
      'another type of token',
      { subject_token_type: 'urn:ietf:params:oauth:token-type:saml2' },
      'invalid_request',
    ],
    [
      'another type that is asked for',
      { requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' },
      'invalid_request',
    ],
    ['a scope', { scope: 'read' }, 'invalid_scope'],
    ['another audience', { audience: 'https://elsewhere.example' }, 'invalid_target'],
    ['another resource', { resource: 'https://elsewhere.example/projects' }, 'invalid_target'],
    ['entries that are none', { authorization_details: '[]' }, 'invalid_authorization_details'],
    ['entries that are no JSON', { authorization_details: '{' }, 'invalid_authorization_details'],
    ['a lifetime of nothing', { expires_in: '0' }, 'invalid_request'],
    ['an actor without a name', { requested_actor: '' }, 'invalid_request'],
    ['an actor by a token that is none', { actor_token: 'x', actor_token_type: JWT }, 'invalid_request'],
    ['an actor’s type alone', { actor_token_type: JWT }, 'invalid_request'],
  ])('has the form of RFC 6749, and is not kept: %s', async (_title, parameters, error) => {
    const { token } = await mint();
    const { status, headers, body } = await exchange(token, parameters);
    expect([status, body.error, typeof body.error_description]).toEqual([400, error, 'string']);
    expect([headers.get('cache-control'), headers.get('content-type')]).toEqual([
      'no-store',
      expect.stringContaining('application/json'),
    ]);
  });

  it('is one of the target for another project, which need not be there, and for an address that is not the project’s', async () => {
    const { token } = await mint();
    const other = await callApiOk(gateway.url, 'POST', '/v1/projects', {
      bearer: project.personalAccessToken,
      body: { name: 'Another' },
    });
    const own = `${gateway.url}/projects/${project.id}`;
    const audiences = [other.project?.id ?? other.id, '0192f0c8-0000-7000-8000-000000000009'];
    const refused = [
      ...audiences.map((audience: string) => new URLSearchParams({ audience })),
      ...audiences.map(
        (audience: string) =>
          new URLSearchParams([
            ['audience', project.id],
            ['audience', audience],
          ]),
      ),
      ...[`${own}/mcp#frag`, `${own}/mcp#`, `${own}/../${audiences[0]}/mcp`, `${gateway.url}/#`].map(
        (resource) => new URLSearchParams({ resource }),
      ),
    ];
    const answers = [];
    for (const parameters of refused) answers.push((await exchange(token, parameters)).body);
    expect(answers).toEqual(
      refused.map(() => ({
        error: 'invalid_target',
        error_description: 'The token is for its project alone, at this gateway.',
      })),
    );
    for (const resource of [`${own}/mcp`, gateway.url, `${gateway.url}/`])
      expect((await exchange(token, { audience: project.id.toUpperCase(), resource })).status).toBe(200);
    const forged = `${token.slice(0, -8)}AAAAAAAA`;
    for (const audience of audiences)
      expect((await exchange(forged, { audience })).body.error).toBe('invalid_request');
    const stranger = await callApiOk(gateway.url, 'POST', '/v1/user-tokens', {
      bearer: project.personalAccessToken,
      body: { projectId: audiences[0], userId: 'stranger' },
    });
    const actor = { actor_token: stranger.token, actor_token_type: JWT };
    expect((await exchange(token, actor)).body.error).toBe('invalid_request');
  });

  it('comes for a parameter that stands twice, for JSON, and for another method', async () => {
    const { token } = await mint();
    const form = `grant_type=${encodeURIComponent(GRANT)}&subject_token=${token}&subject_token=${token}&subject_token_type=${encodeURIComponent(JWT)}`;
    const send = (body: string, type: string) =>
      fetch(`${gateway.url}/oauth/token`, { method: 'POST', body, headers: { 'content-type': type } });
    const twice = await send(form, 'application/x-www-form-urlencoded');
    expect([twice.status, (await twice.json()).error]).toEqual([400, 'invalid_request']);
    expect((await (await send('{}', 'application/json')).json()).error).toBe('invalid_request');
    expect((await fetch(`${gateway.url}/oauth/token`)).status).toBe(405);
  });
});
