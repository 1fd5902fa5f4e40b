import { callApi, callApiOk, type Gateway, type Project } from '../support/gateway.ts';
import { type HeldStage, provisionConnected, startHeldStage, USER, until } from '../support/held-stage.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

const READ = { type: 'gateway_access', provider: 'held', access: 'read' };
const WRITE = { ...READ, access: 'write' };

let stage: HeldStage;
let database: TestDatabase;
let one: Gateway;
let other: Gateway;
let project: Project;

beforeAll(async () => {
  stage = await startHeldStage();
  database = await createTestDatabase();
  one = await stage.start({ databaseUrl: database.url });
  const { ENCRYPTION_KEYS = '' } = one.env;
  other = await stage.start({ databaseUrl: database.url, env: { ENCRYPTION_KEYS, PUBLIC_URL: one.url } });
  project = await provisionConnected(one);
});

afterAll(async () => {
  await stage?.close();
  await database?.drop();
});

const asBackend = () => ({ bearer: project.apiKey });
const mandates = () => `/v1/projects/${project.id}/mandates`;
const create = (entries: readonly object[]) =>
  callApiOk(one.url, 'POST', mandates(), { ...asBackend(), body: { name: 'Agents', entries } });

async function mint(rights: object): Promise<string> {
  const body = { userId: USER, expiresIn: 600, ...rights };
  return (await callApiOk(one.url, 'POST', '/v1/user-tokens', { ...asBackend(), body })).token;
}

