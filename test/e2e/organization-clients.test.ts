import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import { createHttpBrowser } from '../examples/http-browser.ts';
import { callApi, callApiOk, createProject } from '../support/gateway.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { integrateDemoCrm, PROVIDER, readOutcome, type Stage, startStage } from '../support/stage.ts';
import { until } from '../support/until.ts';
import { ACME, callAs, callProxy, connectAs, MANAGER, type Member } from './organizations-stage.ts';

const FIRST = 'first-app-of-acme';
const SECOND = 'second-app-of-acme';

let database: TestDatabase;
let store: pg.Client;
let stage: Stage;
const secrets = new Map<string, string>();

beforeAll(async () => {
  database = await createTestDatabase();
  store = new pg.Client(connectionSettings(database.url));
  await store.connect();
  stage = await startStage({ gateway: { databaseUrl: database.url } });
  for (const clientId of [FIRST, SECOND]) register(clientId);
});
afterAll(async () => {
  await stage?.close();
  await store?.end();
  await database?.drop();
});

/** A client of the demo CRM with a new secret, which it takes alone from now on. */
function register(clientId: string): string {
  const clientSecret = randomBytes(24).toString('base64url');
  secrets.set(clientId, clientSecret);
  const redirectUris = [stage.integration.redirectUrl];
  stage.crm.addClient({ clientId, clientSecret, redirectUris, name: clientId });
  return clientSecret;
}

const secretOf = (clientId: string): string => secrets.get(clientId) ?? '';
const boss = (org: string): Member => ({ userId: `boss-of-${org}`, claims: { ...MANAGER, org } });
const ada: Member = { userId: 'ada', claims: MANAGER };

const api = (method: string, path: string, body?: Record<string, unknown>, bearer = stage.project.apiKey) =>
  callApi(stage.gateway.url, method, path, { bearer, ...(body && { body }) });
const clientsOf = (integrationId = stage.integration.id) => `/v1/integrations/${integrationId}/clients`;

async function giveClient(organizationId: string, clientId: string) {
  const body = { organizationId, clientId, clientSecret: secretOf(clientId) };
  const made = await api('POST', clientsOf(), body);
  if (made.status !== 201) throw new Error(made.text);
  return made.body;
}

const changeClient = (id: string, body: Record<string, unknown>) =>
  callApiOk(stage.gateway.url, 'PATCH', `${clientsOf()}/${id}`, { bearer: stage.project.apiKey, body });

/** With which client id the provider made the connection. */
async function clientBehind(connectionId: string): Promise<string | null> {
  const { rows } = await store.query(
    `SELECT o.client_id FROM connections c LEFT JOIN organization_clients o ON o.id = c.organization_client_id
      WHERE c.id = $1`,
    [connectionId],
  );
  return rows[0].client_id;
}

/** A call whose token the provider refuses, so that it is refreshed, however lately that was the last time. */
async function callExpired(member: Member, headers: Record<string, string> = {}) {
  stage.crm.expireAccessTokens();
  await store.query('UPDATE connections SET forced_refresh_at = NULL, forced_refresh_version = NULL');
  return callProxy(stage, member, headers);
}

const begin = async (member: Member) => {
  const session = await callAs(stage, member, 'POST', '/v1/connect-sessions', {
    ...{ provider: PROVIDER, owner: 'organization' },
  });
  return session.body;
};

