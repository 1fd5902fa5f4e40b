import { callApi, callApiOk } from '../support/gateway.ts';
import { authorize, PROVIDER, readOutcome, type Stage, startStage } from '../support/stage.ts';
import { until } from '../support/until.ts';
import {
  ACME,
  callAs,
  callProxy,
  connectAs,
  MANAGER,
  type Member,
  readAsKey,
} from './organizations-stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage?.close());

const ada = { userId: 'ada', claims: MANAGER };
const bob = { userId: 'bob', claims: ACME };
const list = async (member: Member) =>
  (await callAs(stage, member, 'GET', '/v1/connections')).body.connections;
const read = (path: string) => readAsKey(stage, path);

describe('an organization', () => {
  let id: string;

  it('gets a connection of a member whose token has the role, and its members use it', async () => {
    const made = await connectAs(stage, ada);
    id = made.id;
    expect(made).toMatchObject({ owner: { type: 'organization', id: 'acme' }, userId: 'ada' });
    expect(await callProxy(stage, bob)).toEqual({ status: 200, code: null });
    expect((await list(bob)).map((one: { id: string }) => one.id)).toEqual([id]);
  });

  it('is no one’s whose token does not name it, from the next call on', async () => {
    const former = { userId: 'bob', claims: {} };
    expect(await callProxy(stage, former)).toEqual({ status: 404, code: 'connection_not_found' });
    const elsewhere = { userId: 'bob', claims: { org: 'globex' } };
    expect(await callProxy(stage, elsewhere, { 'gateway-connection': id })).toMatchObject({ status: 404 });
    expect(await list(former)).toEqual([]);
    expect((await callAs(stage, elsewhere, 'GET', `/v1/connections/${id}`)).status).toBe(404);
  });

  it('lets nobody without the role connect, change or remove, and says why', async () => {
    const refused = [
      await callAs(stage, bob, 'POST', '/v1/connect-sessions', { provider: PROVIDER, owner: 'organization' }),
      await callAs(stage, bob, 'POST', '/v1/connect-sessions', { connectionId: id }),
      await callAs(stage, bob, 'PATCH', `/v1/connections/${id}`, { tags: { plan: 'pro' } }),
      await callAs(stage, bob, 'DELETE', `/v1/connections/${id}`),
      await callAs(stage, { userId: 'bob' }, 'POST', '/v1/connect-sessions', {
        ...{ provider: PROVIDER, owner: 'organization' },
      }),
    ];
    const codes = refused.map(({ status, body }) => `${status} ${body.code}`);
    expect(new Set(codes)).toEqual(new Set(['403 organization_role_missing']));
    expect(refused).toHaveLength(5);
  });

  it('gets nothing of who has lost the role by the time that they complete, unless the backend began it', async () => {
    const { gateway, project } = stage;
    const wanted = { provider: PROVIDER, owner: 'organization', allowMultiple: true };
    const byKey = { bearer: project.apiKey, body: { ...wanted, organizationId: 'acme', userId: 'cleo' } };
    const manager = { userId: 'cleo', claims: MANAGER };
    const member = { userId: 'cleo', claims: ACME };
    const completed: [number, string][] = [];
    for (const { status, body } of [
      await callAs(stage, manager, 'POST', '/v1/connect-sessions', wanted),
      await callApi(gateway.url, 'POST', '/v1/connect-sessions', byKey),
    ]) {
      expect(status).toBe(201);
      const closing = await authorize(stage, body.url, { email: 'ada@northwind.test' });
      const { sessionId, completionCode } = readOutcome(closing).message;
      const path = `/v1/connect-sessions/${sessionId}/complete`;
      const ended = await callAs(stage, member, 'POST', path, { completionCode });
      completed.push([ended.status, ended.body.code ?? ended.body.owner.id]);
    }
    expect(completed).toEqual([
      [404, 'connect_session_not_found'],
      [200, 'acme'],
    ]);
  });

  it('yields to the member’s own connection, unless a call names its', async () => {
    const own = await connectAs(stage, bob, {}, 'ben@northwind.test');
    expect(own.owner).toEqual({ type: 'user', id: 'bob' });
    expect(await callProxy(stage, bob)).toEqual({ status: 200, code: null });
    expect(await callProxy(stage, bob, { 'gateway-connection': id })).toEqual({ status: 200, code: null });
    const lastUsed = async (one: string) => (await read(`/v1/connections/${one}`)).lastUsedAt;
    await until(async () => (await lastUsed(own.id)) !== null);
    expect((await callAs(stage, bob, 'DELETE', `/v1/connections/${own.id}`)).status).toBe(204);
    expect(await callProxy(stage, bob)).toEqual({ status: 200, code: null });
  });

  it('is authorized again by its managers, on the same id', async () => {
    const again = await connectAs(
      stage,
      { userId: 'eve', claims: MANAGER },
      { connectionId: id, provider: undefined },
    );
    expect(again).toMatchObject({ id, owner: { type: 'organization', id: 'acme' }, userId: 'eve' });
  });

  it('has a timeline that tells who connected and who used', async () => {
    const users: { userId: string; id: string }[] = (await read(`/v1/projects/${stage.project.id}/users`))
      .users;
    const nameOf = (actorId: string) => users.find((user) => user.id === actorId)?.userId;
    const readTimeline = async () => {
      const { activity } = await read(`/v1/activity?subjectId=${id}&limit=100`);
      return activity.map(
        (entry: { action: string; actorId: string }) => `${entry.action} ${nameOf(entry.actorId)}`,
      );
    };
    await until(async () => (await readTimeline()).includes('connection.used bob'));
    expect(await readTimeline()).toEqual(
      expect.arrayContaining([
        'connection.created ada',
        'connection.reauthorized eve',
        'connection.used bob',
      ]),
    );
    expect((await readTimeline()).filter((line: string) => line === 'connection.used bob')).toHaveLength(1);
  });

  it('has events of its own, which tell whose they are and name no user', async () => {
    const { events } = await read(`/v1/events?connectionId=${id}&types=connection.created`);
    expect(events[0]).toMatchObject({ owner: { type: 'organization', id: 'acme' }, userId: null });
  });

  it('gets connections of an API key that names it, and imported ones', async () => {
    const { gateway, project, integration } = stage;
    const post = (path: string, body: Record<string, unknown>) =>
      callApi(gateway.url, 'POST', path, { bearer: project.apiKey, body });
    const session = { provider: PROVIDER, owner: 'organization' };
    expect((await post('/v1/connect-sessions', session)).body.errors[0].path).toBe('body.organizationId');
    expect((await post('/v1/connect-sessions', { ...session, organizationId: 'globex' })).status).toBe(201);
    const credentials = { accessToken: 'a-token' };
    for (const owner of [{ type: 'organization', id: 'initech' }, 'organization']) {
      const made = await post('/v1/connections', {
        ...{ integrationId: integration.id, owner, credentials },
        ...(owner === 'organization' && { organizationId: 'initech', userId: 'peter' }),
      });
      expect(made.body.owner).toEqual({ type: 'organization', id: 'initech' });
      expect(made.body.userId).toBe(owner === 'organization' ? 'peter' : '');
    }
    const found = await read(`/v1/projects/${project.id}/connections?organizationId=initech`);
    expect(found.connections).toHaveLength(2);
    const theirs = { userId: 'peter', claims: { org: 'initech' } };
    expect(await callProxy(stage, theirs)).toEqual({ status: 409, code: 'connection_ambiguous' });
  });

  it('is carried on by minted and exchanged tokens, and a malformed one refuses the token', async () => {
    const { gateway, project } = stage;
    const mint = (body: Record<string, unknown>) =>
      callApiOk(gateway.url, 'POST', '/v1/user-tokens', { bearer: project.apiKey, body });
    const { token } = await mint({
      userId: 'zoe',
      organizationId: 'acme',
      gatewayRoles: ['connections:manage'],
    });
    const listWith = (bearer: string) => callApi(gateway.url, 'GET', '/v1/connections', { bearer });
    expect((await listWith(token)).body.connections.map((one: { id: string }) => one.id)).toEqual([id]);
    const exchanged = await fetch(`${gateway.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: token,
        subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      }),
    });
    const { access_token: narrower } = await exchanged.json();
    expect((await listWith(narrower)).body.connections).toHaveLength(1);
    for (const org of ['', 'x'.repeat(256), 7, 'a\u0000b'])
      expect((await listWith(project.userToken('zoe', { claims: { org } }))).body.code).toBe('token_invalid');
  });

  it('keeps its connection when the person who made it is erased', async () => {
    const { gateway, project } = stage;
    const erased = await callApi(gateway.url, 'DELETE', `/v1/projects/${project.id}/users/eve`, {
      bearer: project.apiKey,
    });
    expect(erased.status).toBe(202);
    const report = `/v1/projects/${project.id}/user-erasures/${erased.body.id}`;
    await until(async () => (await read(report)).state === 'done');
    expect(await read(`/v1/connections/${id}`)).toMatchObject({ userId: '', owner: { id: 'acme' } });
    expect(await callProxy(stage, bob)).toEqual({ status: 200, code: null });
    const { events } = await read(`/v1/events?connectionId=${id}&types=connection.created`);
    expect(events).toHaveLength(1);
    const { activity } = await read(`/v1/activity?subjectId=${id}&action=connection.created`);
    const { integrationUserId } = await read(`/v1/connections/${id}`);
    expect(activity[0].details.integrationUserId).toBe(integrationUserId);
  });

  it('is left for the own connection of a member who was erased and has come back', async () => {
    const { gateway, project } = stage;
    const zed = { userId: 'zed', claims: ACME };
    const connectOwn = () => connectAs(stage, zed, {}, 'ben@northwind.test');
    const { id: before } = await connectOwn();
    expect((await callAs(stage, zed, 'DELETE', `/v1/connections/${before}`)).status).toBe(204);
    // From here on the gateway has in memory that this user has no connection.
    expect(await callProxy(stage, zed)).toEqual({ status: 200, code: null });
    const { body } = await callApi(gateway.url, 'DELETE', `/v1/projects/${project.id}/users/zed`, {
      bearer: project.apiKey,
    });
    const report = `/v1/projects/${project.id}/user-erasures/${body.id}`;
    await until(async () => (await read(report)).state === 'done');
    // Tokens of the second in which the user was erased are refused.
    await until(async () => (await callAs(stage, zed, 'GET', '/v1/connections')).status === 200);
    const own = await connectOwn();
    expect(await callProxy(stage, zed)).toEqual({ status: 200, code: null });
    await until(async () => (await read(`/v1/connections/${own.id}`)).lastUsedAt !== null);
  });

  it('is exported, and erased with its connections', async () => {
    const { gateway, project } = stage;
    const path = `/v1/projects/${project.id}/organizations/acme`;
    expect((await read(path)).holds.connections).toBe(1);
    const answer = await callApi(gateway.url, 'GET', `${path}/export`, { bearer: project.apiKey });
    const kinds = answer.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).kind);
    expect(kinds).toEqual(expect.arrayContaining(['organization', 'connection', 'event', 'activity', 'end']));
    const erased = await callApi(gateway.url, 'DELETE', path, { bearer: project.apiKey });
    expect(erased.body).toMatchObject({ kind: 'organization', state: 'running' });
    await until(
      async () => (await read(`/v1/projects/${project.id}/user-erasures/${erased.body.id}`)).state === 'done',
    );
    expect(await callProxy(stage, bob)).toEqual({ status: 404, code: 'connection_not_found' });
    expect(
      (await callApi(gateway.url, 'GET', `/v1/connections/${id}`, { bearer: project.apiKey })).status,
    ).toBe(404);
    expect(await list({ userId: 'bob', claims: {} })).toEqual([]);
  });
});

describe('a quota of organizations', () => {
  const change = (limits: object) =>
    callApiOk(stage.gateway.url, 'PATCH', `/v1/projects/${stage.project.id}`, {
      bearer: stage.project.personalAccessToken,
      body: { limits },
    });
  const member = (userId: string, org: string) => ({ userId, claims: { org } });

  it('counts the calls of its users together, and no one else’s', async () => {
    await change({ organizationCallsPerDay: 2 });
    const call = async (one: Member) => (await callProxy(stage, one)).code;
    await until(async () => (await call(member('gus', 'probe'))) === 'quota_exceeded');
    expect(await call(member('ida', 'umbrella'))).toBe('connection_not_found');
    expect(await call(member('ivo', 'umbrella'))).toBe('connection_not_found');
    expect(await callProxy(stage, member('ida', 'umbrella'))).toEqual({
      status: 429,
      code: 'quota_exceeded',
    });
    expect(await call(member('ida', 'hooli'))).toBe('connection_not_found');
    expect(await call({ userId: 'ida', claims: {} })).toBe('connection_not_found');
    await change({});
  });

  it('may be one of its own, which counts at once for it alone', async () => {
    const path = `/v1/projects/${stage.project.id}/organizations`;
    const bearer = stage.project.apiKey;
    const patch = (id: string, callsPerDay: number | null) =>
      callApi(stage.gateway.url, 'PATCH', `${path}/${id}`, { bearer, body: { callsPerDay } });
    expect((await patch('never-seen', 5)).body.code).toBe('organization_not_found');
    for (const org of ['stark', 'wayne'])
      await callAs(stage, { userId: 'tony', claims: { ...MANAGER, org } }, 'POST', '/v1/connect-sessions', {
        ...{ provider: PROVIDER, owner: 'organization' },
      });
    await change({ organizationCallsPerDay: 2 });
    expect((await patch('stark', 4)).body).toMatchObject({ organizationId: 'stark', callsPerDay: 4 });
    expect((await read(path)).organizations).toContainEqual(
      expect.objectContaining({ organizationId: 'wayne', callsPerDay: null }),
    );
    const call = async (org: string) => (await callProxy(stage, member('tony', org))).code;
    await until(async () => (await call('wayne')) === 'quota_exceeded');
    for (let made = 0; made < 4; made += 1) expect(await call('stark')).not.toBe('quota_exceeded');
    expect(await call('stark')).toBe('quota_exceeded');
    await change({});
    expect(await call('stark')).toBe('quota_exceeded');
    expect((await patch('stark', null)).body.callsPerDay).toBeNull();
    expect(await call('stark')).not.toBe('quota_exceeded');
  });

  it('shows in the usage by user, organization and tag', async () => {
    const usage = async (query: string) =>
      (await read(`/v1/projects/${stage.project.id}/stats?${query}`)).series.map(
        ({ key, label }: { key: string; label: string | null }) => label ?? key,
      );
    await until(async () => (await usage('groupBy=organization')).includes('stark'));
    expect(await usage('groupBy=organization&organizationId=wayne')).toEqual(['wayne']);
    expect(await usage('groupBy=user')).toContain('other');
    expect(await usage('groupBy=tag&tag=plan')).toEqual(['other']);
  });
});
