import pg from 'pg';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import { openEarlierSigningClient, openModernSigningClient } from '../support/agent-oauth-client.ts';
import {
  APPLICATION_PAGE,
  askForTokens,
  createRequest,
  goToConsent,
  type SignInStage,
  signFor,
  signIn,
  startSignInStage,
} from '../support/agent-sign-in.ts';
import { NOTES } from '../support/agent-stage.ts';
import { callApi, callApiOk } from '../support/gateway.ts';
import { createVisitor } from '../support/visitor.ts';

let stage: SignInStage;
let issuer: string;
const REDIRECT = 'http://127.0.0.1:33418/callback';

beforeAll(async () => {
  stage = await startSignInStage();
  stage.answerWith({ body: '{"notes":[]}' });
  issuer = `${stage.gateway.url}/agents/${stage.project.id}`;
});
afterAll(() => stage?.close());

const switchTo = (dynamicRegistration: boolean) =>
  callApiOk(stage.gateway.url, 'PATCH', `/v1/projects/${stage.project.id}`, {
    bearer: stage.project.apiKey,
    body: { agentSignIn: { page: APPLICATION_PAGE, dynamicRegistration } },
  });
beforeEach(() => switchTo(true));

const read = async (path: string) => (await callApi(stage.gateway.url, 'GET', path)).body;
const readResource = () => read(`/.well-known/oauth-protected-resource/projects/${stage.project.id}/mcp`);
const readServer = () => read(`/.well-known/oauth-authorization-server/agents/${stage.project.id}`);

const register = (body: Record<string, unknown> = {}) =>
  callApi(stage.gateway.url, 'POST', `/agents/${stage.project.id}/register`, {
    body: { client_name: 'Desk Assistant', redirect_uris: [REDIRECT], ...body },
  });

/** As the migration's owner sees it: the limits count rows. */
async function query(text: string, values: unknown[] = []) {
  const client = new pg.Client(connectionSettings(stage.gateway.databaseUrl ?? ''));
  await client.connect();
  const { rows } = await client.query(text, values).finally(() => client.end());
  return rows;
}

const requestAt = (clientId: string) => {
  const request = createRequest(stage.gateway, stage.project, clientId);
  return {
    ...request,
    url: request.url.replace('/agents/authorize', `/agents/${stage.project.id}/authorize`),
  };
};

describe.each([
  ['2.x', openModernSigningClient],
  ['1.x', openEarlierSigningClient],
])('the official client %s without a metadata document', (_version, openClient) => {
  it('registers itself, signs in, and refreshes', async () => {
    const client = await openClient(stage.address, undefined, (url) => {
      expect(url.href).toContain(`${issuer}/authorize`);
      return signIn(createVisitor(), url.href, signFor(stage.project, 'mia'));
    });
    try {
      const answer = await client.callTool('read', { provider: NOTES, path: '/notes' });
      expect(answer.structuredContent).toMatchObject({ source: 'provider', status: 200 });
      const first = client.memory.tokens;
      client.memory.tokens = { ...first, token_type: 'Bearer', access_token: 'x'.repeat(43) };
      const again = await client.callTool('read', { provider: NOTES, path: '/notes' });
      expect(again.structuredContent).toMatchObject({ source: 'provider', status: 200 });
      const bearer = stage.project.userToken('mia');
      const { consents } = await callApiOk(stage.gateway.url, 'GET', '/v1/agent-consents', { bearer });
      const id = client.memory.client?.client_id;
      expect(consents[0].client).toEqual({ id, name: 'Desk Assistant', host: null });
      // So it does not make room for others.
      expect(await query('SELECT used_at FROM agent_clients WHERE id = $1', [id])).toEqual([
        { used_at: expect.any(Date) },
      ]);
    } finally {
      await client.close();
    }
  });
});