describe('a customer’s own OAuth client', () => {
  let id: string;
  let made: { id: string };

  it('is what its organization’s connections are authorized, refreshed and called with', async () => {
    made = await giveClient('acme', FIRST);
    const first = await fetch((await begin(ada)).url, { redirect: 'manual' });
    expect(new URL(first.headers.get('location') ?? '').searchParams.get('client_id')).toBe(FIRST);
    id = (await connectAs(stage, ada)).id;
    expect(await clientBehind(id)).toBe(FIRST);
    expect(await callProxy(stage, { userId: 'bob', claims: ACME })).toEqual({ status: 200, code: null });
    expect(await callExpired(ada)).toEqual({ status: 200, code: null });
    expect(stage.crm.stats.tokenRequests.refresh_token).toBeGreaterThan(0);
  });

  it('is no one else’s: another organization and users have the integration’s', async () => {
    const theirs = await connectAs(stage, boss('globex'), { owner: 'organization' }, 'ben@northwind.test');
    expect(await clientBehind(theirs.id)).toBeNull();
    const own = await connectAs(stage, ada, {}, 'ben@northwind.test');
    expect(await clientBehind(own.id)).toBeNull();
    expect((await callAs(stage, ada, 'DELETE', `/v1/connections/${own.id}`)).status).toBe(204);
  });

  it('is told without its secret, and found, changed and guarded like its integration', async () => {
    const listed = await api('GET', `${clientsOf()}?organizationId=acme`);
    expect(listed.body.clients).toEqual([
      expect.objectContaining({ ...made, lastWorkedAt: expect.any(String), hasSecret: true }),
    ]);
    expect(listed.text).not.toContain(secretOf(FIRST));
    expect((await api('GET', `${clientsOf()}?organizationId=globex`)).body.clients).toEqual([]);
    const one = await api('GET', `${clientsOf()}/${made.id}`);
    expect(one.body).toMatchObject({ organizationId: 'acme', clientId: FIRST });
    const again = await api('POST', clientsOf(), {
      organizationId: 'acme',
      clientId: 'x',
      clientSecret: 'y',
    });
    expect(again.body.code).toBe('organization_client_exists');
    const halved = await api('PATCH', `${clientsOf()}/${made.id}`, { clientId: 'another' });
    expect(halved.body.errors[0].path).toBe('body.clientSecret');
    const stale = await callApi(stage.gateway.url, 'PATCH', `${clientsOf()}/${made.id}`, {
      ...{ bearer: stage.project.apiKey, headers: { 'if-match': '"77"' } },
      body: { scopes: ['oauth'] },
    });
    expect(stale.body.code).toBe('precondition_failed');
  });

  it('belongs to one project', async () => {
    const other = await createProject(stage.gateway.url, stage.project.personalAccessToken);
    const reached = [
      await api('GET', clientsOf(), undefined, other.apiKey),
      await api('GET', `${clientsOf()}/${made.id}`, undefined, other.apiKey),
      await api('DELETE', `${clientsOf()}/${made.id}`, undefined, other.apiKey),
    ];
    expect(reached.map(({ status }) => status)).toEqual([404, 404, 404]);
    const theirs = await integrateDemoCrm(stage.gateway, other, stage.crm);
    expect((await api('GET', `${clientsOf(theirs.id)}/${made.id}`, undefined, other.apiKey)).status).toBe(
      404,
    );
    const link = await callApiOk(stage.gateway.url, 'POST', '/v1/connect-sessions', {
      bearer: other.apiKey,
      body: { provider: PROVIDER, owner: 'organization', organizationId: 'acme', userId: 'ada' },
    });
    const opened = await fetch(link.url, { redirect: 'manual' });
    expect(new URL(opened.headers.get('location') ?? '').searchParams.get('client_id')).not.toBe(FIRST);
  });

  it('goes on for what it has made after the organization has another one', async () => {
    const refreshed = stage.crm.stats.tokenRequests.refresh_token ?? 0;
    await changeClient(made.id, { clientId: SECOND, clientSecret: secretOf(SECOND) });
    expect(await callExpired(ada)).toEqual({ status: 200, code: null });
    expect(stage.crm.stats.tokenRequests.refresh_token).toBe(refreshed + 1);
    expect(await clientBehind(id)).toBe(FIRST);
    const session = { owner: 'organization', allowMultiple: true };
    const later = await connectAs(stage, ada, session, 'carol@contoso.test');
    expect(await clientBehind(later.id)).toBe(SECOND);
    for (const connection of [id, later.id])
      expect(await callExpired(ada, { 'gateway-connection': connection })).toMatchObject({ status: 200 });
    const revoked = stage.crm.stats.revokedTokens;
    expect((await callAs(stage, ada, 'DELETE', `/v1/connections/${later.id}`)).status).toBe(204);
    await until(() => stage.crm.stats.revokedTokens > revoked);
  });

  it('revokes what it has made, also then', async () => {
    const revoked = stage.crm.stats.revokedTokens;
    expect((await callAs(stage, ada, 'DELETE', `/v1/connections/${id}`)).status).toBe(204);
    // The demo CRM lets a client revoke its own tokens alone.
    await until(() => stage.crm.stats.revokedTokens > revoked);
  });

  it('finishes an authorization that began with it', async () => {
    await changeClient(made.id, { clientId: FIRST, clientSecret: secretOf(FIRST) });
    const { url } = await begin(ada);
    const browser = createHttpBrowser({ origins: [stage.gateway.url, stage.crm.url] });
    const atProvider = await browser.open(url);
    await changeClient(made.id, { clientId: SECOND, clientSecret: secretOf(SECOND) });
    const signedIn = await browser.submit(`${atProvider.url}/sign-in`, {
      ...{ email: 'ada@northwind.test', password: 'demo' },
    });
    const outcome = readOutcome(await browser.submit(`${signedIn.url}/allow`));
    const { sessionId, completionCode } = outcome.message;
    const ended = await callAs(stage, ada, 'POST', `/v1/connect-sessions/${sessionId}/complete`, {
      completionCode,
    });
    expect(ended.status).toBe(200);
    id = ended.body.id;
    expect(await clientBehind(id)).toBe(FIRST);
    expect(await callExpired(ada)).toEqual({ status: 200, code: null });
  });

  it('is changed for the connection that is authorized again', async () => {
    await connectAs(stage, ada, { connectionId: id, provider: undefined });
    expect(await clientBehind(id)).toBe(SECOND);
    expect(await callExpired(ada)).toEqual({ status: 200, code: null });
  });

  it('has a new secret for all that it made, and the one before for some days', async () => {
    const before = secretOf(SECOND);
    register(SECOND);
    await changeClient(made.id, { clientSecret: secretOf(SECOND) });
    expect(await callExpired(ada)).toEqual({ status: 200, code: null });
    const redirectUris = [stage.integration.redirectUrl];
    stage.crm.addClient({ clientId: SECOND, clientSecret: before, redirectUris, name: SECOND });
    expect(await callExpired(ada)).toEqual({ status: 200, code: null });
    expect(await clientBehind(id)).toBe(SECOND);
  });

  it('is named by the diagnosis where the provider refuses it, and tried again once it is corrected', async () => {
    register(SECOND);
    await store.query(
      `UPDATE connections SET access_token_expires_at = now() - interval '1 minute', version = version + 1 WHERE id = $1`,
      [id],
    );
    await until(async () => (await callProxy(stage, ada)).code === 'integration_misconfigured');
    const diagnose = async (path: string) =>
      (await callApiOk(stage.gateway.url, 'GET', path, { bearer: stage.project.apiKey })).findings;
    const diagnosis = `/v1/integrations/${stage.integration.id}/diagnosis?refresh=true`;
    const named = async () =>
      (await diagnose(diagnosis)).filter(
        ({ code }: { code: string }) => code === 'organization_client_refused',
      );
    await until(async () => (await named()).length > 0);
    expect((await named())[0]).toMatchObject({ severity: 'error', parameters: { organizations: 'acme' } });
    const codes = (await diagnose(diagnosis)).map(({ code }: { code: string }) => code);
    expect(codes).toContain('client_accepted');
    expect(codes).not.toContain('client_refused');
    const ofConnection = await diagnose(`/v1/connections/${id}/health`);
    expect(ofConnection[0]).toMatchObject({ code: 'organization_client_refused' });
    await changeClient(made.id, { clientSecret: secretOf(SECOND) });
    expect(await callExpired(ada)).toEqual({ status: 200, code: null });
    expect(await named()).toEqual([]);
  });

  it('is kept for its connections after it was taken away', async () => {
    expect((await api('DELETE', `${clientsOf()}/${made.id}`)).status).toBe(204);
    expect((await api('GET', `${clientsOf()}/${made.id}`)).status).toBe(404);
    expect(await callExpired(ada)).toEqual({ status: 200, code: null });
    const next = await fetch((await begin(ada)).url, { redirect: 'manual' });
    expect(next.headers.get('location')).not.toContain(SECOND);
    // Given again, it is the same client: a new secret of it counts for the connection that is there.
    register(SECOND);
    const again = await giveClient('acme', SECOND);
    expect(await callExpired(ada)).toEqual({ status: 200, code: null });
    await api('DELETE', `${clientsOf()}/${again.id}`);
  });
});

