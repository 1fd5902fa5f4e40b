import pg from 'pg';
import { newId } from '../../src/lib/ids.ts';
import { hashPassword } from '../../src/operators/accounts/password.ts';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import { createHttpBrowser } from '../examples/http-browser.ts';
import {
  type ApiCall,
  callApi,
  callApiOk,
  OPERATOR,
  seedMember,
  seedPersonalAccessToken,
} from '../support/gateway.ts';
import {
  authorize,
  connectAccount,
  PROVIDER,
  readOutcome,
  type Stage,
  startStage,
} from '../support/stage.ts';

let stage: Stage;
let admin: Readonly<Record<string, string>>;
const ADMIN = { id: newId(), email: 'admin@example.test' };

beforeAll(async () => {
  stage = await startStage();
  const client = new pg.Client(connectionSettings(stage.gateway.databaseUrl ?? ''));
  await client.connect();
  await client.query(
    'INSERT INTO operators (id, email, password_hash, email_verified_at) VALUES ($1, $2, $3, now())',
    [ADMIN.id, ADMIN.email, await hashPassword(OPERATOR.password)],
  );
  await seedMember(client, { projectId: stage.project.id, operatorId: ADMIN.id, role: 'admin' });
  await client.end();
  const body = { email: ADMIN.email, password: OPERATOR.password };
  const entered = await callApi(stage.gateway.url, 'POST', '/v1/sessions', { body });
  const pairs = entered.headers.getSetCookie().map((field) => field.split(';', 1)[0]);
  admin = { cookie: pairs.join('; '), origin: stage.gateway.url };
});

afterAll(() => stage?.close());

