import { callApi, callApiOk, createProject, type Gateway, type Project } from '../support/gateway.ts';
import {
  callProvider,
  type HeldStage,
  provisionConnected,
  startHeldStage,
  USER,
  until,
} from '../support/held-stage.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

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
const revocations = () => `/v1/projects/${project.id}/revocations`;

describe('what one replica revokes', () => {
  const token = (jti: string, userId = USER) => project.userToken(userId, { claims: { jti } });
  const call = (gateway: Gateway, bearer: string) =>
    fetch(`${gateway.url}/projects/${project.id}/proxy/held/`, {
      headers: { authorization: `Bearer ${bearer}` },
    });

  it('is refused by the other, proxied and managed, and is good again when it is taken back', async () => {
    const revoked = token('first');
    const kept = token('second');
    for (const bearer of [revoked, kept]) expect((await call(other, bearer)).status).toBe(200);
    const made = await callApiOk(one.url, 'POST', revocations(), { ...asBackend(), body: { jti: 'first' } });
    // The notice is on its way; the call itself waits for nothing.
    await until(async () => (await call(other, revoked)).status, 401);
    const refused = await call(other, revoked);
    expect([refused.status, refused.headers.get('gateway-error')]).toEqual([401, 'token_revoked']);
    const managed = await callApi(other.url, 'GET', '/v1/connections', { bearer: revoked });
    expect([managed.status, managed.body.code]).toEqual([401, 'token_revoked']);
    expect((await call(one, revoked)).status).toBe(401);
    expect((await call(other, kept)).status).toBe(200);
    await callApiOk(other.url, 'DELETE', `${revocations()}/${made.id}`, asBackend());
    expect((await call(other, revoked)).status).toBe(200);
    await until(async () => (await call(one, revoked)).status, 200);
  });

  it('is one minted token alone, by the `jti` of its reply', async () => {
    const mint = () =>
      callApiOk(one.url, 'POST', '/v1/user-tokens', { ...asBackend(), body: { userId: USER } });
    const [revoked, kept] = [await mint(), await mint()];
    expect(revoked.jti).not.toBe(kept.jti);
    for (const { token } of [revoked, kept]) expect((await call(other, token)).status).toBe(200);
    const body = { jti: revoked.jti };
    await callApiOk(one.url, 'POST', revocations(), { ...asBackend(), body });
    await until(async () => (await call(other, revoked.token)).status, 401);
    expect((await call(other, revoked.token)).headers.get('gateway-error')).toBe('token_revoked');
    expect((await call(other, kept.token)).status).toBe(200);
  });

  it('leaves other projects and warm connections alone', async () => {
    const another = await createProject(one.url, project.personalAccessToken);
    const bearer = another.userToken(USER);
    const list = () => callApi(other.url, 'GET', '/v1/connections', { bearer });
    expect((await list()).status).toBe(200);
    await callApiOk(one.url, 'POST', `/v1/projects/${another.id}/revocations`, {
      bearer: another.apiKey,
      body: { everyone: true, issuedBefore: new Date(Date.now() + 10_000).toISOString() },
    });
    await until(async () => (await list()).status, 401);
    expect((await callProvider(other, project, '/')).status).toBe(200);
  });
});

describe('origins that one replica learns of', () => {
  const PAGE = 'https://page.example';
  const isAllowed = async (gateway: Gateway) => {
    const response = await fetch(`${gateway.url}/v1/connections`, {
      method: 'OPTIONS',
      headers: { origin: PAGE, 'access-control-request-method': 'GET' },
    });
    return response.headers.get('access-control-allow-origin') === PAGE ? 1 : 0;
  };

  it('are allowed and refused by the other, though it remembers what it found before', async () => {
    expect([await isAllowed(one), await isAllowed(other)]).toEqual([0, 0]);
    const { id } = await callApiOk(one.url, 'POST', '/v1/projects', {
      bearer: project.personalAccessToken,
      body: { name: 'With a page', allowedOrigins: [PAGE] },
    });
    expect(await isAllowed(one)).toBe(1);
    await until(() => isAllowed(other), 1);
    await callApiOk(other.url, 'PATCH', `/v1/projects/${id}`, {
      bearer: project.personalAccessToken,
      body: { allowedOrigins: [] },
    });
    expect(await isAllowed(other)).toBe(0);
    await until(() => isAllowed(one), 0);
  });
});