async function call(gateway: Gateway, token: string, method = 'GET', path = '/a') {
  const answer = await fetch(`${gateway.url}/projects/${project.id}/proxy/held${path}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
  });
  return answer.headers.get('gateway-error') ?? answer.status;
}

const isSoon = (gateway: Gateway, token: string, wanted: number | string, method?: string) =>
  until(async () => Number((await call(gateway, token, method)) === wanted), 1);

describe('a named mandate', () => {
  it('says what the tokens may do that refer to it, as it is now, on every replica', async () => {
    const { id } = await create([READ]);
    const token = await mint({ mandateId: id });
    for (const gateway of [one, other]) {
      expect([await call(gateway, token), await call(gateway, token, 'DELETE')]).toEqual([
        200,
        'mandate_denied',
      ]);
    }
    await callApiOk(one.url, 'PATCH', `${mandates()}/${id}`, { ...asBackend(), body: { entries: [WRITE] } });
    expect(await call(one, token, 'DELETE')).toBe(200);
    await isSoon(other, token, 200, 'DELETE');
    await callApiOk(other.url, 'PATCH', `${mandates()}/${id}`, { ...asBackend(), body: { state: 'frozen' } });
    expect(await call(other, token)).toBe('mandate_frozen');
    await isSoon(one, token, 'mandate_frozen');
    const managed = await callApi(other.url, 'GET', '/v1/connections', { bearer: token });
    expect([managed.status, managed.body.code]).toEqual([403, 'mandate_frozen']);
    await callApiOk(one.url, 'PATCH', `${mandates()}/${id}`, { ...asBackend(), body: { state: 'active' } });
    await isSoon(other, token, 200);
    await callApiOk(one.url, 'DELETE', `${mandates()}/${id}`, asBackend());
    expect(await call(one, token)).toBe('mandate_denied');
    await isSoon(other, token, 'mandate_denied');
  });

  it('has to allow a call as well as the entries in the token', async () => {
    const { id } = await create([{ ...WRITE, paths: ['/a', '/b'] }]);
    const token = await mint({ mandateId: id, authorizationDetails: [{ ...READ, paths: ['/b', '/c'] }] });
    const results = [];
    for (const path of ['/a', '/b', '/c']) results.push(await call(one, token, 'GET', path));
    expect(results).toEqual(['mandate_denied', 200, 'mandate_denied']);
    expect(await call(one, token, 'DELETE', '/b')).toBe('mandate_denied');
  });

  it('is named by what it refuses, beside the call and its host', async () => {
    const tell = async (token: string, path: string, place = 'held') => {
      const url = `${one.url}/projects/${project.id}/proxy/${place}${path}`;
      return (await (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).json()).detail;
    };
    const name = 'Research '.repeat(11);
    const body = { name, entries: [{ ...READ, paths: ['/a', '/b'] }] };
    const { id } = await callApiOk(one.url, 'POST', mandates(), { ...asBackend(), body });
    const own = [{ ...READ, paths: ['/b', '/c'] }];
    const token = await mint({ mandateId: id, authorizationDetails: own });
    const shown = `mandate “${name.slice(0, 60)}…”, ${id}`;
    expect(await tell(token, '/c')).toBe(`GET /c at held: the mandate does not name this path (${shown}).`);
    expect(await tell(token, '/a')).toMatch(
      /^GET \/a at held: the mandate does not name this path \(entries of the token itself, [\w-]{22}\)\.$/,
    );
    await callApiOk(one.url, 'DELETE', `${mandates()}/${id}`, asBackend());
    expect(await tell(token, '/b')).toBe(
      `GET /b at held: The token refers to a mandate (gateway_mandate) that the project does not have: ${id}.`,
    );
  });

  it('of another project, or of none, is no mandate to mint with, and allows nothing where a token names it', async () => {
    const unknown = '0192f0c8-0000-7000-8000-000000000009';
    const body = { userId: USER, mandateId: unknown };
    const refused = await callApi(one.url, 'POST', '/v1/user-tokens', { ...asBackend(), body });
    expect([refused.status, refused.body.errors[0].path]).toEqual([400, 'body.mandateId']);
    const signed = (claims: object) => project.userToken(USER, { claims: { ...claims } });
    expect(await call(one, signed({ gateway_mandate: unknown }))).toBe('mandate_denied');
    expect(await call(one, signed({ gateway_mandate: 'x' }))).toBe('mandate_invalid');
    expect(await call(one, signed({ gateway_mandate: null }))).toBe('mandate_invalid');
    expect(await call(one, signed({ gateway_exchange: {} }))).toBe('mandate_invalid');
  });

  it('stays as long as the sign-in for agents names it', async () => {
    const { id } = await create([READ]);
    const path = `/v1/projects/${project.id}`;
    const openid = { issuer: 'https://login.example.com', clientId: 'gateway', clientSecret: null };
    const setTo = (agentSignIn: object | null) =>
      callApiOk(one.url, 'PATCH', path, { ...asBackend(), body: { agentSignIn } });
    await setTo({ openid: { ...openid, mandateId: id.toUpperCase() } });
    const refused = await callApi(one.url, 'DELETE', `${mandates()}/${id}`, asBackend());
    expect([refused.status, refused.body.code]).toEqual([409, 'mandate_in_use']);
    await setTo({ openid });
    expect((await callApi(one.url, 'DELETE', `${mandates()}/${id}`, asBackend())).status).toBe(204);
    await setTo(null);
  });

  it('is changed by one editor at a time, and each change is in the audit log', async () => {
    const { id } = await create([READ]);
    const first = await callApi(one.url, 'GET', `${mandates()}/${id}`, asBackend());
    const etag = first.headers.get('etag') ?? '';
    const change = (name: string) =>
      callApi(one.url, 'PATCH', `${mandates()}/${id}`, {
        ...asBackend(),
        body: { name },
        headers: { 'if-match': etag },
      });
    expect([(await change('A')).status, (await change('B')).status]).toEqual([200, 412]);
    const listed = await callApiOk(one.url, 'GET', mandates(), asBackend());
    expect(listed.mandates.find((mandate: { id: string }) => mandate.id === id)).toMatchObject({
      name: 'A',
      state: 'active',
    });
    await callApiOk(one.url, 'DELETE', `${mandates()}/${id}`, asBackend());
    const { activity } = await callApiOk(one.url, 'GET', `/v1/activity?subjectId=${id}`, asBackend());
    expect(activity.map(({ action }: { action: string }) => action)).toEqual([
      'mandate.deleted',
      'mandate.updated',
      'mandate.created',
    ]);
  });
});

it('calls are told with mandates, entries and actors, refused ones too, and found by these', async () => {
  const { id } = await create([
    { ...READ, paths: ['/b'] },
    { ...READ, paths: ['/told/*'] },
  ]);
  const token = await mint({ mandateId: id, actor: { id: 'agent-7', name: 'Research agent' } });
  expect(await call(one, token, 'GET', '/told/1')).toBe(200);
  expect(await call(one, token, 'DELETE', '/told/1')).toBe('mandate_denied');
  const find = (query: string) =>
    callApiOk(one.url, 'GET', `/v1/projects/${project.id}/calls?${query}`, asBackend());
  await until(async () => (await find(`mandateId=${id}`)).calls.length, 2);
  const { calls } = await find('actor=agent-7');
  expect(calls).toMatchObject([
    { method: 'DELETE', code: 'mandate_denied', mandates: [{ id, entry: null }] },
    {
      method: 'GET',
      status: 200,
      mandates: [{ id, entry: 1 }],
      actors: [{ id: 'agent-7', name: 'Research agent' }],
    },
  ]);
  expect((await find('actor=agent-8')).calls).toEqual([]);
  const uses = `/v1/projects/${project.id}/mandate-uses`;
  const who = { userId: USER, actor: { id: 'agent-7', name: 'Research agent' }, provider: 'held' };
  expect(await callApiOk(one.url, 'GET', `${uses}/${id}`, asBackend())).toEqual({
    uses: [{ ...who, calls: 2, refused: 1, lastAt: calls[0].at }],
    isCut: false,
  });
  const { mandates: sums } = await callApiOk(one.url, 'GET', uses, asBackend());
  expect(sums.find((sum: { mandateId: string }) => sum.mandateId === id)).toMatchObject({
    users: 1,
    calls: 2,
  });
});

it('a project may ask every token for a mandate, at both doors and on every replica', async () => {
  const bare = await mint({});
  const reading = await mint({ authorizationDetails: [READ] });
  for (const gateway of [one, other]) expect(await call(gateway, bare)).toBe(200);
  const set = (requireMandate: boolean) =>
    callApiOk(one.url, 'PATCH', `/v1/projects/${project.id}`, { ...asBackend(), body: { requireMandate } });
  expect((await set(true)).requireMandate).toBe(true);
  expect(await call(one, bare)).toBe('mandate_required');
  await isSoon(other, bare, 'mandate_required');
  expect(await call(other, reading)).toBe(200);
  const managed = await callApi(other.url, 'GET', '/v1/connections', { bearer: bare });
  expect([managed.status, managed.body.code]).toEqual([403, 'mandate_required']);
  await set(false);
  await isSoon(other, bare, 200);
});

describe('an explanation', () => {
  const explain = (body: object) =>
    callApi(one.url, 'POST', '/v1/mandates/explain', {
      ...asBackend(),
      body: { provider: 'hubspot', ...body },
    });
  const hubspot = (entry: object) => ({
    type: 'gateway_access',
    provider: 'hubspot',
    access: 'read',
    ...entry,
  });

  it('says for each entry whether it allows the call, by what the provider’s file says', async () => {
    const entries = [hubspot({ provider: 'github' }), hubspot({ methods: ['GET'] }), hubspot({})];
    const { body } = await explain({
      entries,
      method: 'POST',
      path: '/crm/v3/objects/contacts/search',
      body: {},
    });
    expect(body).toMatchObject({ allowed: true, entry: 2, reason: null });
    expect(body.entries).toMatchObject([
      { index: 0, allowed: false, reason: 'the entry is for github' },
      { index: 1, allowed: false, reason: 'the mandate does not name this method' },
      { index: 2, allowed: true, reason: null },
    ]);
    const refused = await explain({ entries, method: 'DELETE', path: '/crm/v3/objects/contacts/1' });
    expect(refused.body).toMatchObject({
      allowed: false,
      entry: null,
      reason: 'the mandate allows reading alone',
    });
  });

  it('is refused for a path that the proxy refuses, and for a provider that there is not', async () => {
    const entries = [hubspot({})];
    const refused = await explain({ entries, method: 'GET', path: '/a/../b' });
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_path']);
    expect((await explain({ entries, provider: 'nowhere', method: 'GET', path: '/' })).body.code).toBe(
      'provider_unknown',
    );
  });
});