const asAdmin = (path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  callApi(stage.gateway.url, 'POST', path, { body, headers: { ...admin, ...headers } });

const setRole = (role: string) =>
  callApiOk(stage.gateway.url, 'PATCH', `/v1/projects/${stage.project.id}/members/${ADMIN.id}`, {
    bearer: stage.project.personalAccessToken,
    body: { role },
  });

describe('an operator whose role has changed', () => {
  it('does not get the key again that a repeat of the request would show', async () => {
    const path = `/v1/projects/${stage.project.id}/api-keys`;
    const repeat = () => asAdmin(path, { name: 'backend' }, { 'idempotency-key': 'key-of-admin' });
    const first = await repeat();
    expect(first.status).toBe(201);
    expect((await repeat()).body).toEqual(first.body);
    await setRole('viewer');
    const after = await repeat();
    expect([after.status, after.body.code]).toEqual([403, 'insufficient_role']);
    await setRole('admin');
  });

  it('does not complete the session that they began', async () => {
    const session = await asAdmin('/v1/connect-sessions', { integrationId: stage.integration.id });
    expect(session.status).toBe(201);
    const page = await authorize(stage, session.body.url);
    const { message } = readOutcome(page);
    const complete = () =>
      asAdmin(`/v1/connect-sessions/${session.body.id}/complete`, { completionCode: message.completionCode });
    await setRole('viewer');
    const refused = await complete();
    expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_role']);
    await setRole('admin');
    expect((await complete()).status).toBe(200);
  });
});

describe('a link to authorize', () => {
  const opened = async (url: string) => (await fetch(url, { redirect: 'manual' })).status;
  const link = async (call: ApiCall) => {
    const body = { ...{ completion: 'link', provider: PROVIDER }, ...(call.body ?? {}) };
    return (await callApiOk(stage.gateway.url, 'POST', '/v1/connect-sessions', { ...call, body })).url;
  };

  it('ends with the API key that vouches for its holder', async () => {
    const bearer = stage.project.personalAccessToken;
    const keys = `/v1/projects/${stage.project.id}/api-keys`;
    const made = await callApiOk(stage.gateway.url, 'POST', keys, {
      bearer,
      body: { name: 'backend', scopes: ['connect'] },
    });
    const body = { userId: 'linked' };
    const [first, second] = [await link({ bearer: made.key, body }), await link({ bearer: made.key, body })];
    const other = await link({ bearer: stage.project.apiKey, body });
    expect(await opened(first)).toBe(302);
    await callApiOk(stage.gateway.url, 'DELETE', `${keys}/${made.id}`, { bearer });
    expect([await opened(first), await opened(second), await opened(other)]).toEqual([410, 410, 302]);
  });

  it('comes back to nothing where its key was deleted at the provider', async () => {
    const bearer = stage.project.personalAccessToken;
    const keys = `/v1/projects/${stage.project.id}/api-keys`;
    const made = await callApiOk(stage.gateway.url, 'POST', keys, {
      bearer,
      body: { name: 'backend', scopes: ['connect'] },
    });
    const url = await link({ bearer: made.key, body: { userId: 'late' } });
    const tab = createHttpBrowser({ origins: [stage.gateway.url, stage.crm.url] });
    const first = await tab.open(url);
    await callApiOk(stage.gateway.url, 'DELETE', `${keys}/${made.id}`, { bearer });
    const consent = await tab.submit(`${first.url}/sign-in`, {
      email: 'ada@northwind.test',
      password: 'demo',
    });
    await tab.submit(`${consent.url}/allow`);
    const { connections } = await callApiOk(
      stage.gateway.url,
      'GET',
      `/v1/projects/${stage.project.id}/connections?userId=late`,
      { bearer: stage.project.apiKey },
    );
    expect(connections).toEqual([]);
  });

  it('ends with the personal access token of the operator who vouches for its holder', async () => {
    const { id: connectionId } = await connectAccount(stage, { userId: 'by-token' });
    const bearer = stage.project.personalAccessToken;
    const client = new pg.Client(connectionSettings(stage.gateway.databaseUrl ?? ''));
    await client.connect();
    const { id, token: made } = await seedPersonalAccessToken(client, ADMIN.id);
    await client.end();
    const [url, other] = [
      await link({ bearer: made, body: { connectionId } }),
      await link({ bearer, body: { connectionId } }),
    ];
    expect(await opened(url)).toBe(302);
    await callApi(stage.gateway.url, 'DELETE', `/v1/personal-access-tokens/${id}`, { headers: admin });
    expect([await opened(url), await opened(other)]).toEqual([410, 302]);
  });

  it('ends with the role of the operator who vouches for its holder', async () => {
    const { id } = await connectAccount(stage, { userId: 'again' });
    const url = await link({ headers: admin, body: { connectionId: id } });
    expect(await opened(url)).toBe(302);
    await setRole('viewer');
    expect(await opened(url)).toBe(410);
    await setRole('admin');
  });
});

describe('an API key that is rotated', () => {
  it('repeats under an Idempotency-Key what the key before it did, which another key does not', async () => {
    const bearer = stage.project.personalAccessToken;
    const keys = `/v1/projects/${stage.project.id}/api-keys`;
    const make = (name: string) => callApiOk(stage.gateway.url, 'POST', keys, { bearer, body: { name } });
    const revoke = async ({ key }: { key: string }) => {
      const headers = { 'Idempotency-Key': 'revoked-once' };
      const call = { bearer: key, headers, body: { userId: 'nobody' } };
      return (
        await callApiOk(stage.gateway.url, 'POST', `/v1/projects/${stage.project.id}/revocations`, call)
      ).id;
    };
    const [old, other] = [await make('old'), await make('other')];
    const first = await revoke(old);
    const next = await callApiOk(stage.gateway.url, 'POST', `${keys}/${old.id}/rotate`, { bearer, body: {} });
    expect(await revoke(next)).toBe(first);
    expect(await revoke(other)).not.toBe(first);
  });
});

describe('a change of tags and metadata', () => {
  it('is in the audit log, by its fields and without their values', async () => {
    const { id } = await connectAccount(stage, { userId: 'tagged' });
    const bearer = stage.project.apiKey;
    const body = { tags: { plan: 'gold-secret' }, customMetadata: { seat: 7 } };
    await callApiOk(stage.gateway.url, 'PATCH', `/v1/connections/${id}`, { bearer, body });
    const { activity } = await callApiOk(stage.gateway.url, 'GET', `/v1/activity?subjectId=${id}`, {
      bearer,
    });
    const found = activity.find(({ action }: { action: string }) => action === 'connection.annotated');
    expect(found.details.fields).toEqual(['customMetadata', 'tags']);
    expect(JSON.stringify(activity)).not.toContain('gold-secret');
  });
});

describe('an id of a user of 255 characters', () => {
  it('may have characters beyond the first plane, wherever it is given', async () => {
    const userId = '🙂'.repeat(255);
    const bearer = stage.project.apiKey;
    const list = (id: string) =>
      callApi(
        stage.gateway.url,
        'GET',
        `/v1/projects/${stage.project.id}/connections?userId=${encodeURIComponent(id)}`,
        { bearer },
      );
    expect((await list(userId)).status).toBe(200);
    expect((await list(`${userId}x`)).status).toBe(400);
  });
});
