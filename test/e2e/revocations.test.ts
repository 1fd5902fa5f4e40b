import pg from 'pg';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import { createCatalogDir } from '../support/catalog-dir.ts';
import { callApi, callApiOk, createProject, type Project, provision } from '../support/gateway.ts';
import { createEncryptionKey } from '../support/gateway-environment.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { type SpawnedGateway, spawnGateway } from '../support/spawn-gateway.ts';
import { startTokenProvider, type TokenProvider, type TokenRequest } from '../support/token-provider.ts';
import { until } from '../support/until.ts';

let slow: TokenProvider;
let healthy: TokenProvider;
let catalog: { path: string; remove: () => Promise<void> };
let database: TestDatabase;
let env: Record<string, string>;
let gateway: SpawnedGateway;
let project: Project;
let store: pg.Client;

beforeAll(async () => {
  [slow, healthy] = [await startTokenProvider(), await startTokenProvider()];
  catalog = await createCatalogDir({
    slow: slow.providerFile('slow'),
    healthy: healthy.providerFile('healthy'),
  });
  database = await createTestDatabase();
  store = new pg.Client(connectionSettings(database.url));
  await store.connect();
  env = { ENCRYPTION_KEYS: createEncryptionKey() };
  gateway = await start();
  project = await provision(gateway);
});
afterAll(async () => {
  await gateway?.stop();
  await store?.end();
  await database?.drop();
  await catalog?.remove();
  await slow?.close();
  await healthy?.close();
});
beforeEach(() => {
  for (const provider of [slow, healthy]) provider.answerRevocationsWith((request) => request.reply(200));
});

const start = () => spawnGateway({ catalogDir: catalog.path, databaseUrl: database.url, env });

const integrate = (serviceProvider: string, owner: Project = project): Promise<{ id: string }> =>
  callApiOk(gateway.url, 'POST', '/v1/integrations', {
    bearer: owner.apiKey,
    body: { serviceProvider, clientId: 'client', clientSecret: 'secret', scopes: ['read'] },
  });

let users = 0;

async function connect(integrationId: string, provider: TokenProvider, owner: Project = project) {
  const { access_token: accessToken, refresh_token: refreshToken } = provider.issue();
  users += 1;
  const { id } = await callApiOk(gateway.url, 'POST', '/v1/connections', {
    bearer: owner.apiKey,
    body: { integrationId, userId: `user-${users}`, credentials: { accessToken, refreshToken } },
  });
  return { id: id as string, refreshToken };
}

const remove = (path: string, bearer = project.apiKey) =>
  callApi(gateway.url, 'DELETE', `/v1${path}`, { bearer });

async function actionsOf(connectionId: string): Promise<string[]> {
  const { activity } = await callApiOk(gateway.url, 'GET', `/v1/activity?subjectId=${connectionId}`, {
    bearer: project.apiKey,
  });
  return activity.map(({ action }: { action: string }) => action);
}

/** A revocation endpoint that accepts and never answers, until it is released. */
function hang(provider: TokenProvider) {
  const held: TokenRequest[] = [];
  provider.answerRevocationsWith((request) => void held.push(request));
  return {
    release(): void {
      provider.answerRevocationsWith((request) => request.reply(200));
      for (const request of held.splice(0)) request.reply(200);
    },
  };
}

