import { openModernClient } from '../support/agent-clients.ts';
import { APPLICATION_PAGE, createRequest, exchangeCode, signFor, signIn } from '../support/agent-sign-in.ts';
import { type AgentStage, NOTES, startAgentStage } from '../support/agent-stage.ts';
import { type ClientDocuments, startClientDocuments } from '../support/client-documents.ts';
import { callApi, callApiOk } from '../support/gateway.ts';
import { createVisitor } from '../support/visitor.ts';

let documents: ClientDocuments;
let stage: AgentStage;

beforeAll(async () => {
  documents = await startClientDocuments();
  stage = await startAgentStage();
  await callApiOk(stage.gateway.url, 'PATCH', `/v1/projects/${stage.project.id}`, {
    bearer: stage.project.apiKey,
    body: { agentSignIn: { page: APPLICATION_PAGE } },
  });
});
afterAll(async () => {
  await stage?.close();
  await documents?.close();
});

async function signInAs(userId: string, choice: Record<string, string> = {}, claims = {}) {
  const { gateway, project } = stage;
  const clientId = documents.add();
  const request = createRequest(gateway, project, clientId);
  const callback = await signIn(createVisitor(), request.url, signFor(project, userId, claims), choice);
  const tokens = await exchangeCode(gateway, clientId, request, callback);
  return { clientId, request, callback, tokens };
}

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

  it('gives the client of a person who allows it a token that reads as them', async () => {
    const { callback, tokens } = await signInAs('mia');
    expect(callback.searchParams.get('iss')).toBe(`${stage.gateway.url}/agents`);
    expect(callback.searchParams.get('state')).toBe('of-the-client');
    expect(tokens.status).toBe(200);
    expect(tokens.body).toMatchObject({ token_type: 'Bearer', expires_in: 600, scope: 'mcp' });
    stage.answerWith({ body: '{"notes":[1]}' });
    const client = await stage.open({ token: tokens.body.access_token }, openModernClient);
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
});
