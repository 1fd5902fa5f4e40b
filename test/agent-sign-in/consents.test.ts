import { askForTokens, type SignInStage, startSignInStage } from '../support/agent-sign-in.ts';
import { NOTES } from '../support/agent-stage.ts';
import { callApi, callApiOk } from '../support/gateway.ts';
import { until } from '../support/until.ts';

let stage: SignInStage;

beforeAll(async () => {
  stage = await startSignInStage();
});
afterAll(() => stage?.close());

const api = (method: string, path: string, bearer = stage.project.apiKey, body?: unknown) =>
  callApi(stage.gateway.url, method, path, { bearer, ...(body !== undefined && { body }) });

async function listConsents(bearer = stage.project.apiKey, query = '') {
  return (await callApiOk(stage.gateway.url, 'GET', `/v1/agent-consents${query}`, { bearer })).consents;
}

const statusAtDoor = async (bearer: string) =>
  (await callApi(stage.address, 'POST', '', { bearer, body: {} })).status;

const refresh = (clientId: string, token: string) =>
  askForTokens(stage.gateway, { grant_type: 'refresh_token', client_id: clientId, refresh_token: token });

describe('what a person has allowed an agent', () => {
  it('is listed for its project and its user, with the mandate', async () => {
    const entry = { type: 'gateway_access', provider: NOTES, access: 'read', approval: 'none' };
    const { clientId } = await stage.signInAs('lisa', { claims: { authorization_details: [entry] } });
    const [consent, ...others] = await listConsents(stage.project.apiKey, '?userId=lisa');
    expect(others).toEqual([]);
    expect(consent).toMatchObject({
      userId: 'lisa',
      access: 'read',
      client: { id: clientId, name: 'Desk Assistant', host: new URL(clientId).host },
      authorizationDetails: [entry],
      mandateId: null,
    });
    expect(await listConsents(stage.project.userToken('lisa'))).toEqual([consent]);
    expect(await listConsents(stage.project.userToken('tom'))).toEqual([]);
  });

  it('is withdrawn by its user, and no token of the client works from then on', async () => {
    const { clientId, tokens } = await stage.signInAs('ben');
    expect(await statusAtDoor(tokens.access_token)).not.toBe(401);
    const [{ id }] = await listConsents(stage.project.userToken('ben'));
    const path = `/v1/agent-consents/${id}`;
    expect((await api('DELETE', path, stage.project.userToken('tom'))).status).toBe(404);
    expect((await api('DELETE', path, stage.project.userToken('ben'))).status).toBe(204);
    expect(await statusAtDoor(tokens.access_token)).toBe(401);
    expect(await refresh(clientId, tokens.refresh_token)).toMatchObject({ body: { error: 'invalid_grant' } });
    expect((await api('DELETE', path)).status).toBe(404);
  });

  it('is never withdrawn by an agent', async () => {
    await stage.signInAs('ada');
    const [{ id }] = await listConsents(stage.project.userToken('ada'));
    const details = [{ type: 'gateway_access', provider: NOTES, access: 'read' }];
    const agent = stage.project.userToken('ada', { claims: { authorization_details: details } });
    expect((await api('DELETE', `/v1/agent-consents/${id}`, agent)).status).toBe(403);
  });

  it('ends when the client revokes its token', async () => {
    const { clientId, tokens } = await stage.signInAs('eva');
    await fetch(`${stage.gateway.url}/agents/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: clientId, token: tokens.refresh_token }),
    });
    expect(await statusAtDoor(tokens.access_token)).toBe(401);
    expect(await listConsents(stage.project.apiKey, '?userId=eva')).toEqual([]);
  });

  it('ends with a revocation of the user’s tokens, also after that is forgotten', async () => {
    const { tokens } = await stage.signInAs('kim');
    const path = `/v1/projects/${stage.project.id}/revocations`;
    const made = await api('POST', path, stage.project.apiKey, { userId: 'kim' });
    expect(made.status).toBe(201);
    expect(await statusAtDoor(tokens.access_token)).toBe(401);
    await until(async () => (await listConsents(stage.project.apiKey, '?userId=kim')).length === 0);
  });

  it('is in the audit log with its beginning and its end', async () => {
    const { clientId } = await stage.signInAs('zoe');
    const [{ id, integrationUserId }] = await listConsents(stage.project.apiKey, '?userId=zoe');
    await api('DELETE', `/v1/agent-consents/${id}`);
    const { body } = await api('GET', '/v1/activity?limit=50');
    const entries = body.activity.filter(({ subjectId }: { subjectId: string }) => subjectId === id);
    expect(entries.map(({ action }: { action: string }) => action)).toEqual([
      'agent_consent.withdrawn',
      'agent_consent.created',
    ]);
    expect(entries[1].details).toEqual({ integrationUserId, clientId, access: 'read' });
  });

  it('is exported with the person, and ends when the person is erased', async () => {
    const { clientId, tokens } = await stage.signInAs('ole');
    const { project, gateway } = stage;
    const [{ integrationUserId }] = await listConsents(project.apiKey, '?userId=ole');
    const path = `/v1/projects/${project.id}/users/${integrationUserId}`;
    const lines = (await api('GET', `${path}/export`)).text.trim().split('\n');
    const exported = lines.map((line) => JSON.parse(line)).find(({ kind }) => kind === 'agent_consent');
    expect(exported).toMatchObject({ clientId, access: 'read' });
    await callApiOk(gateway.url, 'DELETE', path, { bearer: project.apiKey });
    await until(async () => (await listConsents(project.apiKey, '?userId=ole')).length === 0);
    expect(await statusAtDoor(tokens.access_token)).toBe(401);
  });
});