it('the endpoints of a project’s issuer say which methods they take, and let browsers ask first', async () => {
  for (const [part, other, allow] of [
    ['authorize', 'PUT', 'GET, HEAD, OPTIONS'],
    ['token', 'GET', 'POST, OPTIONS'],
    ['revoke', 'GET', 'POST, OPTIONS'],
    ['register', 'GET', 'POST, OPTIONS'],
  ] as const) {
    const { status, headers } = await callApi(issuer, other, `/${part}`);
    expect([part, status, headers.get('allow')]).toEqual([part, 405, allow]);
  }
  const asked = { Origin: 'https://app.example.com', 'Access-Control-Request-Method': 'POST' };
  for (const base of [issuer, `${stage.gateway.url}/agents`]) {
    const { headers } = await callApi(base, 'OPTIONS', '/token', { headers: asked });
    expect(headers.get('access-control-allow-methods')).toContain('POST');
  }
});

describe('registering', () => {
  it('is announced where it is on, by an issuer of the project’s own, and nowhere else', async () => {
    expect((await readResource()).authorization_servers).toEqual([issuer]);
    expect(await readServer()).toMatchObject({
      issuer,
      registration_endpoint: `${issuer}/register`,
      authorization_endpoint: `${issuer}/authorize`,
      client_id_metadata_document_supported: true,
    });
    const common = await read('/.well-known/oauth-authorization-server/agents');
    expect(common).not.toHaveProperty('registration_endpoint');
    await switchTo(false);
    expect((await readResource()).authorization_servers).toEqual([`${stage.gateway.url}/agents`]);
    expect(await readServer()).not.toHaveProperty('registration_endpoint');
    expect(await register()).toMatchObject({ status: 403, body: { code: 'agent_registration_off' } });
  });

  it('keeps a few members, and makes a public client of whatever asks', async () => {
    const { status, body } = await register({
      token_endpoint_auth_method: 'client_secret_basic',
      logo_uri: 'https://desk.example/logo.png',
      jwks_uri: 'http://127.0.0.1:9/keys',
      sector_identifier_uri: 'https://127.0.0.1:9/sector',
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      client_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      client_id_issued_at: expect.any(Number),
      client_name: 'Desk Assistant',
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: 'none',
    });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['no address', { redirect_uris: [] }, 'invalid_client_metadata'],
    ['too many addresses', { redirect_uris: Array(21).fill(REDIRECT) }, 'invalid_client_metadata'],
    ['a script for an address', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    ['plain http to a server', { redirect_uris: ['http://desk.example/cb'] }, 'invalid_redirect_uri'],
    [
      'plain http to a server, as a web application',
      { redirect_uris: [REDIRECT, 'http://desk.example/cb'], application_type: 'web' },
      'invalid_redirect_uri',
    ],
    ['a name that the store cannot keep', { client_name: 'Desk\u0000' }, 'invalid_client_metadata'],
    ['half a character', { redirect_uris: ['app.desk:/cb?\ud800'] }, 'invalid_client_metadata'],
    ['another grant', { grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
  ])('is refused with %s', async (_name, members, error) => {
    expect(await register(members)).toMatchObject({ status: 400, body: { error } });
  });

  it('is refused with a large body, and for no project', async () => {
    const large = await register({ filler: 'x'.repeat(40_000) });
    expect(large.status).toBe(413);
    const path = `/agents/${crypto.randomUUID()}/register`;
    const nowhere = await callApi(stage.gateway.url, 'POST', path, { body: { redirect_uris: [REDIRECT] } });
    expect(nowhere).toMatchObject({ status: 403, body: { code: 'agent_registration_off' } });
  });

  it('shows the person that nothing vouches for the client', async () => {
    const { body } = await register({ client_name: 'Trusted <b>Bank</b>' });
    const { url } = requestAt(body.client_id);
    const { html } = await goToConsent(createVisitor(), url, signFor(stage.project, 'mia'));
    expect(html).toContain('Trusted &lt;b&gt;Bank&lt;/b&gt;</strong>, not vouched for by any address');
    expect(html).toContain('nothing proves it');
  });
});

describe('a client that has registered', () => {
  it('is refused where an earlier release let it have its codes sent to a server by plain http', async () => {
    const { body } = await register({ application_type: 'web' });
    const redirect_uris = ['http://desk.example/cb'];
    await query('UPDATE agent_clients SET metadata = metadata || $2::jsonb WHERE id = $1', [
      body.client_id,
      JSON.stringify({ redirect_uris }),
    ]);
    const { url } = requestAt(body.client_id);
    const asked = await createVisitor().get(
      url.replace(encodeURIComponent(REDIRECT), redirect_uris[0] ?? ''),
    );
    expect(asked.status).toBe(400);
    expect((await asked.json()).error).toBe('invalid_redirect_uri');
  });

  it('is known with its project alone', async () => {
    const { body } = await register();
    const { url } = createRequest(stage.gateway, stage.project, body.client_id);
    expect((await createVisitor().get(url)).status).toBe(400);
    const other = await callApiOk(stage.gateway.url, 'POST', '/v1/projects', {
      bearer: stage.project.personalAccessToken,
      body: { name: 'Other', agentSignIn: { page: APPLICATION_PAGE, dynamicRegistration: true } },
    });
    const elsewhere = requestAt(body.client_id).url.replaceAll(stage.project.id, other.id);
    expect(await (await createVisitor().get(elsewhere)).json()).toMatchObject({ error: 'invalid_client' });
    const own = requestAt(body.client_id).url.replace(
      encodeURIComponent(stage.address),
      encodeURIComponent(stage.address.replace(stage.project.id, other.id)),
    );
    const refused = await createVisitor().get(own);
    expect(refused.headers.get('location')).toContain('error=invalid_target');
  });

  it('is refused while registering is off, and goes on afterwards', async () => {
    const { body } = await register();
    const request = requestAt(body.client_id);
    const callback = await signIn(createVisitor(), request.url, signFor(stage.project, 'mia'));
    expect(callback.searchParams.get('iss')).toBe(issuer);
    const exchanged = await fetch(`${issuer}/token`, {
      method: 'POST',
      body: new URLSearchParams({
        ...{ grant_type: 'authorization_code', client_id: body.client_id, redirect_uri: REDIRECT },
        code: callback.searchParams.get('code') ?? '',
        code_verifier: request.verifier,
      }),
    });
    const { refresh_token } = await exchanged.json();
    const refresh = async () => {
      const fields = { grant_type: 'refresh_token', client_id: body.client_id, refresh_token };
      return (await fetch(`${issuer}/token`, { method: 'POST', body: new URLSearchParams(fields) })).json();
    };
    await switchTo(false);
    expect(await refresh()).toMatchObject({ error: 'invalid_client' });
    await switchTo(true);
    expect(await refresh()).toMatchObject({ token_type: 'Bearer' });
    // The gateway's issuer knows none of them.
    const fields = { grant_type: 'refresh_token', client_id: body.client_id, refresh_token };
    expect((await askForTokens(stage.gateway, fields)).body.error).toBe('invalid_client');
  });

  it('makes room for others where no person has allowed it anything', async () => {
    const { body: first } = await register();
    await query('DELETE FROM agent_clients WHERE used_at IS NULL AND id <> $1', [first.client_id]);
    await query(
      `INSERT INTO agent_clients (id, project_id, metadata)
       SELECT gen_random_uuid(), $1, '{}' FROM generate_series(1, 499)`,
      [stage.project.id],
    );
    expect((await register()).status).toBe(201);
    const [{ count }] = await query('SELECT count(*)::int FROM agent_clients WHERE used_at IS NULL');
    expect(count).toBe(500);
    expect(await query('SELECT id FROM agent_clients WHERE id = $1', [first.client_id])).toEqual([]);
  });

  it('is refused once ten thousand are in use', async () => {
    await query(
      `INSERT INTO agent_clients (id, project_id, metadata, used_at)
       SELECT gen_random_uuid(), $1, '{}', now() FROM generate_series(1, 10000)`,
      [stage.project.id],
    );
    expect(await register()).toMatchObject({ status: 503, body: { code: 'agent_registration_full' } });
    await query('DELETE FROM agent_clients WHERE used_at IS NOT NULL');
  });

  it('may not be one of many from one network', async () => {
    let status = 201;
    for (let count = 0; count < 40 && status !== 429; count += 1) ({ status } = await register());
    expect(status).toBe(429);
  });
});
