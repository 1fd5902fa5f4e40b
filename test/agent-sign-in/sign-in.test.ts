import { isDeepStrictEqual } from 'node:util';
import { openModernClient } from '../support/agent-clients.ts';
import {
  APPLICATION_PAGE,
  createRequest,
  goToConsent,
  type SignInStage,
  signFor,
  startSignInStage,
} from '../support/agent-sign-in.ts';
import { NOTES } from '../support/agent-stage.ts';
import { callApi, callApiOk } from '../support/gateway.ts';
import { until } from '../support/until.ts';
import { createVisitor } from '../support/visitor.ts';

let stage: SignInStage;

beforeAll(async () => {
  stage = await startSignInStage();
});
afterAll(() => stage?.close());

const recentCalls = async () =>
  (
    await callApiOk(stage.gateway.url, 'GET', `/v1/projects/${stage.project.id}/calls?limit=1`, {
      bearer: stage.project.apiKey,
    })
  ).calls;

describe('signing in at the MCP door', () => {
  it('tells a client without a token where to sign in', async () => {
    const { status, headers } = await callApi(stage.address, 'POST', '', { body: {} });
    expect(status).toBe(401);
    const metadata = `${stage.gateway.url}/.well-known/oauth-protected-resource/projects/${stage.project.id}/mcp`;
    expect(headers.get('www-authenticate')).toBe(`Bearer resource_metadata="${metadata}", scope="mcp"`);
    const resource = await callApi(metadata, 'GET', '');
    expect(resource.body).toMatchObject({
      resource: stage.address,
      authorization_servers: [`${stage.gateway.url}/agents`],
    });
    const server = await callApi(stage.gateway.url, 'GET', '/.well-known/oauth-authorization-server/agents');
    expect(server.body).toMatchObject({
      issuer: `${stage.gateway.url}/agents`,
      code_challenge_methods_supported: ['S256'],
      client_id_metadata_document_supported: true,
    });
  });

  it('answers a token that it does not know with where to get one', async () => {
    const { status, headers } = await callApi(stage.address, 'POST', '', {
      bearer: 'x'.repeat(43),
      body: {},
    });
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token", resource_metadata="/);
  });

  it('gives the client of a person who allows it a token that reads as them, and changes nothing', async () => {
    const { callback, tokens } = await stage.signInAs('mia');
    expect(callback.searchParams.get('iss')).toBe(`${stage.gateway.url}/agents`);
    expect(callback.searchParams.get('state')).toBe('of-the-client');
    expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 600, scope: 'mcp' });
    stage.answerWith({ body: '{"notes":[1]}' });
    const client = await stage.open({ token: tokens.access_token }, openModernClient);
    const read = await client.callTool('read', { provider: NOTES, path: '/notes' });
    expect(read.structuredContent).toMatchObject({ source: 'provider', status: 200 });
    const write = await client.callTool('write', {
      provider: NOTES,
      method: 'POST',
      path: '/notes',
      body: {},
    });
    expect(write.structuredContent).toMatchObject({ source: 'gateway', code: 'mandate_denied' });
  });

  it('names the client as the actor of its calls, and writes where the person allows that', async () => {
    const { clientId, tokens } = await stage.signInAs('mia', { choice: { access: 'all' } });
    stage.answerWith({ status: 201, body: '{}' });
    const client = await stage.open({ token: tokens.access_token });
    const call = { provider: NOTES, method: 'POST', path: '/notes', body: {} };
    expect((await client.callTool('write', call)).structuredContent).toMatchObject({ status: 201 });
    const { host } = new URL(clientId);
    const actors = [{ id: clientId, name: `Desk Assistant (${host})` }];
    await until(async () => isDeepStrictEqual((await recentCalls())[0]?.actors, actors));
  });

  it('holds the client to the mandate of the token that the person signed in with', async () => {
    const entry = { type: 'gateway_access', provider: NOTES, access: 'write', paths: ['/notes'] };
    const { tokens } = await stage.signInAs('mia', {
      choice: { access: 'all' },
      claims: { authorization_details: [entry] },
    });
    const client = await stage.open({ token: tokens.access_token });
    const call = { provider: NOTES, method: 'POST', body: {} };
    const allowed = await client.callTool('write', { ...call, path: '/notes' });
    expect(allowed.structuredContent).toMatchObject({ source: 'provider' });
    const refused = await client.callTool('write', { ...call, path: '/others' });
    expect(refused.structuredContent).toMatchObject({ code: 'mandate_denied' });
  });

  it('says at approvals which client asks, and takes the same call of another client for another question', async () => {
    const entry = { type: 'gateway_access', provider: NOTES, access: 'write', approval: 'each' };
    const ask = async () => {
      const { clientId, tokens } = await stage.signInAs('mia', {
        choice: { access: 'all' },
        claims: { authorization_details: [entry] },
      });
      const client = await stage.open({ token: tokens.access_token });
      const call = { provider: NOTES, method: 'POST', path: '/notes', body: {} };
      const refused = await client.callTool('write', call);
      expect(JSON.stringify(refused.structuredContent)).toContain('approval_required');
      return clientId;
    };
    const clients = [await ask(), await ask()];
    const { approvals } = await callApiOk(stage.gateway.url, 'GET', '/v1/approvals', {
      bearer: stage.project.apiKey,
    });
    const askers = approvals.map(({ asker }: { asker: { actors: { id: string }[] } }) => asker.actors[0]?.id);
    expect(askers.toSorted()).toEqual(clients.toSorted());
  });

  it('shows the mandate in sentences, in the language of the browser', async () => {
    const entries = [
      { type: 'gateway_access', provider: NOTES, access: 'read' },
      {
        ...{ type: 'gateway_access', provider: NOTES, access: 'write', approval: 'each', perHour: 5 },
        ...{ methods: ['PATCH'], paths: ['/notes/*'] },
      },
    ];
    const open = async (language: string) => {
      const visitor = createVisitor(language);
      const { url } = createRequest(stage.gateway, stage.project, stage.documents.add());
      const claims = { authorization_details: entries };
      return (await goToConsent(visitor, url, signFor(stage.project, 'mia', claims))).html;
    };
    expect(await open('en')).toContain(
      `<li>Read at ${NOTES}</li><li>Read and change at ${NOTES}, by PATCH alone, only /notes/*, after asking you, at most 5 times an hour</li>`,
    );
    expect(await open('de-AT')).toContain(`<li>Bei ${NOTES} lesen</li>`);
    expect(await open('es')).toContain(`<li>Leer en ${NOTES}</li>`);
  });

  it('shows the setting of the project, and takes none that is no address', async () => {
    const { gateway, project } = stage;
    const path = `/v1/projects/${project.id}`;
    const bearer = project.apiKey;
    expect(await callApiOk(gateway.url, 'GET', path, { bearer })).toMatchObject({
      agentSignIn: { page: APPLICATION_PAGE },
    });
    const body = { agentSignIn: { page: 'javascript:alert(1)' } };
    expect((await callApi(gateway.url, 'PATCH', path, { bearer, body })).status).toBe(400);
  });
});