describe('a deleted connection', () => {
  it('is gone at once, and its grant is revoked in the background, with a record', async () => {
    const { id: integrationId } = await integrate('slow');
    const { id, refreshToken } = await connect(integrationId, slow);
    const { release } = hang(slow);
    expect((await remove(`/connections/${id}`)).status).toBe(204);
    await slow.until(() => slow.revoked.includes(refreshToken));
    expect(await actionsOf(id)).not.toContain('connection.revoked');
    release();
    await until(async () => (await actionsOf(id)).includes('connection.revoked'));
  });

  it('is revoked again after a failure, and given up with a record after a day', async () => {
    const { id: integrationId } = await integrate('healthy');
    const { id, refreshToken } = await connect(integrationId, healthy);
    healthy.answerRevocationsWith((request) => request.reply(503));
    await remove(`/connections/${id}`);
    const attempts = () => healthy.revoked.filter((token) => token === refreshToken).length;
    await healthy.until(() => attempts() === 1);
    const due = `attempt_at = now() WHERE connection_id = '${id}'`;
    // The row is postponed after the answer has been read.
    await until(async () => {
      const { rows } = await store.query(
        `SELECT attempt_at < now() + interval '30 seconds' AS is_postponed FROM grants_to_revoke WHERE connection_id = '${id}'`,
      );
      return rows[0]?.is_postponed;
    });
    await store.query(`UPDATE grants_to_revoke SET ${due}`);
    await healthy.until(() => attempts() === 2);
    await until(async () => {
      await store.query(`UPDATE grants_to_revoke SET created_at = now() - interval '1 day', ${due}`);
      return (await actionsOf(id)).includes('connection.revocation_failed');
    });
    const { rows } = await store.query('SELECT count(*)::integer AS count FROM grants_to_revoke');
    expect(rows[0].count).toBe(0);
  });

  it('of one provider waits for no other one that does not answer', async () => {
    const [{ id: slowId }, { id: healthyId }] = [await integrate('slow'), await integrate('healthy')];
    const { release } = hang(slow);
    const stuck: { id: string; refreshToken: string }[] = [];
    for (let count = 0; count < 24; count += 1) stuck.push(await connect(slowId, slow));
    for (const { id } of stuck) await remove(`/connections/${id}`);
    const { id, refreshToken } = await connect(healthyId, healthy);
    await remove(`/connections/${id}`);
    await healthy.until(() => healthy.revoked.includes(refreshToken));
    const waiting = stuck.filter((connection) => !slow.revoked.includes(connection.refreshToken));
    expect(waiting.length).toBeGreaterThan(0);
    release();
    await slow.until(() => stuck.every((connection) => slow.revoked.includes(connection.refreshToken)));
  });

  it('is revoked by another process when the first one is stopped before the provider answered', async () => {
    const { id: integrationId } = await integrate('slow');
    const { id, refreshToken } = await connect(integrationId, slow);
    hang(slow);
    await remove(`/connections/${id}`);
    await slow.until(() => slow.revoked.includes(refreshToken));
    // It does not wait for the provider: nothing is released.
    expect(await gateway.stop()).toEqual({ code: 0, signal: null });
    gateway = await start();
    slow.answerRevocationsWith((request) => request.reply(200));
    await store.query('UPDATE grants_to_revoke SET attempt_at = now()');
    await until(async () => (await actionsOf(id)).includes('connection.revoked'));
  });

  it('whose credentials cannot be unsealed is erased too, with a record', async () => {
    const { id: integrationId } = await integrate('healthy');
    const { id } = await connect(integrationId, healthy);
    await store.query(`UPDATE connections SET credentials_sealed = 'v1.damaged' WHERE id = $1`, [id]);
    expect((await remove(`/connections/${id}`)).status).toBe(204);
    const { activity } = await callApiOk(gateway.url, 'GET', `/v1/activity?subjectId=${id}`, {
      bearer: project.apiKey,
    });
    expect(activity[0]).toMatchObject({
      action: 'connection.deleted',
      details: { unrevoked: 'credentials_unreadable' },
    });
  });
});

describe('an integration whose client secret cannot be unsealed', () => {
  const damage = (id: string) =>
    store.query(
      `UPDATE integrations SET client_secret_sealed = 'v1.damaged', secret_variables_sealed = 'v1.damaged' WHERE id = $1`,
      [id],
    );

  it('takes a new one', async () => {
    const { id } = await integrate('healthy');
    await damage(id);
    const answer = await callApi(gateway.url, 'PATCH', `/v1/integrations/${id}`, {
      bearer: project.apiKey,
      body: { clientSecret: 'another secret', variables: {} },
    });
    expect(answer.status).toBe(200);
  });

  it('can be deleted with its connections', async () => {
    const { id } = await integrate('healthy');
    const { id: connectionId } = await connect(id, healthy);
    await damage(id);
    expect((await remove(`/integrations/${id}?force=true`)).status).toBe(204);
    expect((await remove(`/connections/${connectionId}`)).status).toBe(404);
  });
});

describe('a deleted project', () => {
  it('is refused while it has connections, and with force revokes every one at its provider', async () => {
    const other = await createProject(gateway.url, project.personalAccessToken);
    const { id: integrationId } = await integrate('healthy', other);
    const tokens: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      tokens.push((await connect(integrationId, healthy, other)).refreshToken);
    }
    const bearer = project.personalAccessToken;
    const refused = await remove(`/projects/${other.id}`, bearer);
    expect([refused.status, refused.body.code]).toEqual([409, 'connections_exist']);
    expect(refused.body.detail).toContain('3 connections');
    expect((await remove(`/projects/${other.id}?force=true`, bearer)).status).toBe(204);
    await healthy.until(() => tokens.every((token) => healthy.revoked.includes(token)));
    expect((await remove(`/projects/${other.id}`, bearer)).status).toBe(404);
  });
});