describe('imports, erasing and deleting', () => {
  it('imports for an organization with its client', async () => {
    register('app-of-initech');
    const client = await giveClient('initech', 'app-of-initech');
    const imported = await api('POST', '/v1/connections', {
      integrationId: stage.integration.id,
      owner: { type: 'organization', id: 'initech' },
      credentials: { accessToken: 'a-token', refreshToken: 'a-refresh-token' },
    });
    expect(await clientBehind(imported.body.id)).toBe('app-of-initech');
    expect(client.organizationId).toBe('initech');
  });

  it('exports an organization’s client without its secret, and erases it with the organization', async () => {
    const path = `/v1/projects/${stage.project.id}/organizations/initech`;
    const exported = await api('GET', `${path}/export`);
    expect(exported.text).toContain('"kind":"organization_client"');
    expect(exported.text).not.toContain(secretOf('app-of-initech'));
    const erasure = await api('DELETE', path);
    const report = `/v1/projects/${stage.project.id}/user-erasures/${erasure.body.id}`;
    await until(async () => (await api('GET', report)).body.state === 'done');
    const { rows } = await store.query(
      `SELECT 1 FROM organization_clients WHERE client_id = 'app-of-initech'`,
    );
    expect(rows).toEqual([]);
  });

  it('revokes with each client when the integration is deleted, and forgets them', async () => {
    const revoked = stage.crm.stats.revokedTokens;
    const { rows: before } = await store.query('SELECT 1 FROM connections WHERE integration_id = $1', [
      stage.integration.id,
    ]);
    expect((await api('DELETE', `/v1/integrations/${stage.integration.id}?force=true`)).status).toBe(204);
    await until(async () => {
      const { rows } = await store.query('SELECT 1 FROM organization_clients');
      return rows.length === 0;
    });
    await until(() => stage.crm.stats.revokedTokens - revoked >= before.length);
  });
});
