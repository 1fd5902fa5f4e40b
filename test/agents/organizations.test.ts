import { type AgentStage, NOTES, startAgentStage } from '../support/agent-stage.ts';
import { callApi, callApiOk } from '../support/gateway.ts';

let stage: AgentStage;
let connectionId: string;

beforeAll(async () => {
  stage = await startAgentStage();
  const { gateway, project } = stage;
  const bearer = project.apiKey;
  const { integrations } = await callApiOk(gateway.url, 'GET', '/v1/integrations', { bearer });
  const integration = integrations.find(
    ({ serviceProvider }: { serviceProvider: string }) => serviceProvider === NOTES,
  );
  const made = await callApiOk(gateway.url, 'POST', '/v1/connections', {
    bearer,
    body: {
      integrationId: integration.id,
      owner: { type: 'organization', id: 'acme' },
      credentials: { accessToken: 'token-of-acme' },
    },
  });
  connectionId = made.id;
});
afterAll(() => stage?.close());
beforeEach(() => {
  stage.seen.length = 0;
  stage.answerWith({ body: '{"id":7}' });
});

const ENTRY = { type: 'gateway_access', provider: NOTES, access: 'write', approval: 'each' };
const MEMBER = { org: 'acme' };
const MANAGER = { org: 'acme', gateway_roles: ['connections:manage'] };
const LEFT = {};

const tokenOf = (userId: string, claims: Record<string, unknown>, isAsked = false) =>
  stage.project.userToken(userId, {
    claims: { ...claims, ...(isAsked && { authorization_details: [ENTRY] }) },
  });
const open = (userId: string, claims: Record<string, unknown>, isAsked = false) =>
  stage.open({ token: tokenOf(userId, claims, isAsked) });

type Said = { code?: string; approvalId?: string; connections?: { id: string }[] };
const said = ({ structuredContent }: { structuredContent?: unknown }): Said => ({
  ...(typeof structuredContent === 'object' && structuredContent),
});

const READ = { provider: NOTES, path: '/notes' };
const WRITE = { provider: NOTES, method: 'POST', path: '/notes', body: { title: 'x' } };

describe('an agent of a person of an organization', () => {
  it.each([
    ['without the role', 'bob', MEMBER],
    ['with the role', 'ada', MANAGER],
  ])('sees and calls with the organization’s connection, %s', async (_role, userId, claims) => {
    const client = await open(userId, claims);
    const listed = await client.callTool('list_connections');
    expect(listed.structuredContent).toMatchObject({
      connections: [{ connection: connectionId, owner: 'organization' }],
    });
    expect((await client.callTool('read', READ)).isError).not.toBe(true);
    expect(stage.seen.map(({ line }) => line)).toEqual(['GET /notes']);
    expect(stage.seen[0]?.fields).toContain('Bearer token-of-acme');
  });

  it('does neither once the person’s token does not name it', async () => {
    const client = await open('bob', LEFT);
    expect(JSON.stringify(await client.callTool('list_connections'))).not.toContain(connectionId);
    expect((await client.callTool('read', READ)).isError).toBe(true);
    expect((await client.callTool('read', { ...READ, connection: connectionId })).isError).toBe(true);
    expect(stage.seen).toEqual([]);
  });
});

describe('an approval on an organization’s connection', () => {
  const decide = (id: string | undefined, bearer: string) =>
    callApi(stage.gateway.url, 'POST', `/v1/approvals/${id}/approve`, { bearer });
  const url = () => `/projects/${stage.project.id}/proxy/${NOTES}/notes`;
  const repeat = (token: string, approvalId: string) =>
    fetch(`${stage.gateway.url}${url()}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'gateway-approval': approvalId,
      },
      body: '{"title":"x"}',
    });
  const ask = async (userId: string, claims: Record<string, unknown>) => {
    const answer = await fetch(`${stage.gateway.url}${url()}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${tokenOf(userId, claims, true)}`,
        'content-type': 'application/json',
      },
      body: '{"title":"x"}',
    });
    const { approvalId } = await answer.json();
    expect(answer.headers.get('gateway-error')).toBe('approval_required');
    return String(approvalId);
  };

  it('is asked of the agent by the MCP door, too', async () => {
    const client = await open('bob', MEMBER, true);
    expect(said(await client.callTool('write', WRITE))).toMatchObject({ code: 'approval_required' });
    expect(stage.seen).toEqual([]);
  });

  it.each([
    ['without the role', 'bob', MEMBER],
    ['with the role', 'ada', MANAGER],
  ])('is sent once, when the person who asked repeats it, %s', async (_role, userId, claims) => {
    const approvalId = await ask(userId, claims);
    expect((await decide(approvalId, stage.project.apiKey)).status).toBe(200);
    const token = tokenOf(userId, claims, true);
    expect((await repeat(token, approvalId)).status).toBe(200);
    expect(stage.seen.map(({ line }) => line)).toEqual(['POST /notes']);
    expect((await repeat(token, approvalId)).status).not.toBe(200);
    expect(stage.seen).toHaveLength(1);
  });

  it('is of no use to a person who has left, nor to another of the organization', async () => {
    const approvalId = await ask('bob', MEMBER);
    expect((await decide(approvalId, stage.project.apiKey)).status).toBe(200);
    const left = await repeat(tokenOf('bob', LEFT, true), approvalId);
    expect([left.status, left.headers.get('gateway-error')]).toEqual([404, 'connection_not_found']);
    expect((await repeat(tokenOf('eve', MEMBER, true), approvalId)).status).not.toBe(200);
    expect(stage.seen).toEqual([]);
  });
});
